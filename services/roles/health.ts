/** Shows whether the process lives, whether it is ready, and the state of each part. */

import type { Finder } from '../../pipelines/lookups/runner.ts'
import type { Role } from '../../pipelines/rails/environment/roles.ts'
import { type Log, totalOf } from '../../pipelines/rails/log/log.ts'
import { metrics, metricsPage, registry } from '../../pipelines/rails/metrics.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { sourceNow } from '../../schemas/source-ticks.ts'
import { number } from '../offer/answer.ts'
import type { OpenOrigin, ServedPage } from '../offer/origin.ts'
import type { Shelf } from '../query/shelf.ts'
import type { Till } from '../till/till.ts'
import { Lateness } from './lateness.ts'
import { inTime } from './patience.ts'

export interface HealthParts {
  roles: readonly Role[]
  now: () => number
  log: Log
  store?: Store
  shelf?: Shelf
  finder?: Finder
  till?: Till
  /** The variables of the upstreams that a bundled sample replaces. */
  samples: ReadonlySet<string>
  /** The consumer groups of this process. */
  groups: { topic: Topic; group: string }[]
  /** True while the process stops. It finishes the calls in hand. */
  isLeaving: boolean
}

export async function healthOf(parts: HealthParts, origins: readonly OpenOrigin[]) {
  const { roles, now, store, shelf, finder, till, samples } = parts
  const ticks = shelf ? [...shelf.peek(sourceNow)] : []
  const sources = Object.fromEntries(
    ticks.map(({ source, at, outcome, good_at, error }) => [
      source,
      {
        last_poll: at,
        outcome,
        last_good_poll: good_at,
        age_seconds: good_at === null ? null : Math.max(0, Math.round((now() - Date.parse(good_at)) / 1000)),
        error,
      },
    ]),
  )
  const storeUp = await askStore(store)
  const tillClosed = till?.closed()
  const ready = isReady(parts, storeUp)
  return {
    status: ready ? 'ok' : 'not_ready',
    live: true,
    ready,
    uptime_seconds: Math.floor(process.uptime()),
    roles,
    ...promised(origins),
    ...(till && { till: tillClosed ?? 'open' }),
    ...(storeUp !== undefined && { store: storeUp ? 'up' : 'down' }),
    sources,
    ...(finder && { lookups: finder.ready() }),
    ...(samples.size && { bundled_samples_not_live: [...samples] }),
  }
}

/** Selling works from memory, so the state of the store does not count for a seller. */
const sells = ({ roles }: HealthParts): boolean => roles.includes('query')

function isReady(parts: HealthParts, storeUp: boolean | undefined): boolean {
  const { shelf, till, isLeaving } = parts
  const works = sells(parts) ? shelf?.ready === true && till?.closed() === undefined : storeUp !== false
  return works && !isLeaving
}

/** Prices and promises of the requested host: of each origin, and of all together. */
function promised(origins: readonly OpenOrigin[]) {
  const [first] = origins
  if (!first) return {}
  const operations = origins.flatMap(origin => origin.operations)
  return {
    version: first.version,
    prices: Object.fromEntries(operations.map(({ path, price }) => [path, number(price)])),
    guarantees: [...new Set(origins.flatMap(({ guarantees = [] }) => guarantees))],
    origins: Object.fromEntries(origins.map(advertised)),
  }
}

const advertised = ({ name, version, url, operations }: OpenOrigin) => [
  name,
  { version, url, prices_usdc: Object.fromEntries(operations.map(({ path, price }) => [path, price])) },
]

const json = 'application/json; charset=utf-8'
const lateness = new Lateness()

export const healthPages = (parts: HealthParts): ServedPage[] => [
  {
    path: '/health',
    isProbe: true,
    answer: async ({ origins }) => ({ type: json, body: JSON.stringify(await healthOf(parts, origins)) }),
  },
  {
    path: '/health/ready',
    isProbe: true,
    answer: async () => {
      const ready = isReady(parts, sells(parts) ? undefined : await askStore(parts.store))
      return { status: ready ? 200 : 503, type: json, body: JSON.stringify({ ready }) }
    },
  },
  {
    path: '/metrics',
    isProbe: true,
    answer: recently(async () => {
      await askStore(parts.store)
      await Promise.all(parts.groups.map(({ topic, group }) => measureLag(parts.log, topic, group)))
      return { type: registry.contentType, body: await metricsPage() }
    }),
  },
]

/** Store, log and series are asked four times a second at most, whatever the number of callers. */
const recentMs = 250

function recently<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined
  let endsAt = 0
  return () => {
    if (last && performance.now() < endsAt) return last
    const begun = work().finally(() => {
      endsAt = performance.now() + recentMs
    })
    endsAt = Number.POSITIVE_INFINITY
    last = begun
    return begun
  }
}

const asking = new WeakMap<Store, () => Promise<boolean>>()

async function askStore(store: Store | undefined): Promise<boolean | undefined> {
  if (!store) return undefined
  const ask = asking.get(store) ?? recently(() => inTime(store.ping()).catch(() => false))
  asking.set(store, ask)
  const up = await ask()
  metrics.storeUp.set(up ? 1 : 0)
  return up
}

/** Those of each topic that a page has shown. */
const partitions = new Map<string, readonly number[]>()

async function measureLag(log: Log, topic: Topic, group: string): Promise<void> {
  const labels = { topic: topic.name, group }
  try {
    const [lags, end] = await inTime(Promise.all([log.lags(topic, group), log.end(topic)]))
    const lag = totalOf(lags)
    metrics.logLag.set(labels, lag)
    metrics.logLate.set(labels, lateness.measure(`${group} ${topic.name}`, lag, end) / 1000)
    if (lags.size < 2) return
    partitions.set(topic.name, [...lags.keys()])
    for (const [partition, of] of lags) metrics.logLagPartition.set({ ...labels, partition }, of)
  } catch {
    // The lag is unknown while the log is down. The rest of the page is still valid.
    metrics.logLag.remove(labels)
    for (const partition of partitions.get(topic.name) ?? [])
      metrics.logLagPartition.remove({ ...labels, partition })
    metrics.logLate.remove(labels)
  }
}
