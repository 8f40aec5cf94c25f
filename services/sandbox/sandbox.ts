/** Composes the whole sandbox: chains, facilitator, upstreams, and the service itself. */
import { mkdirSync } from 'node:fs'
import { readChains } from '../../pipelines/domains/chain/open-chains.ts'
import { watchRhythm } from '../../pipelines/domains/watch/rounds.ts'
import { given } from '../../pipelines/rails/process.ts'
import { type Running, together } from '../../pipelines/rails/running.ts'
import { ecbUpstream } from '../../pipelines/sources/ecb/upstream.ts'
import { OutOfTurn, outOfTurn } from '../../pipelines/sources/out-of-turn.ts'
import { sold } from '../config/config.ts'
import type { OpenOrigin } from '../offer/origin.ts'
import { Lifecycle } from '../roles/lifecycle.ts'
import { type Service, startService } from '../roles/service.ts'
import { PlayBank } from './bank.ts'
import { chainsOf, startChains } from './chains.ts'
import { leaveRule } from './correction.ts'
import { sandboxConfig, wishes } from './environment.ts'
import { payerKeys } from './keys.ts'
import { layMarkets } from './markets.ts'
import { leaveNote, removeNote, sandboxFolder } from './note.ts'
import type { PlayChain } from './play-chain.ts'
import { playPayment } from './play-payment.ts'
import { openPublicWeb, type SandboxWeb } from './public-web.ts'
import { startSampleSite } from './sample-site.ts'
import { startSecureSite } from './secure-site.ts'
import { openStreet } from './street.ts'
import { startTimeAuthority } from './time-authority.ts'
import { startFacilitators } from './two-facilitators.ts'
import { startUpstreams, type Upstreams } from './upstreams.ts'

export interface Sandbox extends Running {
  service: Service
  /** What it sells. */
  origins: readonly OpenOrigin[]
  chains: readonly PlayChain[]
  upstreams: Upstreams
  publicWeb: SandboxWeb
  folder: string
  logUrl: string
}

/** A visitor of the sandbox does not want to wait for a quarter of an hour. */
const hurry = [given(watchRhythm, { everyMs: 5_000, againMs: 1_000 })]

export async function startSandbox(
  env: Readonly<Record<string, string | undefined>>,
  options: Parameters<typeof startUpstreams>[2] = {},
): Promise<Sandbox> {
  const wanted = wishes(env)
  const folder = sandboxFolder(env)
  mkdirSync(folder, { recursive: true })
  const lifecycle = new Lifecycle(() => {})
  const [bank, polls] = [new PlayBank(folder), new OutOfTurn()]
  try {
    const [{ chains }, upstreams] = await Promise.all([
      lifecycle.run('a play-money chain', () => openChains(wanted.NETWORKS)),
      lifecycle.open(
        'upstreams',
        () =>
          startUpstreams(wanted.upstreams, env, { published: answer => bank.published(answer), ...options }),
        opened => opened.close(),
      ),
    ])
    const facilitators = await lifecycle.open(
      'facilitators',
      () => startFacilitators(chains),
      opened => opened.close(),
    )
    const timeAuthority = await openTimeAuthority(folder, lifecycle)
    const config = sandboxConfig(env, {
      chains,
      upstreams,
      facilitatorUrls: facilitators.urls,
      refundRules: leaveRule(folder),
      timeAuthority,
    })
    const { publicWeb, street } = await openPlaces(folder, lifecycle)
    const service = await lifecycle.run('the service', () =>
      startService(config, {
        ...{ samples: upstreams.samples, checkAnswers: true, play: playPayment(chains), publicWeb },
        given: [...hurry, given(readChains, chainsOf(chains, env)), given(outOfTurn, polls)],
      }),
    )
    publicWeb.place('farebox.sample', Number(new URL(service.url).port))
    street.supply(service.url)
    const isSample = upstreams.samples.has(ecbUpstream.variable)
    const { url: bankUrl } = await lifecycle.open(
      'bank',
      () => bank.control(polls, isSample),
      opened => opened.close(),
    )
    await lifecycle.open(
      'note',
      () =>
        leaveNote(folder, {
          ...{ url: service.url, logUrl: config.LOG_URL, wallet: payerKeys },
          chains: chains.map(({ network, rpcUrl }) => ({ network, rpcUrl })),
          ...{ street: street.url, facilitators: facilitators.control, bank: bankUrl },
        }),
      () => removeNote(folder),
    )
    return {
      ...{ service, chains, upstreams, publicWeb, folder },
      origins: sold(config),
      logUrl: config.LOG_URL,
      ended: lifecycle.ended,
      close: () => lifecycle.close(),
    }
  } catch (error) {
    await lifecycle.close()
    throw error
  }
}

const openTimeAuthority = (folder: string, lifecycle: Lifecycle) =>
  lifecycle.open(
    'time-stamp authority',
    () => startTimeAuthority(folder),
    opened => opened.close(),
  )

async function openChains(networks: Parameters<typeof startChains>[0]) {
  const chains = await startChains(networks)
  await layMarkets(chains)
  return { chains, ...together(chains) }
}

/** The web of the sandbox: sites to read and sites that sell. Nobody else can reach them. */
async function openPlaces(folder: string, lifecycle: Lifecycle) {
  const publicWeb = openPublicWeb()
  await lifecycle.open(
    'secure site',
    () => startSecureSite(publicWeb),
    opened => opened.close(),
  )
  await lifecycle.open(
    'sample site',
    () => startSampleSite(publicWeb),
    opened => opened.close(),
  )
  const street = await lifecycle.open(
    'street',
    () => openStreet(publicWeb, folder),
    opened => opened.close(),
  )
  return { publicWeb, street }
}
