/** Upstreams as the sandbox finds them: live where they answer, else bundled samples, dated around now. */
import type { Upstream } from '../../pipelines/outside/upstream.ts'
import { upstreams } from '../../pipelines/upstreams.ts'
import { evmAccount } from './keys.ts'
import { type Loopback, serveLoopback } from './loopback.ts'

export interface Upstreams {
  found: readonly Found[]
  /** The environment of the service, for those that a sample stands in for. */
  urls: Readonly<Record<string, string>>
  /** Their variables. */
  samples: ReadonlySet<string>
  close(): Promise<void>
}

export interface Found {
  upstream: Upstream
  /** `brought`: the caller brings what it would be asked for. */
  is: 'live' | 'sample' | 'brought'
}

interface Options {
  now?: () => number
  /** Does it answer in earnest? Absent: the network is asked. */
  live?: (url: string, proof: RegExp) => Promise<boolean>
}

/** `at` is where each of them may be live; `env` is what the caller has set. */
export async function startUpstreams(
  at: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>> = {},
  { now = Date.now, live = answers }: Options = {},
): Promise<Upstreams> {
  const found = await Promise.all(
    upstreams.map(async (upstream): Promise<Found> => {
      const { variable, replacedBy, probe } = upstream
      if (replacedBy && env[replacedBy]) return { upstream, is: 'brought' }
      const isLive = probe && (await live(`${at[variable]}${probe.path}`, probe.proof))
      return { upstream, is: isLive ? 'live' : 'sample' }
    }),
  )
  const missing = found.filter(({ is }) => is === 'sample').map(({ upstream }) => upstream)
  const servers = await Promise.all(missing.map(upstream => serveSample(upstream, now)))
  return {
    found,
    urls: Object.fromEntries(missing.map(({ variable }, i) => [variable, servers[i]?.url ?? ''])),
    samples: new Set(missing.map(({ variable }) => variable)),
    close: async () => {
      await Promise.all(servers.map(server => server.close()))
    },
  }
}

async function serveSample(upstream: Upstream, now: () => number): Promise<Loopback> {
  const { sample } = await upstream.sample()
  const payTo = evmAccount('payTo').address
  return serveLoopback(
    ({ path, query }) =>
      sample({ path, query, now: now(), payTo }) ?? {
        status: 404,
        type: 'text/plain',
        body: 'the sample has no such page',
      },
  )
}

const patienceMs = 2_000

async function answers(url: string, proof: RegExp): Promise<boolean> {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'Farebox sandbox' },
      signal: AbortSignal.timeout(patienceMs),
    })
    return response.ok && proof.test(await response.text())
  } catch {
    return false
  }
}
