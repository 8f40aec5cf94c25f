/** Composes the service: opens its parts in order and closes them in reverse. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import manifest from '../package.json' with { type: 'json' }
import { UpstreamFailed } from '../pipelines/failures.ts'
import { openLog } from '../pipelines/log/open.ts'
import { createOutside } from '../pipelines/outside/open.ts'
import { type PublicWeb, publicFetch } from '../pipelines/public-fetch/visit.ts'
import type { Running } from '../pipelines/running.ts'
import { sources } from '../pipelines/sources/index.ts'
import { tellLimit } from '../pipelines/sources/runner.ts'
import { openTracing, type TracingOptions } from '../pipelines/tracing.ts'
import type { Rhythm } from '../pipelines/watching/rounds.ts'
import { Seal } from '../pipelines/watching/seal.ts'
import type { Watch } from '../pipelines/watching/watch.ts'
import { datasets } from '../schemas/index.ts'
import { networks } from '../schemas/networks.ts'
import { type Config, ConfigError, saleConfig, sold, urlOf } from './config.ts'
import { healthOf, healthPages, type Parts } from './health.ts'
import { hostsOnly } from './hosts-only.ts'
import { Lifecycle } from './lifecycle.ts'
import { lineagePage } from './lineage-page.ts'
import { marketPage } from './market-page.ts'
import type { Play } from './query/catalog/offered.ts'
import { catalogPages } from './query/catalog/pages.ts'
import { priceList, serviceInfo } from './query/catalog/texts.ts'
import { mcpPath } from './query/mcp/endpoint.ts'
import { type App, buildServer } from './query/server.ts'
import { withReceipts } from './query/signing/routes.ts'
import { attestConfig } from './roles/attesting.ts'
import { blobsOf } from './roles/blobs.ts'
import type { Process } from './roles/process.ts'
import { openQuery } from './roles/query.ts'
import { storeOf } from './roles/store.ts'
import { startThings } from './roles/things.ts'
import { openWorkers } from './roles/workers.ts'
import { statusPage } from './status-page.ts'

/** `ended` rejects when a part has failed for good. Nothing uncommitted is lost, and the process should end. */
export interface Service extends Running {
  url: string
  /** Where analysts connect, when this process runs the store. */
  store: { http: string; tcp?: string | undefined } | undefined
}

export interface ServiceOptions {
  /** The variables of the upstreams that a bundled sample replaces. Answers and /health say so. */
  samples?: ReadonlySet<string>
  /** Whether bulk downloads, of gigabytes, may start. */
  bulk?: boolean
  /** Checks each answer against its response schema. Production does not. */
  checkAnswers?: boolean
  /** Pages try operations with it. Only play money may be paid so. */
  play?: Play
  /** What stands in for the public web. Absent: the public web itself. */
  publicWeb?: PublicWeb
  /** How often watched endpoints are checked. */
  watchRhythm?: Rhythm
  /** A seller that stops still sells for this time, while it says that it is not ready, so that every balancer hears it. */
  leavingMs?: number
  now?: () => number
}

export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const {
    samples = new Set<string>(),
    bulk = false,
    checkAnswers = false,
    play,
    publicWeb,
    watchRhythm,
    leavingMs = 0,
    now = Date.now,
  } = options
  const sale = config.ROLES.includes('query') ? saleConfig(config) : undefined
  const attest = attestConfig(config)
  const logger = pino({ level: config.LOG_LEVEL, base: null, hooks: { streamWrite: hostsOnly } })
  // A failure of an upstream needs only its message. An error of ours needs its stack.
  const warn = (part: string) => (name: string, error: unknown) =>
    error instanceof UpstreamFailed
      ? logger.warn({ part, name }, error.message)
      : logger.warn({ part, name, err: error }, 'failed')
  const lifecycle = new Lifecycle(warn('stop'))

  try {
    mkdirSync(config.DATA_DIR, { recursive: true })
    if (config.OTEL_EXPORTER_OTLP_ENDPOINT)
      await lifecycle.run('traces', () => openTracing(tracesOf(config, warn('traces'))))
    const log = await lifecycle.open(
      'log',
      () =>
        openLog(config.LOG_URL, {
          topics: datasets.map(({ topic }) => topic),
          onError: error => warn('log')('log', error),
        }),
      opened => opened.close(),
    )
    const parts: Parts = { roles: config.ROLES, now, log, samples, groups: [], isLeaving: false }
    // Every instance sets these limits, so that the alert also fires when no ingest role runs.
    for (const source of sources) if (bulk || !source.bulk) tellLimit(source)
    const tell = (line: string) => logger.info(line)
    const outside = createOutside({
      at: config.upstreams,
      shares: config.shares,
      contact: config.CONTACT,
      now,
    })
    const userAgent = `Farebox/${manifest.version} (+${config.CONTACT})`
    const web = { userAgent, ...publicWeb }
    const visits = publicFetch(web)
    const blobs = blobsOf({ config, lifecycle, now, warn })
    const watch = watchOf(config, watchRhythm)
    const given = { config, lifecycle, log, now, outside, samples, bulk, warn, tell, parts }
    const rails = { ...given, visits, web, blobs, attest, watch }
    const process: Process = { ...rails, store: await storeOf(rails) }
    const duties = await openWorkers(process)
    const counter = sale && { ...(await openQuery(process, sale)), checkAnswers }
    const seal = watch?.seal
    if (counter && seal)
      await lifecycle.run('watched answers', () =>
        duties.alone('answers', own =>
          startThings({
            log: own.log,
            tools: counter.tools,
            seal,
            now,
            onFailed: error => warn('watch')('answer', error),
          }),
        ),
      )
    const told = {
      contact: config.CONTACT,
      paidOn: paidOn(config),
      requestsAMinute: config.RATE_LIMIT,
      mcpUrl: `${config.MCP_URL}${mcpPath}`,
      play,
    }

    const app = buildServer({
      origins: counter ? withReceipts(sold(config), counter.signer) : [],
      pages: [
        ...healthPages(parts),
        ...(counter
          ? [
              ...catalogPages(told, [
                marketPage(counter.tools, config.CONTACT),
                statusPage(parts, config.CONTACT),
                lineagePage(config.CONTACT),
              ]),
            ]
          : []),
      ],
      counter,
      mcp: counter && {
        selling: counter,
        catalog: origins => priceList(origins, told),
        info: async origins => ({ ...serviceInfo(origins, told), health: await healthOf(parts, origins) }),
      },
      trustProxy: config.TRUST_PROXY,
      logger,
    })
    const url = await lifecycle.open(
      'server',
      () => listen(app, config),
      async () => {
        parts.isLeaving = true
        if (sale && leavingMs) await sleep(leavingMs)
        await app.close()
      },
    )
    return { url, store: parts.store?.address, ended: lifecycle.ended, close: () => lifecycle.close() }
  } catch (error) {
    await lifecycle.close().catch(() => {})
    throw error
  }
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

const paidOn = ({ NETWORKS }: Config): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(NETWORKS.map(name => networks[name].title))

async function listen(app: App, { HOST, PORT }: Config): Promise<string> {
  try {
    await app.listen({ host: HOST, port: PORT })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new ConfigError(`PORT is ${PORT}; it should be a free port: another program listens there`)
  }
  const { port } = app.server.address() as AddressInfo
  return urlOf(HOST, port)
}
