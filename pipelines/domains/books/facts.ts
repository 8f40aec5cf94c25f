/** The sales and transfers of one wallet, as SQL over our own facts: the service and its commands ask the same. */
import { isEvm, type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { plainAddress } from '../../../schemas/tables/stablecoins.ts'

/** Asks the store. `{name: Type}` in the statement stands for a parameter. */
export type AskStore = <Row>(sql: string, params: Readonly<Record<string, string>>) => Promise<Row[]>

export interface OwnWallet {
  network: NetworkName
  /** An EVM address in lower case. */
  payTo: string
}

export const ownWallet = (network: NetworkName, address: string): OwnWallet => ({
  network,
  payTo: plainAddress(address),
})

/** EVM addresses and hashes may be written in either case. */
export const plainOf = (network: NetworkName) => (column: string) =>
  isEvm(network) ? `lower(${column})` : column

/** A time, given as milliseconds. */
export const time = (name: string): string => `fromUnixTimestamp64Milli({${name}: Int64}, 'UTC')`

/**
 * Every sale once, with the transaction that the chain shows for it today, and how it ended: `taken_back` may come again; `lost` and
 * `refuted` have moved nothing and never will. `only` says which receipts; none is older than the parameter `oldest`.
 */
export function salesOf(network: NetworkName, only: string): string {
  const plain = plainOf(network)
  const here = `network = '${networks[network].receipt}'`
  const heard = `${here} and at >= ${time('oldest')} and state in ('confirmed', 'refuted')`
  return `
    select sale.spend_id as spend_id, sold_at, request_id, tool, payer, amount, by_canary,
      multiIf(taken.last in ('taken_back', 'lost'), taken.last, heard.last = 'refuted', 'refuted', '') as ended,
      ${plain(`multiIf(taken.last = 'settled_again' and taken.tx <> '', taken.tx, heard.tx <> '', heard.tx, sale.tx)`)} as tx
    from (
      select spend_id, min(at) as sold_at, argMin(r.request_id, at) as request_id, any(r.tool) as tool, ${plain('any(r.payer)')} as payer,
        any(price_usdc) as amount, argMin(ifNull(payment_tx, ''), at) as tx, max(canary) as by_canary
      from receipts as r where ${here} and ${plain('pay_to')} = {payTo: String} and at >= ${time('oldest')} and ${only} group by spend_id
    ) as sale
    left join (
      select spend_id, argMax(toString(state), (at, state = 'confirmed')) as last, argMaxIf(ifNull(payment_tx, ''), at, state = 'confirmed') as tx
      from settlements where ${heard}
        and spend_id global in (select spend_id from settlements where ${heard} and (state = 'refuted' or reason is not null))
      group by spend_id
    ) as heard on heard.spend_id = sale.spend_id
    left join (
      select spend_id, argMax(toString(state), at) as last, argMax(ifNull(standing_tx, ''), at) as tx
      from taken_back where ${here} group by spend_id
    ) as taken on taken.spend_id = sale.spend_id`
}

/** Final transfers to the wallet, whatever their form. */
const transfersOf = (network: NetworkName, only: string): string => `
  select at, tx, payer, amount, method from chain_payments
  where network = '${network}' and pay_to = {payTo: String} and payer <> pay_to and not provisional and ${only}`

/**
 * Both sides of each payment. Equal payments in one transaction are counted: nobody can tell them apart, or need to. Its day is that of
 * its block, or that of the sale where it stands in none.
 */
export const pairsOf = (network: NetworkName, sales: string, transfers: string): string => `
  select tx, payer, toString(amount) as usdc, any(amount) as one, sum(is_sale) as sales, sum(1 - is_sale) as transfers,
    toUnixTimestamp64Milli(minIf(at, is_sale = 0)) as moved_ms, toUnixTimestamp64Milli(maxIf(at, is_sale = 1)) as sold_ms,
    maxIf(request_id, is_sale = 1) as request, maxIf(method, is_sale = 0) as form, sum(by_canary) as canaries, max(ended = 'taken_back') as is_doubtful,
    toDate(fromUnixTimestamp64Milli(if(transfers > 0, moved_ms, sold_ms), 'UTC')) as day
  from (
    select 1 as is_sale, sold_at as at, tx, payer, toDecimal128(amount, 6) as amount, request_id, '' as method, by_canary, ended
    from (${salesOf(network, sales)}) where ended not in ('lost', 'refuted')
    union all
    select 0 as is_sale, at, tx, payer, toDecimal128(amount, 6) as amount, '' as request_id, toString(method) as method, 0 as by_canary, '' as ended
    from (${transfersOf(network, transfers)})
  ) group by tx, payer, amount`
