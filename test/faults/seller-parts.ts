/** What a seller opens beside its till where the path of a run has it: own settling, refunds, prices of a file. */

import { eventsIn } from '../../pipelines/rails/log/events.ts'
import type { Log } from '../../pipelines/rails/log/log.ts'
import { logVariables } from '../../pipelines/rails/log/variables.ts'
import { startRefunds } from '../../pipelines/workers/refunds/worker.ts'
import { refunds } from '../../schemas/refunds.ts'
import type { SettleCost } from '../../schemas/settle-costs.ts'
import { type SettlementEvent, settlements } from '../../schemas/settlements.ts'
import type { Operation } from '../../services/offer/operation.ts'
import type { OpenOrigin } from '../../services/offer/origin.ts'
import type { Tariff } from '../../services/offer/tariff.ts'
import { PriceReader } from '../../services/roles/price-reader.ts'
import { EvmSettler } from '../../services/till/settle/evm-settler.ts'
import { serveSettling } from '../../services/till/settle/server.ts'
import { Spent } from '../../services/till/settle/spent.ts'
import { SvmSettler } from '../../services/till/settle/svm-settler.ts'
import { OwnTerms } from '../../services/till/settle/terms.ts'
import type { SellerOptions } from './seller-options.ts'

interface Selling {
  origin: OpenOrigin
  prices: Tariff | undefined
  log: Log
  now: () => number
  onError(error: unknown): void
}

interface Part {
  close(): Promise<void>
}

interface Refunding extends Part {
  /** The sales whose refund the log calls paid. */
  told: ReadonlySet<string>
}

/** A file is looked at ten times a second, and the pause after a change is as much shorter. */
const pricesEveryMs = 100
const pricesSpeed = 10

export function openPrices(
  { priceFile: file }: SellerOptions,
  { origin, onError }: Pick<Selling, 'origin' | 'onError'>,
): Tariff | undefined {
  if (!file) return undefined
  const reader = new PriceReader({
    ...{ file, origins: [origin], networks: ['base', 'solana'], isForbidden: () => false },
    uptime: () => pricesSpeed * performance.now(),
    tell: () => {},
    onError,
  })
  setInterval(() => reader.look(), pricesEveryMs).unref()
  return reader.prices
}

export async function openOwn({ own, nodes, config }: SellerOptions, selling: Selling): Promise<Part> {
  if (!own) return { close: async () => {} }
  const { origin, prices, log, now, onError } = selling
  const costs = new Spent({ log, onError })
  const optionsOn = (network: 'base' | 'solana') => ({
    ...{ rpcUrls: [nodes[network]], keys: [own.keys[network]], mostFee: 100n * 10n ** 9n },
    alone: ((_duty: string, open: (process: never) => never) => open({} as never)) as never,
    ...{ now, spent: (cost: SettleCost) => costs.add(cost), onError },
  })
  const settlers = [
    await EvmSettler.open('base', optionsOn('base')),
    await SvmSettler.open('solana', optionsOn('solana')),
  ]
  const sold = origin.operations.map(({ path, price }: Operation) => ({ origin: origin.name, path, price }))
  const terms = new OwnTerms(config.payTo, sold, { prices, now })
  const serving = await serveSettling({
    ...{ host: '127.0.0.1', port: own.port, token: undefined, settlers, terms, onError },
  })
  return {
    close: async () => {
      await serving.close()
      await costs.close()
    },
  }
}

export async function openRefunds(
  { refundKeys, nodes, config, folder }: SellerOptions,
  { log, now, onError }: Selling,
): Promise<Refunding> {
  const told = new Set<string>()
  if (!refundKeys) return { told, close: async () => {} }
  const sales = new Map<string, SettlementEvent>()
  const watching = await log.watch(settlements.topic, batch => {
    for (const { event } of eventsIn(settlements, batch))
      if (event.state === 'settled') sales.set(event.request_id, event)
  })
  const listening = await log.watch(refunds.topic, batch => {
    for (const { event } of eventsIn(refunds, batch))
      if (event.step === 'dropped') told.delete(event.request_id)
      else if (event.step === 'paid') told.add(event.request_id)
  })
  const keys = config.payTo.map(({ name, address: payTo }) => {
    const network = name as 'base' | 'solana'
    return { name, key: refundKeys[network], rpcUrls: [nodes[network]], payTo }
  })
  const read = {
    ...{ keys, former: [], mostGwei: 100, aDay: 10n ** 12n, rules: [], signerKey: undefined },
  }
  const running = await startRefunds({
    log,
    store: async () =>
      ({ query: async (_: string, { id }: { id: string }) => rowsOf(sales.get(id)) }) as never,
    read: ((variables: unknown) => (variables === logVariables ? `sqlite:${folder}/log.db` : read)) as never,
    now,
    onFailed: (_name, error) => onError(error),
  })
  return {
    told,
    close: async () => {
      await running.close()
      await Promise.all([watching.close(), listening.close()])
    },
  }
}

/** What the store would answer. */
const rowsOf = (sale: SettlementEvent | undefined) =>
  sale
    ? [
        {
          ...{ network: sale.network, amount: sale.amount_usdc, payer: sale.payer, pay_to: sale.pay_to },
          ...{ tx: sale.payment_tx, position: sale.payment_position, last: 'settled' },
          ...{ taken: '', standing: '' },
        },
      ]
    : []
