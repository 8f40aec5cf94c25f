/** The four roles, each opened into the lifecycle it is given: what a process runs is a list of these. */
import type { Log } from '../pipelines/log/log.ts'
import { lookups } from '../pipelines/lookups/index.ts'
import { startLookups } from '../pipelines/lookups/runner.ts'
import { startMarket } from '../pipelines/market/weekly.ts'
import { startMeter } from '../pipelines/meter.ts'
import type { Outside, UpstreamName } from '../pipelines/outside.ts'
import { startSink } from '../pipelines/sink.ts'
import { sources } from '../pipelines/sources/index.ts'
import { startSources } from '../pipelines/sources/runner.ts'
import { startRequestQueue } from '../pipelines/sources/sec/queue.ts'
import { openStore } from '../pipelines/store/open.ts'
import type { Store } from '../pipelines/store/store.ts'
import { datasets } from '../schemas/index.ts'
import { secRequests } from '../schemas/sec-requests.ts'
import { settlements } from '../schemas/settlements.ts'
import { openChains } from './chains.ts'
import type { Config, SaleConfig } from './config.ts'
import type { Parts } from './health.ts'
import type { Lifecycle } from './lifecycle.ts'
import { openAsking } from './query/asking.ts'
import { Callers } from './query/callers.ts'
import { LookedUp } from './query/looked-up.ts'
import { operations } from './query/operations/index.ts'
import type { Counter } from './query/paywall.ts'
import { Shelf } from './query/shelf.ts'
import { openTill } from './till/till.ts'

export interface Process {
  config: Config
  lifecycle: Lifecycle
  log: Log
  now: () => number
  outside: (signal: AbortSignal) => Outside
  samples: ReadonlySet<UpstreamName>
  /** Bulk downloads may be started. */
  bulk: boolean
  warn: (part: string) => (name: string, error: unknown) => void
  /** Ends the process when what it is given can no longer go on. */
  guard: <T extends { ended: Promise<unknown> }>(part: T) => T
  parts: Parts
}

const stop = (opened: { stop(): Promise<void> }) => opened.stop()
const close = (opened: { close(): Promise<void> }) => opened.close()

export async function openIngest({
  config,
  lifecycle,
  log,
  outside,
  now,
  warn,
  guard,
  parts,
  bulk,
}: Process): Promise<void> {
  await lifecycle.open(
    'request queue',
    async () => guard(await startRequestQueue({ log, outside, now, onFailed: warn('request') })),
    close,
  )
  parts.groups.push({ topic: secRequests.topic, group: 'sec_requests' })
  const chains = guard(await lifecycle.open('chains', () => openChains(config, log), close))
  await lifecycle.open(
    'sources',
    () =>
      startSources(
        sources.filter(source => bulk || !source.bulk),
        { log, outside: signal => ({ ...outside(signal), chains }), now, onFailed: warn('source') },
      ),
    stop,
  )
  const store = await storeAtHand({ config, lifecycle, warn, parts })
  await lifecycle.open(
    'market',
    () =>
      startMarket({
        log,
        store,
        now,
        onFailed: error => warn('market')('build', error),
        onHeldBack: reasons => warn('market')('build', new Error(`held back: ${reasons.join('; ')}`)),
      }),
    stop,
  )
}

export async function openSink({ config, lifecycle, log, now, warn, guard, parts }: Process): Promise<void> {
  const store = await lifecycle.open('store', () => openedStore(config, warn), close)
  await store.apply(datasets)
  parts.store = store
  for (const dataset of datasets.filter(({ audience }) => audience !== 'log')) {
    const onProblem = (error: unknown) => warn('sink')(dataset.name, error)
    await lifecycle.open(
      `sink of ${dataset.name}`,
      async () => guard(await startSink({ log, store, dataset, now, onProblem })),
      close,
    )
    parts.groups.push({ topic: dataset.topic, group: 'sink' })
  }
}

const openedStore = (config: Config, warn: Process['warn']): Promise<Store> =>
  openStore(config.STORE_URL, {
    httpPort: config.STORE_PORT,
    tcpPort: config.STORE_TCP_PORT,
    onProblem: warn('store'),
  })

/** That of this process; or opened when first looked into, for what is held sells without it. */
async function storeAtHand({
  config,
  lifecycle,
  warn,
  parts,
}: Pick<Process, 'config' | 'lifecycle' | 'warn' | 'parts'>): Promise<() => Promise<Store>> {
  const { store } = parts
  if (store) return async () => store
  let opening: Promise<Store> | undefined
  const open = async () => {
    const store = await openedStore(config, warn)
    await store.apply(datasets)
    return store
  }
  await lifecycle.open(
    'store looked into',
    () => {},
    async () => (await opening?.catch(() => undefined))?.close(),
  )
  return () => {
    opening ??= open().catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }
}

export async function openMeter({ lifecycle, log, guard, parts }: Process): Promise<void> {
  await lifecycle.open('meter', async () => guard(await startMeter(log)), close)
  parts.groups.push({ topic: settlements.topic, group: 'meter' })
}

export async function openQuery(process: Process, { facilitatorUrl, payTo }: SaleConfig): Promise<Counter> {
  const { config, lifecycle, log, outside, now, samples, warn, guard, parts } = process
  const shelf = new Shelf(now)
  await lifecycle.open(
    'shelf',
    () => shelf.stock(log, datasets),
    () => shelf.close(),
  )
  const lookedUp = new LookedUp({ store: await storeAtHand(process), log, now })
  await lifecycle.open(
    'looked-up views',
    () => lookedUp.follow(datasets),
    () => lookedUp.close(),
  )
  guard(lookedUp)
  const asking = await lifecycle.open('requests', () => openAsking(log, lookedUp, now), close)
  guard(asking)
  const finder = await lifecycle.open(
    'lookups',
    () =>
      startLookups(lookups, {
        outside: signal => ({ ...outside(signal), ask: asking.ask }),
        now,
        log,
        onFailed: warn('lookup'),
      }),
    stop,
  )
  const till = await lifecycle.open(
    'till',
    () =>
      openTill({
        operations,
        log,
        now,
        config: {
          facilitatorUrl,
          facilitatorToken: config.FACILITATOR_TOKEN,
          payTo,
          publicUrl: config.PUBLIC_URL,
          baseRpcUrls: config.BASE_RPC_URL,
          solanaRpcUrls: config.SOLANA_RPC_URL,
          cdpKey: cdpKeyOf(config),
        },
        // One process owns an SQLite log, so it is the same instance at every start and takes its leases up again.
        ...(config.LOG_URL.startsWith('sqlite:') && { instance: 'sqlite' }),
        onError: error => warn('till')('till', error),
      }),
    close,
  )
  Object.assign(parts, { shelf: guard(shelf), finder: guard(finder), till: guard(till) })
  return {
    till,
    callers: new Callers(config.RATE_LIMIT, now),
    tools: {
      now,
      view: (view, asked) => shelf.view(view, asked),
      look: (view, ...key) => lookedUp.first(view, ...key),
      lookAll: (view, ...key) => lookedUp.all(view, ...key),
      find: (lookup, key) => finder.find(lookup, key),
      ownHost: new URL(config.PUBLIC_URL).hostname.replace(/^www\./, ''),
      credit: (upstream, text) => (samples.has(upstream) ? `${text} (bundled sample, not live)` : text),
    },
  }
}

const cdpKeyOf = ({ CDP_API_KEY_ID: id, CDP_API_KEY_SECRET: secret }: Config) =>
  id && secret ? { id, secret } : undefined
