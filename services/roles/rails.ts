/** Opens what every role stands on: traces, log, blobs, store, and the ways to the outside. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import manifest from '../../package.json' with { type: 'json' }
import type { Rhythm } from '../../pipelines/domains/watch/rounds.ts'
import { Seal } from '../../pipelines/domains/watch/seal.ts'
import type { Watch } from '../../pipelines/domains/watch/watch.ts'
import { openLog } from '../../pipelines/rails/log/open.ts'
import { type PublicWeb, publicFetch } from '../../pipelines/rails/outside/fetching/visit.ts'
import { createOutside } from '../../pipelines/rails/outside/upstreams/open.ts'
import { openTracing, type TracingOptions } from '../../pipelines/rails/tracing/tracing.ts'
import { sources } from '../../pipelines/sources/index.ts'
import { tellLimit } from '../../pipelines/sources/runner.ts'
import type { Config } from '../config/config.ts'
import { logPlace } from '../config/log-place.ts'
import { attestConfig } from './attesting.ts'
import { blobsOf } from './blobs.ts'
import type { Parts } from './health.ts'
import { ownLog } from './own-log.ts'
import type { Process } from './process.ts'
import { topicsOf } from './rights.ts'
import { storeOf } from './store.ts'

export interface RailsOptions {
  /** The variables of the upstreams that a bundled sample replaces. Answers and /health say so. */
  samples?: ReadonlySet<string>
  /** Whether bulk downloads, of gigabytes, may start. */
  bulk?: boolean
  /** What stands in for the public web. Absent: the public web itself. */
  publicWeb?: PublicWeb
  /** How often watched endpoints are checked. */
  watchRhythm?: Rhythm
  now?: () => number
}

export async function openRails(
  config: Config,
  options: RailsOptions,
  given: Pick<Process, 'lifecycle' | 'warn' | 'tell'>,
): Promise<Process> {
  const { samples = new Set<string>(), bulk = false, publicWeb, watchRhythm, now = Date.now } = options
  const { lifecycle, warn } = given
  const attest = attestConfig(config)
  const place = logPlace(config)
  mkdirSync(config.DATA_DIR, { recursive: true })
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT)
    await lifecycle.run('traces', () => openTracing(tracesOf(config, warn('traces'))))
  const opened = await lifecycle.open(
    'log',
    () =>
      openLog(place, {
        topics: topicsOf(config.ROLES),
        onError: error => warn('log')('log', error),
      }),
    opened => opened.close(),
  )
  const log = ownLog(opened, config.ROLES, { now, onError: error => warn('log')('log', error) })
  const parts: Parts = { roles: config.ROLES, now, log, samples, groups: [], isLeaving: false }
  // Every instance sets these limits, so that the alert also fires when no ingest role runs.
  for (const source of sources) if (bulk || !source.bulk) tellLimit(source)
  const outside = createOutside({ at: config.upstreams, shares: config.shares, contact: config.CONTACT, now })
  const web = { userAgent: `Farebox/${manifest.version} (+${config.CONTACT})`, ...publicWeb }
  const rails = {
    ...given,
    ...{ config, log, now, outside, samples, bulk, parts, web, attest },
    visits: publicFetch(web),
    ...blobsOf({ config, lifecycle, now, warn }),
    watch: watchOf(config, watchRhythm),
  }
  return { ...rails, store: await storeOf(rails) }
}

function watchOf({ WEIGH_KEY, origins, PUBLIC_URL }: Config, rhythm: Rhythm | undefined): Watch | undefined {
  const [first, ...former] = WEIGH_KEY ?? []
  const origin = origins.find(({ name }) => name === 'watch')?.url ?? PUBLIC_URL
  return first === undefined ? undefined : { seal: new Seal([first, ...former]), origin, rhythm }
}

const tracesOf = (config: Config, warn: (name: string, error: unknown) => void): TracingOptions => ({
  url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
  headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
  resource: {
    'service.name': config.OTEL_SERVICE_NAME,
    'service.version': manifest.version,
    'service.instance.id': randomUUID(),
    'farebox.roles': config.ROLES.join(','),
  },
  sampler: { name: config.OTEL_TRACES_SAMPLER, ratio: config.OTEL_TRACES_SAMPLER_ARG },
  onError: error => warn('collector', error),
})
