/** Compares what a wallet of ours received on one day with its sales and refunds, to the atom. */
import type { DayFound, DayWanted } from './day.ts'
import { type Even, type Pair, summed } from './differences.ts'
import { type DustTransfer, dustOf, isDust, listedDust, type Small, smallSql } from './dust.ts'
import { type AskStore, pairsOf, plainOf, salesOf, time } from './facts.ts'
import { refundsOn } from './refunds.ts'

const dayMs = 86_400_000
/** A sale and its block may stand on two days. Those that are further apart are found by their transactions. */
const aroundMs = dayMs / 2
/** With more in one day, without the dust, it is not judged: a part of them is no sum. */
const mostUneven = 5000

/** A day that nothing can be said of. The days beside it can be judged. */
export class TooUneven extends Error {
  override name = 'TooUneven'
}

/** The payments around a day, as SQL, and those of the day itself. */
function paymentsOf({ network, payTo, day, sinceMs }: DayWanted) {
  const startMs = Date.parse(`${day}T00:00:00.000Z`)
  const from = Math.max(startMs - aroundMs, sinceMs)
  const params = {
    ...{ payTo, day, from: String(from), to: String(startMs + dayMs + aroundMs) },
    oldest: String(from),
  }
  const within = `at >= ${time('from')} and at < ${time('to')}`
  const around = pairsOf(network, within, within)
  return { params, around, pairs: `select * from (${around}) where day = {day: Date}` }
}

export async function dustOn(ask: AskStore, wanted: DayWanted): Promise<DustTransfer[]> {
  const { params, around, pairs } = paymentsOf(wanted)
  const { dust } = await evenOn(ask, around, params)
  return listedDust(ask, pairs, { ...params, dust: dust.below })
}

async function evenOn(ask: AskStore, around: string, params: Readonly<Record<string, string>>) {
  const [found] = await ask<Even & Small>(evenSql(around), params)
  return { even: found as Even, dust: dustOf(found as Small) }
}

export async function compareDay(ask: AskStore, wanted: DayWanted): Promise<DayFound> {
  const { network, payTo, day } = wanted
  const { around, pairs, ...asked } = paymentsOf(wanted)
  const { even, dust } = await evenOn(ask, around, asked.params)
  const params = { ...asked.params, dust: dust.below }
  const uneven = await ask<Pair>(`${unevenSql(pairs)} limit ${mostUneven + 1}`, params)
  if (uneven.length > mostUneven)
    throw new TooUneven(
      `more than ${mostUneven} payments of ${day} to ${payTo} on ${network} have one side alone: the day cannot be judged`,
    )
  return summed(wanted, even, {
    uneven: await wholeOf(ask, wanted, uneven),
    reversed: await reversedOn(ask, wanted, params),
    refunds: await refundsOn(ask, wanted),
    dust,
  })
}

const isEven = 'day = {day: Date} and sales = transfers'
const evenSql = (around: string) => `
  select toString(sumIf(sales, ${isEven})) as count, toString(sumIf(one * sales, ${isEven})) as usdc, toString(sumIf(canaries, ${isEven})) as canary,
    toString(sumIf(one * canaries, ${isEven})) as canary_usdc, ${smallSql}
  from (${around})`

const columns =
  'tx, payer, usdc, toUInt32(sales) as sales, toUInt32(transfers) as transfers, toFloat64(moved_ms) as moved_ms, toFloat64(sold_ms) as sold_ms, request, form, toUInt8(is_doubtful) as is_doubtful, toUInt32(canaries) as canaries'
const unevenSql = (pairs: string) =>
  `select ${columns} from (select * from (${pairs})) as p where p.sales <> p.transfers and not ${isDust} order by tx, payer, usdc`

/** Anybody may send us dust, and no statement to the store grows with it. */
const mostAsked = 200

/** A sale may be found on the chain days after its block. Its transaction leads to the other side, wherever that stands. */
async function wholeOf(ask: AskStore, wanted: DayWanted, uneven: readonly Pair[]): Promise<readonly Pair[]> {
  const known = new Set(uneven.map(keyOf))
  const txs = [...new Set(uneven.map(({ tx }) => tx))]
  const whole: Pair[] = []
  for (let from = 0; from < txs.length; from += mostAsked)
    for (const pair of await pairsIn(ask, wanted, txs.slice(from, from + mostAsked)))
      if (known.has(keyOf(pair))) whole.push(pair)
  return whole
}

/** Both sides of the payments in these transactions. */
function pairsIn(ask: AskStore, { network, payTo, day, sinceMs }: DayWanted, txs: readonly string[]) {
  const list = txs.map(tx => `'${tx.replace(/[^\w]/g, '')}'`).join(',')
  const plain = plainOf(network)
  // A reorganisation may have moved a sale to another transaction than that of its receipt.
  const moved = `spend_id global in (select spend_id from taken_back where ${plain("ifNull(standing_tx, '')")} in (${list}))`
  const heard = `spend_id global in (select spend_id from settlements where state = 'confirmed' and at >= ${time('oldest')} and ${plain("ifNull(payment_tx, '')")} in (${list}))`
  const sales = `(${plain("ifNull(payment_tx, '')")} in (${list}) or ${moved} or ${heard})`
  return ask<Pair>(
    `select ${columns} from (${pairsOf(network, sales, `at >= ${time('oldest')} and tx in (${list})`)}) as p where tx in (${list}) and day = {day: Date} order by tx, payer, usdc`,
    { payTo, day, oldest: String(sinceMs) },
  )
}

const keyOf = ({ tx, payer, usdc }: Pair): string => `${tx} ${payer} ${usdc}`

async function reversedOn(ask: AskStore, { network }: DayWanted, params: Readonly<Record<string, string>>) {
  const [row] = await ask<{ count: string; usdc: string }>(
    `select toString(count()) as count, toString(sum(amount)) as usdc from (${salesOf(network, 'toDate(at) = {day: Date}')}) where ended in ('lost', 'refuted')`,
    params,
  )
  return { count: Number(row?.count ?? 0), usdc: row?.usdc ?? '0' }
}
