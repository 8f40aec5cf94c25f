/** The statement of a month: what each wallet held, what was sold and given back, what it was worth, and what differs. */
import { type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import { atomsOf } from '../payments/atoms.ts'
import { type BookedDay, type BookWanted, bookedDay, dayMs, dayOf, startOf } from './books.ts'
import { readThrough } from './coverage.ts'
import { type AskStore, type OwnWallet, salesOf, time } from './facts.ts'

/** Amounts are decimal text; those that a kind has not are empty. Fees are paid elsewhere, in dollars. */
export interface StatementLine {
  kind:
    | 'opening'
    | 'sales'
    | 'canary'
    | 'received'
    | 'unexplained'
    | 'withdrawn'
    | 'refunds'
    | 'fees'
    | 'difference'
    | 'closing'
  day: string
  network: string
  /** The wallet. */
  account: string
  operation: string
  count: number
  usdc: string
  eur: string
  /** In the home currency. */
  home: string
  /** Sales whose rates are not known yet. */
  unrated: number
  /** Of a difference: its kind, sender and transaction. Of the closing balance: how far the chain was read, where that is not to the end. */
  about: string
}

export interface MonthStatement {
  month: string
  home: string
  /** Whether every day of the month is closed, for every wallet. */
  closed: boolean
  lines: readonly StatementLine[]
}

const nothing = { operation: '', count: 0, eur: '', home: '', unrated: 0, about: '' }

export async function statementOf(
  ask: AskStore,
  month: string,
  home: string,
  wallets: readonly BookWanted[],
): Promise<MonthStatement> {
  const lines: StatementLine[] = []
  let closed = wallets.length > 0
  for (const wallet of wallets) {
    const days = await daysOf(ask, month, wallet)
    closed &&= days.length > 0 && days.every(({ row }) => row.state === 'closed')
    lines.push(...(await linesOf(ask, { month, home, wallet, days })))
  }
  for (const network of new Set(wallets.map(one => one.network)))
    lines.push(...(await feesOn(ask, network, month)))
  return { month, home, closed, lines }
}

interface Fees {
  day: string
  settled: string
  dollars: string
  gas: string
  charged: string
}

/** What settling has cost, by ourselves and by facilitators, as it was rolled up. */
async function feesOn(ask: AskStore, network: NetworkName, month: string): Promise<StatementLine[]> {
  const { receipt } = networks[network]
  const rows = await ask<Fees>(
    `select toString(day) as day, toString(sum(own_settled + others_settled)) as settled, toString(sum(gas_usd + facilitator_usd)) as dollars,
      toString(sum(gas_usd)) as gas, toString(sum(facilitator_usd)) as charged
    from operation_days as d where d.network = {network: String} and d.day >= {first: Date} and d.day < addMonths({first: Date}, 1)
    group by day having sum(gas_usd + facilitator_usd) > 0 order by day`,
    { network: receipt, first: `${month}-01` },
  )
  return rows.map(({ day, settled, dollars, gas, charged }) => ({
    ...{ kind: 'fees' as const, day, network, account: '', ...nothing, count: Number(settled) },
    ...{ usdc: dollars, about: `gas ${gas}, facilitators ${charged}` },
  }))
}

const endOf = (month: string): number => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return Date.UTC(year, number, 1)
}

async function daysOf(ask: AskStore, month: string, wallet: BookWanted): Promise<BookedDay[]> {
  const days: BookedDay[] = []
  const first = Math.max(startOf(`${month}-01`), startOf(wallet.begin.since.slice(0, 10)))
  const last = Math.min(endOf(month) - 1, wallet.nowMs)
  for (let ms = first; ms <= last; ms += dayMs) days.push(await bookedDay(ask, dayOf(ms), wallet))
  return days
}

interface Parts {
  month: string
  home: string
  wallet: BookWanted
  days: readonly BookedDay[]
}

async function linesOf(ask: AskStore, parts: Parts): Promise<StatementLine[]> {
  const { month, home, wallet, days } = parts
  const { network, payTo, begin } = wallet
  const params = {
    ...{ payTo, since: String(Date.parse(begin.since)), home },
    ...{
      from: String(startOf(`${month}-01`)),
      to: String(endOf(month)),
      oldest: String(startOf(`${month}-01`)),
    },
  }
  const line: LineOf = (kind, day, usdc, more = {}) => ({
    ...{ kind, day, network, account: payTo, ...nothing, usdc, ...more },
  })
  const moved = (when: string) => `
    select toString(toDate(at)) as day, countIf(pay_to = {payTo: String}) as came, toString(sumIf(amount, pay_to = {payTo: String})) as received,
      countIf(payer = {payTo: String}) as went, toString(sumIf(amount, payer = {payTo: String})) as withdrawn
    from chain_payments where network = '${network}' and not provisional and payer <> pay_to and (pay_to = {payTo: String} or payer = {payTo: String})
      and at >= ${time('since')} and ${when} group by day order by day`
  const before = await ask<Moved>(moved(`at < ${time('from')}`), params)
  const during = await ask<Moved>(moved(`at >= ${time('from')} and at < ${time('to')}`), params)
  const sales = await ask<SoldOfDay>(soldSql(wallet), params)
  const opening = balanceOf(before)
  const lines = [
    line('opening', `${month}-01`, ...openingOf(parts, opening)),
    ...sales.map(({ day, tool, canary, count, usdc, eur, home: worth, unrated }) =>
      line(canary ? 'canary' : 'sales', day, usdc, {
        ...{ operation: tool, count: Number(count), unrated: Number(unrated) },
        ...{ eur: eur ?? '', home: home === '' ? '' : (worth ?? '') },
      }),
    ),
    ...during.flatMap(({ day, came, received, went, withdrawn }) => [
      ...(Number(came) > 0 ? [line('received', day, received, { count: Number(came) })] : []),
      ...(Number(went) > 0 ? [line('withdrawn', day, withdrawn, { count: Number(went) })] : []),
    ]),
    ...days.flatMap(({ row }) =>
      row.refunds > 0 ? [line('refunds', row.day, row.refunded_usdc, { count: row.refunds })] : [],
    ),
    ...unexplainedIn(days, line),
    line('closing', dayOf(endOf(month) - 1), ...closingOf(parts, opening + balanceOf(during))),
  ]
  return lines.toSorted(
    (one, other) => orderOf(one) - orderOf(other) || (one.day < other.day ? -1 : one.day > other.day ? 1 : 0),
  )
}

type LineOf = (
  kind: StatementLine['kind'],
  day: string,
  usdc: string,
  more?: Partial<StatementLine>,
) => StatementLine

/** Transfers that no sale explains, signed off or not, and what differs. */
function unexplainedIn(days: readonly BookedDay[], line: LineOf): StatementLine[] {
  const differing = days.flatMap(({ differences }) => differences)
  return [
    ...days.flatMap(({ row: { day, dust, dust_usdc } }) =>
      dust > 0 ? [line('unexplained', day, dust_usdc, { count: dust, about: 'dust' })] : [],
    ),
    ...days.flatMap(({ explained }) =>
      explained.flatMap(({ kind, day, chain_usdc, times, note, by }) =>
        kind === 'no_sale' || kind === 'amount'
          ? [line('unexplained', day, timesOf(times, chain_usdc), { count: times, about: `${note} (${by})` })]
          : [],
      ),
    ),
    ...differing.flatMap(({ kind, day, chain_usdc, books_usdc, times, payer, tx }) => [
      line('difference', day, kind === 'no_transfer' || kind === 'no_refund' ? books_usdc : chain_usdc, {
        ...{ count: times, about: `${kind} ${payer} ${tx}` },
      }),
      ...(kind === 'no_sale' || kind === 'amount'
        ? [line('unexplained', day, timesOf(times, chain_usdc), { count: times })]
        : []),
    ]),
    ...days.flatMap(({ row: { day }, leftOut: { count, usdc } }) =>
      count > 0
        ? [line('unexplained', day, usdc, { count, about: 'before the books, or on a chain that is gone' })]
        : [],
    ),
  ]
}

const beforeBooks: [usdc: string, more: Partial<StatementLine>] = ['', { about: 'before the books' }]

/** What the wallet held when its books began is not in them. */
function openingOf(
  { month, wallet: { begin } }: Parts,
  atoms: bigint,
): [usdc: string, more: Partial<StatementLine>] {
  const sinceMs = Date.parse(begin.since)
  if (sinceMs >= endOf(month)) return beforeBooks
  return [
    signed(atoms),
    sinceMs > startOf(`${month}-01`) ? { about: `the books begin at ${begin.since}` } : {},
  ]
}

/** What nobody has read is no balance of nothing. */
function closingOf(
  { month, wallet: { stretches, begin } }: Parts,
  atoms: bigint,
): [usdc: string, more: Partial<StatementLine>] {
  const sinceMs = Date.parse(begin.since)
  if (sinceMs >= endOf(month)) return beforeBooks
  const fromMs = Math.max(startOf(`${month}-01`), sinceMs)
  const throughMs = readThrough(stretches, fromMs)
  if (throughMs >= endOf(month)) return [signed(atoms), {}]
  return throughMs > fromMs
    ? [signed(atoms), { about: `read through ${instant(throughMs)}` }]
    : ['', { about: 'not read yet' }]
}

const orderOf = ({ kind }: StatementLine): number => (kind === 'opening' ? 0 : kind === 'closing' ? 2 : 1)

const { decimals } = networks.base

const timesOf = (times: number, usdc: string): string => fromAtoms(BigInt(times) * atomsOf(usdc), decimals)

const signed = (atoms: bigint): string =>
  atoms < 0n ? `-${fromAtoms(-atoms, decimals)}` : fromAtoms(atoms, decimals)

interface Moved {
  day: string
  came: string
  received: string
  went: string
  withdrawn: string
}

export interface SoldOfDay {
  day: string
  tool: string
  canary: number
  count: string
  usdc: string
  eur: string | null
  home: string | null
  unrated: string
}

/** May be below nothing: what the wallet held before its books began is not in them. */
const balanceOf = (moved: readonly Moved[]): bigint =>
  moved.reduce((sum, { received, withdrawn }) => sum + atomsOf(received) - atomsOf(withdrawn), 0n)

/** The sales of each day, to be given `from`, `to`, `oldest`, `payTo` and `home`. */
export const soldSql = ({ network }: OwnWallet): string => `
  select toString(toDate(sold_at)) as day, tool, toUInt8(by_canary) as canary, toString(count()) as count, toString(sum(amount)) as usdc,
    toString(sum(worth.eur)) as eur, toString(sum(worth.home)) as home, toString(countIf(worth.eur is null)) as unrated
  from (${salesOf(network, `at >= ${time('from')} and at < ${time('to')}`)}) as sale
  left any join (
    select spend_id, eur, if(mapContains(rates, {home: String}), w.eur * rates[{home: String}], null) as home
    from receipts_worth as w where at >= ${time('from')}
  ) as worth on worth.spend_id = sale.spend_id
  where ended not in ('lost', 'refuted')
  group by day, tool, canary order by day, canary, tool`
