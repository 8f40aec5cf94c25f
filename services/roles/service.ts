/** Composes the service: opens its parts in order and closes them in reverse. */
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import { UpstreamFailed } from '../../pipelines/rails/failures.ts'
import type { Running } from '../../pipelines/rails/running.ts'
import { paysBack, refundVariables } from '../../pipelines/workers/refunds/variables.ts'
import { canaryVariables } from '../canary/variables.ts'
import { checkPlaces } from '../config/blobs-place.ts'
import { type Config, checkParts, saleConfig, urlOf } from '../config/config.ts'
import { hostsOnly } from '../config/hosts-only.ts'
import { checkPayees, ownNamed, paysFees, type SettleConfig, settleConfig } from '../config/settle-config.ts'
import { payeesOf } from '../offer/payees.ts'
import { Tariff } from '../offer/tariff.ts'
import type { Play } from '../query/catalog/offered.ts'
import { type App, buildServer } from '../query/server.ts'
import { openCanary } from './canary.ts'
import { Lifecycle } from './lifecycle.ts'
import type { Payees } from './payees.ts'
import { PriceReader } from './price-reader.ts'
import type { RoleProcess } from './process.ts'
import { openQuery } from './query.ts'
import { openRails, type RailsOptions } from './rails.ts'
import { openSettling } from './settle.ts'
import { storefront } from './storefront.ts'
import { openWorkers } from './workers.ts'

/** `ended` rejects when a part has failed for good. Then the process should end. No uncommitted work is lost. */
export interface Service extends Running {
  url: string
  /** The address for analysts, if this process runs the store. */
  store: { http: string; tcp?: string | undefined } | undefined
}

interface ServiceOptions extends RailsOptions {
  /** Checks each answer against its response schema. Production does not. */
  checkAnswers?: boolean
  /** The payment for pages that try operations. It must pay with play money only. */
  play?: Play
  /** A stopping seller sells for this time and reports that it is not ready, so that every balancer notices. */
  leavingMs?: number
}

export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { leavingMs = 0 } = options
  checkParts(config)
  const sale = config.ROLES.includes('query') ? saleConfig(config) : undefined
  const settling = settleConfig(config)
  const canary = config.read(canaryVariables)
  checkPlaces(config)
  const logger = pino({ level: config.LOG_LEVEL, base: null, hooks: { streamWrite: hostsOnly } })
  // For a failed upstream the message is enough. An error of ours needs its stack.
  const warn: RoleProcess['warn'] = part => (name, error) =>
    error instanceof UpstreamFailed
      ? logger.warn({ part, name }, error.message)
      : logger.warn({ part, name, err: error }, 'failed')
  const lifecycle = new Lifecycle(warn('stop'))

  try {
    const tell = (line: string) => logger.info(line)
    const process = await openRails(config, options, { lifecycle, warn, tell })
    const { parts } = process
    const prices = await openPrices(process, settling)
    await openWorkers(process)
    const own = settling && (await openSettling(process, settling, prices))
    const counter = sale && {
      ...(await openQuery(process, ownNamed(sale, own?.url, settling?.token), prices)),
      checkAnswers: options.checkAnswers ?? false,
    }
    if (counter) await openWorkers(process, counter.tools)
    if (canary) await openCanary(process, canary)
    const app = buildServer({
      ...storefront(config, parts, counter, options.play),
      counter,
      prices,
      now: process.now,
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

/** Only who sells or settles reads prices, and who keeps the books of those who are paid. The file of a process that starts must be right. */
async function openPrices(
  { config, lifecycle, named: known, read, tell, warn }: RoleProcess,
  settling: SettleConfig | undefined,
): Promise<Tariff | undefined> {
  const { PRICES: file, NETWORKS: networks, ROLES, origins } = config
  const payees = payeesOf(origins)
  const named = Object.entries(payees)
  if (!(file || named.length) || !(ROLES.some(role => role === 'query' || role === 'ingest') || settling))
    return undefined
  const refunds = read(refundVariables)
  const isForbidden = (address: string) =>
    (settling !== undefined && paysFees(settling, address)) || paysBack(refunds, address)
  checkPayees(payees, isForbidden)
  if (!file) return followed(new Tariff(networks, {}, payees), known)
  const onError = (error: unknown) => warn('prices')(file, error)
  const reader = await lifecycle.open(
    'prices',
    () => new PriceReader({ file, networks, origins, isForbidden, tell, onError }).start(),
    opened => opened.close(),
  )
  return followed(reader.prices, known)
}

function followed(prices: Tariff, known: Payees): Tariff {
  const take = () => known.take(prices.named())
  take()
  prices.listen(take)
  return prices
}

async function listen(app: App, { HOST, PORT }: Config): Promise<string> {
  try {
    const port = await app.sockets.open({ host: HOST, port: PORT }, options => app.listen(options))
    return urlOf(HOST, port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new ConfigError(`PORT is ${PORT}; it should be a free port: another program listens there`)
  }
}
