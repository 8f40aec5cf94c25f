/** Waits for the first poll of every source, so that the banner does not name calls that would answer 503. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sources } from '../../pipelines/sources/index.ts'
import { paymentsIn } from '../../pipelines/sources/payments/rows.ts'
import type { NetworkName } from '../../schemas/tables/networks.ts'

const patienceMs = 10_000

interface Health {
  ready: boolean
  sources: Record<string, { last_good_poll: string | null }>
}

export async function firstFacts(url: string, networks: readonly NetworkName[]): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  // The sandbox starts no bulk download, so it never polls those sources.
  const polled = [...sources.filter(({ bulk }) => !bulk).map(({ name }) => name), ...networks.map(paymentsIn)]
  while (!(await allPolled(url, polled)) && performance.now() < giveUpAt) await sleep(50)
}

async function allPolled(url: string, polled: readonly string[]): Promise<boolean> {
  const health = (await (await fetch(`${url}/health`)).json()) as Health
  return health.ready && polled.every(name => health.sources[name]?.last_good_poll)
}
