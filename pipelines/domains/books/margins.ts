/** What each operation has brought and cost on one day: sales and refunds, gas of our own settling, facilitators, and calls of others. */
import type { OperationDay } from '../../../schemas/operation-days.ts'
import type { ReceiptNetwork } from '../../../schemas/tables/networks.ts'
import { fromAtoms, toAtoms } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import { billion, type CostPrices, dollarsOf, type FeeRule, nanosOf } from './cost-prices.ts'
import { type AskStore, time } from './facts.ts'

interface MarginWanted {
  /** YYYY-MM-DD, in UTC. */
  day: string
  prices: CostPrices
  /** How many sales facilitators have settled before this day in its month. */
  settledBefore(network: ReceiptNetwork): bigint
  nowMs: number
}

const dayMs = 86_400_000
const coinPlaces = 18
const coin = 10n ** BigInt(coinPlaces)

interface Sold {
  origin: string
  operation: string
  network: ReceiptNetwork
  sales: string
  revenue: string
  own: string
  coins: string
  others: string
  others_usdc: string
}

/** A sale that moved nothing after all has cost what it has cost. What a canary of ours has bought is no revenue, and costs as much. */
const soldSql = `
  select any(origin) as origin, any(operation) as operation, any(network) as network,
    toString(countIf(stands and not canary)) as sales, toString(sumIf(usdc, stands and not canary)) as revenue,
    toString(countIf(cost.tx <> '')) as own, toString(sumIf(divideDecimal(cost.coins, toDecimal128(greatest(cost.transfers, 1), 0), 18), cost.tx <> '')) as coins,
    toString(countIf(cost.tx = '')) as others, toString(sumIf(usdc, cost.tx = '')) as others_usdc
  from (
    select spend_id, min(at) as sold_at, any(r.origin) as origin, any(r.tool) as operation, any(r.network) as network, toDecimal128(any(price_usdc), 6) as usdc,
      max(r.canary) as canary, argMin(if(startsWith(ifNull(payment_tx, ''), '0x'), lower(payment_tx), ifNull(payment_tx, '')), at) as paid_in,
      spend_id not in (select spend_id from taken_back group by spend_id having argMax(toString(state), at) in ('taken_back', 'lost'))
      and spend_id not in (
        select spend_id from settlements where state in ('confirmed', 'refuted') and at >= ${time('from')}
          and spend_id in (select spend_id from settlements where state = 'refuted' and at >= ${time('from')})
        group by spend_id having argMax(toString(state), (at, state = 'confirmed')) = 'refuted'
      ) as stands
    from receipts as r where at >= ${time('from')} and at < ${time('to')} group by spend_id having toDate(sold_at) = {day: Date}
  ) as sale
  left any join (select network, tx, coins, transfers from settle_costs where at >= ${time('from')} and at < ${time('late')}) as cost
    on cost.network = sale.network and cost.tx = sale.paid_in
  group by sale.origin, sale.operation, sale.network`

interface Refunded {
  origin: string
  operation: string
  network: ReceiptNetwork
  refunds: string
  usdc: string
  coins: string
}

/** A refund is of the day on which it was first told paid, so that its later steps change no day that was rolled up. */
const ofDay = `
  select request_id from refunds where step in ('paid', 'final')
    and request_id in (select request_id from refunds where step in ('paid', 'final') and toDate(at) = {day: Date})
  group by request_id having toDate(min(at)) = {day: Date}`
const refundedSql = `
  select any(r.origin) as origin, any(r.tool) as operation, any(back.network) as network, toString(count()) as refunds, toString(sum(back.amount_usdc)) as usdc,
    toString(sum(ifNull(back.fee_coins, 0))) as coins
  from (select request_id, network, amount_usdc, fee_coins from refunded where request_id in (${ofDay})) as back
  left any join (select request_id, origin, tool from receipts where request_id in (${ofDay})) as r on r.request_id = back.request_id
  group by r.origin, r.tool, back.network`

interface Called {
  origin: string
  operation: string
  host: string
  calls: string
}

const calledSql = `select origin, operation, host, toString(sum(calls)) as calls from calls_by_day where day = {day: Date} group by origin, operation, host`

interface Wasted {
  network: ReceiptNetwork
  coins: string
}

const wastedSql = `select network, toString(sum(coins)) as coins from settle_costs where transfers = 0 and toDate(at) = {day: Date} group by network`

/** A row for each operation and network that anything is known of. */
export async function operationDaysOf(ask: AskStore, wanted: MarginWanted): Promise<OperationDay[]> {
  const { day } = wanted
  const startMs = Date.parse(`${day}T00:00:00.000Z`)
  const params = {
    ...{ day, from: String(startMs - dayMs), to: String(startMs + dayMs) },
    late: String(startMs + 2 * dayMs),
  }
  const sheet = new Sheet(wanted)
  for (const row of await ask<Sold>(soldSql, params)) sheet.sold(row)
  for (const row of await ask<Refunded>(refundedSql, params)) sheet.refunded(row)
  for (const row of await ask<Called>(calledSql, params)) sheet.called(row)
  for (const row of await ask<Wasted>(wastedSql, params)) sheet.wasted(row)
  return sheet.rows()
}

type Place = Pick<OperationDay, 'origin' | 'operation' | 'network'>

interface Kept {
  row: OperationDay
  othersUsdc: bigint
  calls: bigint
  callNanos: bigint
  gas: bigint
}

const nothing = {
  ...{ sales: 0, revenue_usdc: '0', refunds: 0, refunded_usdc: '0', own_settled: 0, gas_coins: '0' },
  ...{ gas_usd: '0', others_settled: 0, facilitator_usd: '0', calls: 0, calls_usd: '0', unpriced: 0 },
}

/** A row with nothing in it. */
export const emptyDay = (place: Place & Pick<OperationDay, 'day' | 'at'>): OperationDay => ({
  ...place,
  ...nothing,
})

class Sheet {
  readonly #wanted: MarginWanted
  readonly #kept = new Map<string, Kept>()

  constructor(wanted: MarginWanted) {
    this.#wanted = wanted
  }

  sold({ sales, revenue, own, coins, others, others_usdc, ...place }: Sold): void {
    const kept = this.#at(place)
    kept.row.sales = Number(sales)
    kept.row.revenue_usdc = revenue
    kept.row.own_settled = Number(own)
    kept.row.others_settled = Number(others)
    kept.othersUsdc = nanosOf(others_usdc)
    kept.gas += coinsIn(coins)
    if (this.#wanted.prices.coins[place.network] === undefined) kept.row.unpriced += Number(own)
  }

  refunded({ refunds, usdc, coins, ...place }: Refunded): void {
    const kept = this.#at(place)
    const { row } = kept
    row.refunds = Number(refunds)
    row.refunded_usdc = usdc
    const fees = coinsIn(coins)
    kept.gas += fees
    if (fees > 0n && this.#wanted.prices.coins[place.network] === undefined) row.unpriced += Number(refunds)
  }

  called({ host, calls, ...place }: Called): void {
    const { calls: prices } = this.#wanted.prices
    const price = Object.hasOwn(prices, host) ? prices[host] : undefined
    const kept = this.#at({ ...place, network: 'none' })
    kept.calls += BigInt(calls)
    if (price === undefined) kept.row.unpriced += Number(calls)
    else kept.callNanos += BigInt(calls) * price
  }

  wasted({ network, coins }: Wasted): void {
    this.#at({ origin: '', operation: '', network }).gas += coinsIn(coins)
  }

  rows(): OperationDay[] {
    const all = [...this.#kept.values()]
    for (const kept of all) {
      const { row, gas } = kept
      row.gas_coins = fromAtoms(gas, coinPlaces)
      const price = row.network === 'none' ? undefined : this.#wanted.prices.coins[row.network]
      row.gas_usd = dollarsOf((gas * (price ?? 0n)) / coin)
      row.facilitator_usd = dollarsOf(this.#feeOf(kept, all))
      row.calls = Number(kept.calls)
      row.calls_usd = dollarsOf(kept.callNanos)
    }
    return all.map(({ row }) => row)
  }

  /** What is free in a month goes to its first sales; on the day on which that ends, to all operations alike. */
  #feeOf({ row, othersUsdc }: Kept, all: readonly Kept[]): bigint {
    const { network, others_settled } = row
    const rule: FeeRule | undefined =
      network === 'none' ? undefined : this.#wanted.prices.facilitators[network]
    if (!rule || network === 'none' || others_settled === 0) return 0n
    const today = all.reduce(
      (sum, { row: one }) => sum + (one.network === network ? one.others_settled : 0),
      0,
    )
    const before = this.#wanted.settledBefore(network)
    const free = BigInt(rule.free_a_month)
    const charged = least(BigInt(today), most(0n, before + BigInt(today) - free))
    const each = (rule.each * BigInt(others_settled) * charged) / BigInt(today)
    return each + (othersUsdc * rule.percent) / (100n * billion)
  }

  #at({ origin, operation, network }: Place): Kept {
    const key = `${origin} ${operation} ${network}`
    const before = this.#kept.get(key)
    if (before) return before
    const { day, nowMs } = this.#wanted
    const row = emptyDay({ origin, operation, network, day, at: instant(nowMs) })
    const kept: Kept = { row, othersUsdc: 0n, calls: 0n, callNanos: 0n, gas: 0n }
    this.#kept.set(key, kept)
    return kept
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const coinsIn = (text: string): bigint => toAtoms(text, coinPlaces)
