/** The books of a wallet, day by day: how far its chain was read, and what each day holds. */
import type { BookDay } from '../../../schemas/book-days.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { compareDay } from './comparison.ts'
import { readThrough, type Stretch } from './coverage.ts'
import type { DayFound, Differing } from './day.ts'
import { type AskStore, type OwnWallet, plainOf } from './facts.ts'

export interface Begin {
  since: string
  begun_at: string
}

export interface BookWanted extends OwnWallet {
  begin: Begin
  stretches: readonly Stretch[]
  nowMs: number
  graceMs: number
}

export interface BookedDay {
  row: BookDay
  differences: readonly Differing[]
}

export const dayMs = 86_400_000
const monthDays = 30
/** The block of the first sale may be older than the sale, by our clock. */
const clocksMs = 10 * 60_000

export const dayOf = (ms: number): string => instant(ms).slice(0, 10)
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`)

/** Chains are read a month back. What was sold before has no transfers that anybody could compare it with. */
export async function beginOf(ask: AskStore, { network, payTo }: OwnWallet, nowMs: number): Promise<Begin> {
  const oldest = startOf(dayOf(nowMs - (monthDays - 1) * dayMs))
  const [first] = await ask<{ ms: string; count: string }>(
    `select toString(toUnixTimestamp64Milli(min(at))) as ms, toString(count()) as count from receipts
    where network = '${networks[network].receipt}' and ${plainOf(network)('pay_to')} = {payTo: String} and at >= fromUnixTimestamp64Milli({oldest: Int64}, 'UTC')`,
    { payTo, oldest: String(oldest) },
  )
  const sinceMs = Number(first?.count ?? 0) === 0 ? nowMs : Math.max(oldest, Number(first?.ms) - clocksMs)
  return { since: instant(sinceMs), begun_at: instant(nowMs) }
}

export async function bookedDay(ask: AskStore, day: string, wanted: BookWanted): Promise<BookedDay> {
  const { network, payTo, begin, stretches, nowMs, graceMs } = wanted
  const sinceMs = Date.parse(begin.since)
  const startMs = Math.max(startOf(day), sinceMs)
  const throughMs = readThrough(stretches, startMs)
  const found = await compareDay(ask, {
    ...{ network, payTo, day, sinceMs, throughMs, nowMs, graceMs },
    readSinceMs: Date.parse(begin.begun_at),
  })
  return {
    row: {
      ...{ network, pay_to: payTo, ...found.sums, state: stateOf(found, throughMs, nowMs - graceMs) },
      ...{ through: instant(throughMs), ...begin, at: instant(nowMs) },
    },
    differences: found.differences,
  }
}

/** `judgedMs`: what is older can be judged. */
function stateOf({ sums, differences }: DayFound, throughMs: number, judgedMs: number): BookDay['state'] {
  const endMs = startOf(sums.day) + dayMs
  if (throughMs < endMs || judgedMs < endMs || sums.waiting > 0) return 'open'
  return differences.length > 0 ? 'differs' : 'closed'
}
