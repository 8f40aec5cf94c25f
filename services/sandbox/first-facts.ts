/** Waits a moment for the first poll of every source, so that the banner does not invite to calls that answer 503. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sources } from '../../pipelines/sources/index.ts'

const patienceMs = 10_000

interface Health {
  ready: boolean
  sources: Record<string, { last_good_poll: string | null }>
}

export async function firstFacts(url: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  while (!(await allPolled(url)) && performance.now() < giveUpAt) await sleep(50)
}

async function allPolled(url: string): Promise<boolean> {
  const health = (await (await fetch(`${url}/health`)).json()) as Health
  // The sandbox starts no bulk download, so those are never polled here.
  return health.ready && sources.every(({ name, bulk }) => bulk || health.sources[name]?.last_good_poll)
}
