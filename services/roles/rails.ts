/** Opens the base of every role: traces, log, blobs, store, duties, and the ways to the outside. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import manifest from '../../package.json' with { type: 'json' }
import { openDuties } from '../../pipelines/rails/duties/duties.ts'
import type { Log } from '../../pipelines/rails/log/log.ts'
import { openLog, placeOf } from '../../pipelines/rails/log/open-log.ts'
import { announce } from '../../pipelines/rails/log/schema-book.ts'
import { openGuestLog } from '../../pipelines/rails/log/sqlite-guest.ts'
import { logVariables } from '../../pipelines/rails/log/variables.ts'
import { calls } from '../../pipelines/rails/outside/calls.ts'
import { type PublicWeb, publicFetch } from '../../pipelines/rails/outside/fetching/visit.ts'
import { createOutside } from '../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Given } from '../../pipelines/rails/process.ts'
import { telling } from '../../pipelines/rails/telling.ts'
import { openTracing } from '../../pipelines/rails/tracing/tracing.ts'
import { tracingVariables } from '../../pipelines/rails/tracing/variables.ts'
import { sources } from '../../pipelines/sources/index.ts'
import { tellLimit } from '../../pipelines/sources/runner.ts'
import { callCounts } from '../../schemas/call-counts.ts'
import { datasetSchemas } from '../../schemas/dataset-schemas.ts'
import { datasets } from '../../schemas/index.ts'
import { type Config, sold } from '../config/config.ts'
import { blobsOf } from './blobs.ts'
import type { HealthParts } from './health.ts'
import { ownLog } from './own-log.ts'
import { Payees } from './payees.ts'
import { opening, ownedBy, type RoleProcess } from './process.ts'
import { rightsOf, topicsOf } from './rights.ts'
import { storeOf } from './store.ts'

export interface RailsOptions {
  /** The variables of the upstreams that a bundled sample replaces. Answers and /health name them. */
  samples?: ReadonlySet<string>
  /** May bulk downloads of gigabytes start? */
  bulk?: boolean
  /** The replacement of the public web. Absent: the real web. */
  publicWeb?: PublicWeb
  /** Parts that replace the process's own. */
  given?: readonly Given[]
  now?: () => number
}

type Ground = Pick<RoleProcess, 'lifecycle' | 'warn' | 'tell'>

export async function openRails(config: Config, options: RailsOptions, ground: Ground): Promise<RoleProcess> {
  const { samples = new Set<string>(), bulk = false, publicWeb, given = [], now = Date.now } = options
  const { lifecycle, warn } = ground
  mkdirSync(config.DATA_DIR, { recursive: true })
  await openTraces(config, ground)
  const log = await openOwnLog(config, ground, now)
  await announceSchemas(config, { log, ground, now })
  const parts: HealthParts = { roles: config.ROLES, now, log, samples, groups: [], isLeaving: false }
  // Every instance sets these limits, so that the alert fires even if no ingest role runs.
  for (const source of sources) if (bulk || !source.bulk) tellLimit(source)
  await tellCalls(config, { log, ground, now })
  const outside = createOutside({ at: config.upstreams, shares: config.shares, contact: config.CONTACT, now })
  const web = { userAgent: `Farebox/${manifest.version} (+${config.CONTACT})`, ...publicWeb }
  const rails = { ...ground, config, now, parts }
  const store = await storeOf(rails)
  const duties = await lifecycle.run('duties', () => openDuties({ log, outside, onFailed: warn('duty') }))
  const named = new Payees(now)
  const process: RoleProcess = {
    ...rails,
    ...{ log, store, outside, samples, bulk, web },
    ...{ dataDir: config.DATA_DIR, addressOf: config.addressOf },
    visits: publicFetch(web),
    ...blobsOf(rails),
    alone: (duty, open) => duties.alone(duty, open),
    ask: () => Promise.reject(new Error(`the roles ${config.ROLES.join(',')} ask for nothing`)),
    isSample: ({ variable }) => samples.has(variable),
    sold: sold(config).flatMap(({ name, operations }) =>
      operations.map(({ id }) => ({ origin: name, operation: id })),
    ),
    onFailed: warn('process'),
    named,
    payees: () => named.list(),
    read: config.read,
    use: opening(lifecycle, part => ownedBy(process, part), given),
  }
  return process
}

async function openTraces(config: Config, { lifecycle, warn }: Ground): Promise<void> {
  const found = config.read(tracingVariables)
  if (!found) return
  const { service, ...options } = found
  const resource = {
    'service.name': service,
    'service.version': manifest.version,
    'service.instance.id': randomUUID(),
    'farebox.roles': config.ROLES.join(','),
  }
  const onError = (error: unknown) => warn('traces')('collector', error)
  await lifecycle.run('traces', () => openTracing({ ...options, resource, onError }))
}

/** What upstreams and nodes were asked. They may be paid by the call. */
async function tellCalls(
  { ROLES }: Config,
  { log, ground: { lifecycle, warn }, now }: { log: Log; ground: Ground; now: () => number },
): Promise<void> {
  if (!ROLES.some(role => rightsOf[role].writes.includes(callCounts.topic))) return
  const onFailed = (error: unknown) => warn('calls')('counts', error)
  await lifecycle.run('calls', () => telling(callCounts, calls, { log, now, onFailed }))
}

/** Only of what this process writes. It may run without the book: then an operator is told so. */
async function announceSchemas(
  { ROLES }: Config,
  { log, ground: { tell, warn }, now }: { log: Log; ground: Ground; now: () => number },
): Promise<void> {
  const written = new Set(ROLES.flatMap(role => rightsOf[role].writes.map(({ name }) => name)))
  if (!written.has(datasetSchemas.topic.name)) return
  const own = datasets.filter(({ topic }) => written.has(topic.name))
  await announce(own, { log, now, tell }).catch(error => warn('log')(datasetSchemas.topic.name, error))
}

async function openOwnLog(config: Config, { lifecycle, warn }: Ground, now: () => number) {
  const onError = (error: unknown) => warn('log')('log', error)
  const at = config.read(logVariables)
  const { file } = placeOf(at)
  // A log of one file belongs to the service, and the canary is no part of it.
  const opened = await lifecycle.use('log', () =>
    file && config.ROLES.includes('canary')
      ? openGuestLog(file)
      : openLog(at, { topics: topicsOf(config.ROLES), onError }),
  )
  return ownLog(opened, config.ROLES, { now, onError })
}
