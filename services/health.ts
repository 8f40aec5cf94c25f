/** Shows whether the process is live, whether it is ready, and the state of each part. */
import type { Log } from '../pipelines/log/log.ts'
import type { Finder } from '../pipelines/lookups/runner.ts'
import { metrics, registry } from '../pipelines/metrics.ts'
import type { Store } from '../pipelines/store/store.ts'
import type { Topic } from '../schemas/dataset.ts'
import { sourceNow } from '../schemas/source-ticks.ts'
import type { Role } from './environment.ts'
import type { OpenOrigin, Page } from './origin.ts'
import type { Shelf } from './query/shelf.ts'
import type { Till } from './till/till.ts'

export interface Parts {
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
}

export async function healthOf(
  { roles, now, store, shelf, finder, till, samples }: Parts,
  origins: readonly OpenOrigin[],
) {
  const ticks = shelf ? [...shelf.peek(sourceNow).rows()] : []
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
  return {
    live: true,
    ready: roles.includes('query') ? shelf?.ready === true && tillClosed === undefined : storeUp !== false,
    roles,
    ...(origins.length && { origins: Object.fromEntries(origins.map(advertised)) }),
    ...(till && { till: tillClosed ?? 'open' }),
    ...(storeUp !== undefined && { store: storeUp ? 'up' : 'down' }),
    sources,
    ...(finder && { lookups: finder.ready() }),
    ...(samples.size && { bundled_samples_not_live: [...samples] }),
  }
}

const advertised = ({ name, version, url, operations }: OpenOrigin) => [
  name,
  { version, url, prices_usdc: Object.fromEntries(operations.map(({ path, price }) => [path, price])) },
]

const json = 'application/json; charset=utf-8'

export const healthPages = (parts: Parts): Page[] => [
  {
    path: '/health',
    answer: async ({ origins }) => ({ type: json, body: JSON.stringify(await healthOf(parts, origins)) }),
  },
  {
    path: '/health/ready',
    answer: async ({ origins }) => {
      const { ready } = await healthOf(parts, origins)
      return { status: ready ? 200 : 503, type: json, body: JSON.stringify({ ready }) }
    },
  },
  {
    path: '/metrics',
    answer: async () => {
      await askStore(parts.store)
      await Promise.all(parts.groups.map(({ topic, group }) => measureLag(parts.log, topic, group)))
      return { type: registry.contentType, body: await registry.metrics() }
    },
  },
]

async function askStore(store: Store | undefined): Promise<boolean | undefined> {
  const up = await store?.ping()
  if (up !== undefined) metrics.storeUp.set(up ? 1 : 0)
  return up
}

async function measureLag(log: Log, topic: Topic, group: string): Promise<void> {
  try {
    metrics.logLag.set({ topic: topic.name, group }, await log.lag(topic, group))
  } catch {
    // A log that is down cannot tell the lag. The rest of the page is still valid.
    metrics.logLag.remove({ topic: topic.name, group })
  }
}
