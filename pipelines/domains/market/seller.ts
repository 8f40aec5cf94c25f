/**
 * One seller in the form for the rules: the sums of its endpoints, and the chain's data about the wallets that only
 * it names.
 */
import { Decimal } from 'decimal.js'
import type { MarketChain, MarketOffer } from '../../../schemas/market-views.ts'
import { marketRules as rules } from '../../../schemas/tables/market-rules.ts'

/** Strangers quote prices with any number of digits. */
export const Exact = Decimal.clone({ precision: 80 })

export interface SellerEndpoint {
  key: string
  url: string
  price: Decimal | undefined
  /** The price is an upper bound, because calls may be settled together, or for less money. */
  priceIsMax: boolean
  calls: number
  payers: number
  lastCalledAt: number | undefined
  placeholder: boolean
  serviceName: string | null
  description: string | null
  tags: readonly string[]
  parameters: readonly string[]
  method?: string
  payTos?: readonly string[]
  networks?: readonly string[]
  categories: readonly string[]
  /** Its price is far above the prices of its category. */
  outlier: boolean
  /** Its part of the seller's revenue. */
  revenue: Decimal
}

/**
 * The chain's data about a seller. It exists only for a seller with a wallet of its own that was read for the whole
 * window.
 */
export interface Chain {
  payments: number
  paid: Decimal
  payers: number
  payersWithoutSweepers: number
  topPayments: number
  returning: number
  customers: number
  oneCall: number
  cv: number
  medianPayments: number
  beganTogether: number
  togetherAt: number
  firstAt: number
  selfPayments: number
  fundedPayers: number
  circular: Decimal
  wash: Decimal
  busiestHour: number
  busiestDay: number
  typicalPaid: number
  metronomeCv: number | undefined
}

export interface Seller {
  host: string
  operator: string
  endpoints: readonly SellerEndpoint[]
  calls: number
  /** The payers of its busiest endpoint. A wallet may pay for several endpoints, so payers are never added up. */
  payersMax: number
  paidEndpoints: number
  revenue: Decimal
  /** The largest number of hosts that name one of its wallets. */
  walletHosts: number
  chain: Chain | undefined
  asOf: number
}

const times = (text: string): number => Date.parse(text)

export const endpointOf = (
  offer: MarketOffer,
  categories: readonly string[],
  outlier: boolean,
): SellerEndpoint => ({
  key: offer.resource_key,
  url: offer.url,
  price: offer.price_usd === null ? undefined : new Exact(offer.price_usd),
  priceIsMax: offer.price_is_max,
  calls: Number(offer.calls),
  payers: Number(offer.payers),
  lastCalledAt: offer.last_called_at === null ? undefined : times(offer.last_called_at),
  placeholder: offer.placeholder,
  serviceName: offer.service_name,
  description: offer.description,
  tags: offer.tags,
  parameters: offer.parameters,
  method: offer.probe_method,
  payTos: offer.pay_tos,
  networks: offer.networks,
  categories,
  outlier,
  revenue: new Exact(0),
})

export const chainOf = (row: MarketChain): Chain => ({
  payments: Number(row.payments),
  paid: new Exact(row.paid),
  payers: Number(row.payers),
  payersWithoutSweepers: Number(row.payers_x),
  topPayments: Number(row.top_payments),
  returning: Number(row.returning),
  customers: Number(row.customers),
  oneCall: Number(row.one_call),
  cv: Number(row.cv),
  medianPayments: Number(row.median_payments),
  beganTogether: Number(row.began_together),
  togetherAt: times(row.together_at),
  firstAt: times(row.first_at),
  selfPayments: Number(row.self_payments),
  fundedPayers: Number(row.funded_payers),
  circular: new Exact(row.circular),
  wash: new Exact(row.wash),
  busiestHour: Number(row.busiest_hour),
  busiestDay: Number(row.busiest_day),
  typicalPaid: Number(row.typical_paid),
  metronomeCv: row.metronome_cv === null ? undefined : Number(row.metronome_cv),
})

/** Revenue is calls times listed price. An extreme price counts only if the chain saw about that much money. */
export function withRevenue(
  endpoints: readonly SellerEndpoint[],
  chain: Chain | undefined,
): SellerEndpoint[] {
  const { usd, chainWithin } = rules.priceOutlier
  const listed = endpoints.map(({ price, calls }) => (price ?? new Exact(0)).times(calls))
  const total = listed.reduce((sum, next) => sum.plus(next), new Exact(0))
  const confirmed =
    chain !== undefined &&
    total.lte(chain.paid.times(chainWithin)) &&
    total.times(chainWithin).gte(chain.paid)
  return endpoints.map((endpoint, index) => ({
    ...endpoint,
    revenue: confirmed || endpoint.price?.lte(usd) ? (listed[index] as Decimal) : new Exact(0),
  }))
}

export const sumOf = (endpoints: readonly SellerEndpoint[]): Decimal =>
  endpoints.reduce((sum, { revenue }) => sum.plus(revenue), new Exact(0))

/** Of lists of any length: a call takes about 120,000 arguments, and a seller may list more endpoints. */
export const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY)

export const ratio = (a: number, b: number): number => (b === 0 ? 0 : a / b)
