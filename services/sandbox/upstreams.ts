/** Chooses the upstreams of the sandbox: the live ones that answer, and bundled samples, dated around now, for the rest. */

import { upstreams } from '../../pipelines/index.ts'
import type { Upstream } from '../../pipelines/rails/outside/upstreams/upstream.ts'
import { evmAccount } from './keys.ts'
import { type Loopback, type LoopbackAnswer, serveLoopback } from './loopback.ts'

export interface Upstreams {
  choices: readonly SampleChoice[]
  /** The addresses of the samples, by the variables of the replaced upstreams. */
  urls: Readonly<Record<string, string>>
  /** The variables of the replaced upstreams. */
  samples: ReadonlySet<string>
  close(): Promise<void>
}

export interface SampleChoice {
  upstream: Upstream
  /** `brought`: the operator provides the data. */
  is: 'live' | 'sample' | 'brought'
}

interface Options {
  now?: () => number
  /** Tests whether the upstream answers. Absent: a test over the network. */
  live?: (url: string, proof: RegExp) => Promise<boolean>
  /** What a sample publishes, where somebody has changed it. */
  published?: <A extends LoopbackAnswer>(answer: A) => A
}

/** `at` holds the addresses to test, `env` the variables that the operator has set. */
export async function startUpstreams(
  at: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>> = {},
  { now = Date.now, live = answers, published = same => same }: Options = {},
): Promise<Upstreams> {
  const choices = await Promise.all(
    upstreams.map(async (upstream): Promise<SampleChoice> => {
      const { variable, replacedBy, probe } = upstream.standsInFor ?? upstream
      if (replacedBy && env[replacedBy]) return { upstream, is: 'brought' }
      const isLive = probe && (await live(`${at[variable]}${probe.path}`, probe.proof))
      return { upstream, is: isLive ? 'live' : 'sample' }
    }),
  )
  const missing = choices.filter(({ is }) => is === 'sample').map(({ upstream }) => upstream)
  const servers = await Promise.all(missing.map(upstream => serveSample(upstream, { now, published })))
  return {
    choices,
    urls: Object.fromEntries(missing.map(({ variable }, i) => [variable, servers[i]?.url ?? ''])),
    samples: new Set(missing.map(({ variable }) => variable)),
    close: async () => {
      await Promise.all(servers.map(server => server.close()))
    },
  }
}

async function serveSample(
  upstream: Upstream,
  { now, published }: Required<Pick<Options, 'now' | 'published'>>,
): Promise<Loopback> {
  const { sample } = await upstream.sample()
  const payTo = evmAccount('payTo').address
  return serveLoopback(({ path, query }) =>
    published(
      sample({ path, query, now: now(), payTo }) ?? {
        status: 404,
        type: 'text/plain',
        body: 'the sample has no such page',
      },
    ),
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
