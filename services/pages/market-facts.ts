/** What the store knows of a seller: his weeks, his wallets, who paid them, their payments and the probes of his endpoints. */
import { type ChainPayment, paymentsTo } from '../../schemas/chain-payments.ts'
import { type MarketProbe, marketProbeHistory } from '../../schemas/market-probes.ts'
import {
  type MarketPayer,
  type MarketWallet,
  marketPayers,
  marketWallets,
} from '../../schemas/market-views.ts'
import { type MarketSeller, sellerWeeks } from '../../schemas/market-weeks.ts'
import type { Tools } from '../offer/operation.ts'

export interface SellerFacts {
  weeks: readonly MarketSeller[]
  wallets: readonly MarketWallet[]
  payers: readonly MarketPayer[]
  /** The newest first, of his first wallets. */
  payments: readonly ChainPayment[]
  /** What his wallets sent to payers that a label speaks of. */
  back: readonly ChainPayment[]
  probes: ReadonlyMap<string, readonly MarketProbe[]>
  /** The store did not answer a question, so something is missing. */
  isPartial: boolean
}

/** A seller may name thousands of wallets. */
const mostWallets = 4
const mostFunded = 4

/** Only hosts and addresses of the release are asked for. The page says what it knows where the store is away. */
export async function factsOf(
  { lookAll }: Pick<Tools, 'lookAll'>,
  host: string,
  urls: readonly string[],
): Promise<SellerFacts> {
  let isPartial = false
  const asked = async <Row>(question: Promise<readonly Row[]>): Promise<readonly Row[]> =>
    question.catch(() => {
      isPartial = true
      return []
    })
  const [weeks, wallets, payers, probes] = await Promise.all([
    asked(lookAll(sellerWeeks, host)),
    asked(lookAll(marketWallets, host)),
    asked(lookAll(marketPayers, host)),
    Promise.all(urls.map(async url => [url, await asked(lookAll(marketProbeHistory, url))] as const)),
  ])
  const paidAt = wallets.slice(0, mostWallets)
  const to = async (network: string, wallet: string) => asked(lookAll(paymentsTo, network, wallet))
  const own = new Set(wallets.map(({ pay_to }) => pay_to))
  const funded = payers.filter(each => isTrue(each.funded)).slice(0, mostFunded)
  const chains = [...new Set(paidAt.map(({ network }) => network))]
  const [payments, back] = await Promise.all([
    Promise.all(paidAt.map(({ network, pay_to }) => to(network, pay_to))),
    Promise.all(chains.flatMap(network => funded.map(({ payer }) => to(network, payer)))),
  ])
  return {
    ...{ weeks, wallets, payers },
    payments: newestFirst(payments.flat().filter(({ method }) => method !== 'plain')),
    back: newestFirst(back.flat().filter(({ payer }) => own.has(payer))),
    probes: new Map(probes),
    isPartial,
  }
}

/** ClickHouse tells a truth as 1, or as true. */
export const isTrue = (told: boolean | number): boolean => Number(told) === 1

const newestFirst = (payments: readonly ChainPayment[]) =>
  payments.toSorted((a, b) => b.at.localeCompare(a.at))
