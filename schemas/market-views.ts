/**
 * The market as SQL, in stages: the offers in the latest catalog, their payers and payees, and the pattern of the
 * payments.
 */
import { rebuilt } from './dataset/dataset.ts'
import { marketRules as rules } from './tables/market-rules.ts'
import { mainNetworks, networks } from './tables/networks.ts'

const host = 'The seller: a host without a leading www.'
const operator = 'The first of all hosts that share its wallets'
const payer = 'A wallet that paid it'
const network = 'The chain'

const { windowDays, fundingDays, hubHosts, sweeper, refund, coordinated, metronome } = rules

export interface MarketWindow {
  snapshot: string
  as_of: string
  since: string
  items: number
  rated: number
  unread: number
}

export const marketWindow = rebuilt<MarketWindow>({
  name: 'market_window',
  about: 'The snapshot that the market is computed from, and the 30 days before its day',
  key: ['snapshot'],
  columns: {
    snapshot: 'When the snapshot of the catalog began',
    as_of: 'The 30 days end before this day',
    since: 'The first of the 30 days',
    items: 'Items of the catalog',
    rated: 'Items with usage numbers',
    unread: 'Items that are no resource',
  },
  sql: `
    select snapshot, day as as_of, day - ${windowDays} as since, items, rated, unread
    from market_snapshots order by snapshot desc limit 1`,
})

const asOf = '(select as_of from market_window)'
const since = '(select since from market_window)'
const listed = `market_resources where snapshot = (select snapshot from market_window) and junk is null and seller != ''`

/** Rows with the same key are one endpoint. Their calls add up, but their payers do not, because they may be the same. */
export interface MarketOffer {
  host: string
  resource_key: string
  url: string
  price_usd: string | null
  price_is_max: boolean
  calls: string
  payers: string
  last_called_at: string | null
  placeholder: boolean
  service_name: string | null
  description: string | null
  tags: string[]
  parameters: string[]
  /** The method for asking for its quote. Empty if one request cannot get it. */
  probe_method: string
  pay_tos: string[]
  networks: string[]
}

export const marketOffers = rebuilt<MarketOffer>({
  name: 'market_offers',
  about: 'The endpoints of the latest catalog that can be paid, a row each',
  key: ['host', 'resource_key'],
  columns: {
    host,
    resource_key: 'The endpoint, whatever form its URL has',
    url: 'As listed',
    price_usd: 'Its lowest quote in a stablecoin; null: no such quote can be read',
    price_is_max: 'The price is an upper bound: no quote has an exact price',
    calls: 'Paid calls in 30 days, as the catalog counts them, of all its listings',
    payers: 'Paying wallets in 30 days, of the listing that has most of them',
    last_called_at: 'When it was last called, as the catalog says',
    placeholder: 'The path holds a placeholder such as :var1, so nobody can pay it as listed',
    service_name: 'The name of the service, as listed',
    description: 'As listed',
    tags: 'As listed',
    parameters: 'The names of its parameters',
    probe_method: 'How it is asked for its quote; empty: not by one request',
    pay_tos: 'The addresses that it wants to be paid at',
    networks: 'The networks that it is paid on, as CAIP-2',
  },
  sql: `
    select seller as host, resource_key, url, price_usd, price_is_max,
      sum(ifNull(calls_30d, 0)) over same as calls, max(ifNull(payers_30d, 0)) over same as payers,
      max(last_called_at) over same as last_called_at, placeholder, service_name, description, tags, parameters,
      if(type = 'http', if(method = '', 'POST', method), '') as probe_method,
      arrayDistinct(arrayFilter(address -> address != '', arrayMap(accept -> accept.pay_to, accepts))) as pay_tos,
      arrayDistinct(arrayFilter(network -> network != '', arrayMap(accept -> accept.network, accepts))) as networks
    from ${listed}
    window same as (partition by seller, resource_key)
    order by startsWith(url, 'https:') desc, ifNull(calls_30d, 0) desc, url, method, tool
    limit 1 by host, resource_key`,
})

const quoted = (texts: readonly string[]) => `[${texts.map(text => `'${text}'`).join(', ')}]`

export interface MarketWallet {
  host: string
  network: string
  pay_to: string
  hosts: string
  named_since: string
}

export const marketWallets = rebuilt<MarketWallet>({
  name: 'market_wallets',
  about: 'The wallets that each seller wants to be paid at, and how many sellers name the same wallet',
  key: ['host', 'network', 'pay_to'],
  looked: { by: ['host'], newestBy: ['named_since', 'network', 'pay_to'], most: 100 },
  columns: {
    host,
    network,
    pay_to: 'A wallet that it wants to be paid at',
    hosts: 'Sellers that name the same wallet on this network',
    named_since: 'The first snapshot in which the seller names it',
  },
  sql: `
    select host, network, pay_to, count() over (partition by network, pay_to) as hosts,
      min(named) as named_since
    from (
      select seller as host, snapshot as named, arrayJoin(accepts) as accept, accept.pay_to as pay_to,
        transform(accept.network, ${quoted(mainNetworks.map(name => networks[name].caip2))}, ${quoted(mainNetworks)}, '') as network
      from market_resources where junk is null and seller != ''
    )
    where network != '' and pay_to != ''
    group by host, network, pay_to
    having max(named) = (select snapshot from market_window)`,
})

/** The holder of an address's key has it on every network, so the network does not count here. */
const marketPayees = rebuilt<{ host: string; pay_to: string; hosts: string }>({
  name: 'market_payees',
  about:
    'The addresses that each seller wants to be paid at on any network, and how many sellers name the same address',
  key: ['host', 'pay_to'],
  columns: {
    host,
    pay_to: 'An address that it wants to be paid at',
    hosts: 'Sellers that name the same address',
  },
  sql: `
    select host, pay_to, count() over (partition by pay_to) as hosts
    from (select distinct seller as host, arrayJoin(accepts).pay_to as pay_to from ${listed})
    where pay_to != '' and not match(pay_to, '^0x0{36}')`,
})

/** Each round passes the smallest name across one wallet. Eight rounds were enough for every chain of sellers so far. */
const rounds = 8
const joined = `select host, pay_to from market_payees where hosts <= ${hubHosts}`
const named = Array.from({ length: rounds }).reduce<string>(
  inner => `
    select host, min(label) as label from (${joined}) as edges join (
      select pay_to, min(label) as label from (${joined}) as edges join (${inner}) as named using (host)
      group by pay_to
    ) as payees using (pay_to) group by host`,
  'select distinct host, host as label from market_offers',
)

const marketOperators = rebuilt<{ host: string; operator: string }>({
  name: 'market_operators',
  about:
    'Sellers that share a wallet are one operator, named after its first host; a wallet of a marketplace does not count',
  key: ['host'],
  columns: {
    host,
    operator,
  },
  sql: `
    select host, if(label = '', host, label) as operator
    from (select distinct host from market_offers) as sellers left join (${named}) as named using (host)`,
})

/** A payment counts for a seller only if no other seller names the wallet. */
const own = 'select host, network, pay_to from market_wallets where hosts = 1'
const paidToOwn = `method != 'plain' and at < ${asOf} and (network, pay_to) in (select network, pay_to from (${own}))`

const marketPairs = rebuilt<{ host: string; payer: string }>({
  name: 'market_pairs',
  about: 'Which wallet paid which seller in the 30 days, and when it first did',
  key: ['host', 'payer'],
  columns: {
    host,
    payer,
    payments: 'Payments in the 30 days',
    paid: 'The sum of those payments, in USDC',
    days: 'Days of the 30 on which it paid',
    first_at: 'When it first paid the seller',
    settled_itself: 'Payments that it settled itself, without a facilitator',
  },
  sql: `
    select host, payer, sum(pair.payments) as payments, sum(pair.paid) as paid, bitCount(groupBitOr(pair.day_bits)) as days,
      min(pair.began) as first_at, sum(pair.self_settled) as settled_itself
    from (
      select network, pay_to, payer, min(at) as began, countIf(at >= ${since}) as payments,
        sumIf(amount, at >= ${since}) as paid,
        groupBitOr(if(at >= ${since}, bitShiftLeft(toUInt32(1), toUInt8(toDate(at) - ${since})), toUInt32(0))) as day_bits,
        countIf(at >= ${since} and facilitator = payer) as self_settled
      from chain_payments where ${paidToOwn}
      group by network, pay_to, payer
      having payments > 0
    ) as pair join (${own}) as wallets using (network, pay_to)
    group by host, payer`,
})

/** What ClickHouse counts is text, and what it decides is a number or a truth. */
export interface MarketPayer {
  host: string
  payer: string
  payments: string
  paid: string
  days: string
  first_at: string
  sweeper: boolean | number
  self: boolean | number
  back: string | null
  funded: boolean | number
}

export const marketPayers = rebuilt<MarketPayer>({
  name: 'market_payers',
  about:
    'The paying wallets of each seller: what they paid, what came back to them, and which are no customers',
  key: ['host', 'payer'],
  // Those that labels speak of come first.
  looked: { by: ['host'], newestBy: ['self', 'funded', 'payments', 'payer'], most: 200 },
  columns: {
    host,
    payer,
    operator,
    payments: 'Payments in the 30 days',
    paid: 'The sum of those payments, in USDC',
    days: 'Days of the 30 on which it paid',
    first_at: 'When it first paid the seller',
    sweeper: 'true: it pays very many sellers a few times each',
    self: "true: it is a wallet of the seller's own operator, or settles its own payments",
    back: 'What wallets of the operator sent to it, in USDC',
    funded: 'true: most of what it paid was sent to it by the operator',
  },
  sql: `
    with sweepers as (
      select payer from market_pairs group by payer
      having count() >= ${sweeper.sellers} and sum(payments) <= ${sweeper.paymentsPerSeller} * count()
    ), kin as (
      select operators.operator as operator, wallets.network as network, wallets.pay_to as wallet
      from market_wallets as wallets join market_operators as operators using (host)
      where wallets.hosts <= ${hubHosts}
    ), sent as (
      select operator, transfers.pay_to as payer, sum(transfers.amount) as back
      from (
        select network, payer, pay_to, sum(amount) as amount from chain_payments
        where at >= ${since} - ${fundingDays} and at < ${asOf} + 1
          and (network, payer) in (select network, wallet from kin)
        group by network, payer, pay_to
      ) as transfers join kin on kin.network = transfers.network and kin.wallet = transfers.payer
      group by operator, payer
    )
    select pairs.host as host, pairs.payer as payer, operators.operator as operator, payments, paid, days, first_at,
      pairs.payer in (select payer from sweepers) as sweeper,
      (operators.operator, pairs.payer) in (select operator, wallet from kin) or settled_itself > 0 as self,
      sent.back as back, toFloat64(back) > ${refund.shareOfPaid} * toFloat64(paid) as funded
    from market_pairs as pairs
    join market_operators as operators on operators.host = pairs.host
    left join sent on sent.operator = operators.operator and sent.payer = pairs.payer`,
})

const marketHours = rebuilt<{ host: string; hour: string }>({
  name: 'market_hours',
  about: 'Payments of each seller by the hour',
  key: ['host', 'hour'],
  columns: {
    host,
    hour: 'The beginning of the hour',
    payments: 'Payments in this hour',
    paid: 'The sum of those payments, in USDC',
  },
  sql: `
    select host, hour, sum(hours.payments) as payments, sum(hours.paid) as paid
    from (
      select network, pay_to, toStartOfHour(at) as hour, count() as payments, sum(amount) as paid
      from chain_payments where at >= ${since} and ${paidToOwn}
      group by network, pay_to, hour
    ) as hours join (${own}) as wallets using (network, pay_to)
    group by host, hour`,
})

/** The share of the 30 days that was read, for the wallets that first appeared in one snapshot. */
const marketCoverage = rebuilt<{ network: string; named_since: string; covered: number }>({
  name: 'market_coverage',
  about:
    'The share of the 30 days that was read on chain, for the wallets that the catalog names since a snapshot',
  key: ['network', 'named_since'],
  columns: {
    network,
    named_since: 'The snapshot that was the first to name these wallets',
    covered: 'The share of the 30 days that was read, 0 to 1',
    read_until: 'The end of what was read',
    from_block: 'The first block that was read',
    to_block: 'The last block that was read',
  },
  sql: `
    select network, named_since, least(1, sum(greatest(0, dateDiff('millisecond', greatest(starts, reached), ends)))
      / dateDiff('millisecond', toDateTime64(${since}, 3, 'UTC'), toDateTime64(${asOf}, 3, 'UTC'))) as covered,
      max(ends) as read_until, min(from_block) as from_block, max(to_block) as to_block
    from (
      select network, cohort.named_since as named_since, from_block, to_block,
        greatest(from_at, toDateTime64(${since}, 3, 'UTC')) as starts,
        least(to_at, toDateTime64(${asOf}, 3, 'UTC')) as ends,
        max(ends) over (partition by network, named_since order by starts, ends
          rows between unbounded preceding and 1 preceding) as reached
      from chain_ranges as ranges
      join (select distinct network, named_since from market_wallets) as cohort using (network)
      where sellers_after < named_since and named_since <= sellers_until and to_at > ${since} and from_at < ${asOf}
    )
    group by network, named_since`,
})

/** The chain's facts about a seller that shares its wallets with no other. Money is decimal text. */
export interface MarketChain {
  host: string
  payments: string
  paid: string
  payers: string
  payers_x: string
  top_payments: string
  returning: string
  customers: string
  one_call: string
  cv: number
  median_payments: string
  began_together: string
  together_at: string
  first_at: string
  self_payments: string
  funded_payers: string
  circular: string
  wash: string
  busiest_hour: string
  busiest_day: string
  typical_paid: number
  metronome_cv: number | null
}

export const marketChain = rebuilt<MarketChain>({
  name: 'market_chain',
  about: 'What the chain says of each seller that shares its wallets with no other, in 30 days',
  key: ['host'],
  columns: {
    host,
    payments: 'Payments in the 30 days',
    paid: 'The sum of those payments, in USDC',
    payers: 'Wallets that paid',
    payers_x: 'Wallets that paid, without sweepers',
    top_payments: 'Payments of the wallet that paid most often',
    returning: 'Customers that paid on 2 days or more',
    customers: 'Wallets that are no sweepers, not the operator and not funded by it',
    one_call: 'Wallets with one payment, without sweepers',
    cv: 'How unevenly payments are spread over wallets: standard deviation by mean, without sweepers',
    median_payments: 'Payments of the median wallet, without sweepers',
    began_together: 'The largest number of wallets that paid for the first time within a few minutes',
    together_at: 'When they did',
    first_at: 'The first payment',
    self_payments: 'Payments of the operator to itself',
    funded_payers: 'Wallets that the operator funded',
    circular: 'What those wallets paid of what they were sent, in USDC',
    wash: 'What the operator paid itself, and what came back of what it had sent to others, in USDC',
    busiest_hour: 'Payments in the busiest hour',
    busiest_day: 'Payments on the busiest day',
    typical_paid: 'The median payment, in USDC',
    metronome_cv:
      'How unevenly the gaps between the payments of its busiest wallet are spread; null: no wallet dominates',
  },
  sql: `
    with began as (select network, min(at) as began from chain_payments group by network),
    starts as (
      select host, max(wallets) as together, argMax(start, wallets) as together_at from (
        select host, start, count() as wallets from market_payers
        array join [
          toStartOfInterval(first_at, interval ${coordinated.minutes} minute),
          toStartOfInterval(first_at - interval ${coordinated.minutes / 2} minute, interval ${coordinated.minutes} minute)
            + interval ${coordinated.minutes / 2} minute] as start
        where not sweeper and first_at > (select max(began) from began) + interval 1 day
        group by host, start
      ) group by host
    ), busy as (
      select host, max(payments) as busiest_hour from market_hours group by host
    ), days as (
      select host, max(payments) as busiest_day from
        (select host, toDate(hour) as day, sum(payments) as payments from market_hours group by host, day)
      group by host
    ), steady as (
      select host, min(cv) as cv from (
        select pairs.host as host, pairs.payer as payer,
          arrayDifference(arraySort(groupArray(100000)(toUnixTimestamp64Milli(at)))) as gaps,
          arrayReduce('stddevPop', arraySlice(gaps, 2)) / nullIf(arrayReduce('avg', arraySlice(gaps, 2)), 0) as cv
        from chain_payments as payment join (${own}) as wallets using (network, pay_to)
        join (
          select host, payer from market_pairs
          join (select host, sum(payments) as all from market_pairs group by host) as sums using (host)
          where payments >= ${metronome.payments} and payments >= ${metronome.share} * all
        ) as pairs on pairs.host = wallets.host and pairs.payer = payment.payer
        where at >= ${since} and ${paidToOwn}
        group by host, payer
      ) group by host
    )
    select host, sum(payers.payments) as payments, sum(payers.paid) as paid, count() as payers,
      countIf(not sweeper) as payers_x, max(payers.payments) as top_payments,
      countIf(days >= 2 and customer) as returning, countIf(customer) as customers,
      countIf(payers.payments = 1 and not sweeper) as one_call,
      ifNull(stddevSampIf(payers.payments, not sweeper) / nullIf(avgIf(payers.payments, not sweeper), 0), 0) as cv,
      quantileExactLowIf(0.5)(payers.payments, not sweeper) as median_payments,
      any(starts.together) as began_together, any(starts.together_at) as together_at, min(payers.first_at) as first_at,
      sumIf(payers.payments, self) as self_payments, countIf(funded) as funded_payers,
      sumIf(least(payers.back, payers.paid), funded) as circular,
      sum(multiIf(self, payers.paid, funded, least(payers.back, payers.paid), 0)) as wash,
      any(busy.busiest_hour) as busiest_hour, any(days.busiest_day) as busiest_day,
      quantileExactWeighted(0.5)(toFloat64(payers.paid) / payers.payments, payers.payments) as typical_paid,
      any(steady.cv) as metronome_cv
    from (select *, not sweeper and not funded and not self as customer from market_payers) as payers
    left join starts using (host) left join busy using (host) left join days as days using (host)
    left join steady using (host)
    group by host`,
})

/** In the order of their rebuild: each view reads the ones before it. */
export const marketViews = [
  marketWindow,
  marketOffers,
  marketWallets,
  marketPayees,
  marketOperators,
  marketPairs,
  marketPayers,
  marketHours,
  marketCoverage,
  marketChain,
]
