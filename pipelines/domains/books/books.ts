/** The books of a wallet, day by day: how far its chain was read, and what each day holds. */
import type { BookDay } from '../../../schemas/book-days.ts'
import { type BookDifference, bookDifferences } from '../../../schemas/book-differences.ts'
import { type BookNote, bookNotes } from '../../../schemas/book-notes.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { compareDay } from './comparison.ts'
import { type Coverage, clocksMs, readThrough } from './coverage.ts'
import type { DayFound, DayWanted, Differing } from './day.ts'
import { type AskStore, type OwnWallet, plainOf } from './facts.ts'

export interface Begin {
  since: string
  begun_at: string
}

export interface BookWanted extends OwnWallet, Coverage {
  begin: Begin
  nowMs: number
  graceMs: number
  /** What operators have signed off, by the keys of the differences. */
  notes: ReadonlyMap<string, BookNote>
}

export interface BookedDay extends Pick<DayFound, 'leftOut'> {
  row: BookDay
  differences: readonly Differing[]
  explained: readonly (Differing & Pick<BookNote, 'note' | 'by'>)[]
}

export const dayMs = 86_400_000
const monthDays = 30

export const dayOf = (ms: number): string => instant(ms).slice(0, 10)
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`)

/**
 * Chains are read a month back. What was sold before has no transfers that anybody could compare it with. `sinceMs`: its chain may
 * not have been read for this wallet before.
 */
export async function beginOf(
  ask: AskStore,
  { network, payTo, sinceMs: knownMs }: OwnWallet & { sinceMs: number },
  nowMs: number,
): Promise<Begin> {
  const oldest = startOf(dayOf(nowMs - (monthDays - 1) * dayMs))
  const [first] = await ask<{ ms: string; count: string }>(
    `select toString(toUnixTimestamp64Milli(min(at))) as ms, toString(count()) as count from receipts
    where network = '${networks[network].receipt}' and ${plainOf(network)('pay_to')} = {payTo: String} and at >= fromUnixTimestamp64Milli({oldest: Int64}, 'UTC')`,
    { payTo, oldest: String(oldest) },
  )
  const sinceMs = Number(first?.count ?? 0) === 0 ? nowMs : Math.max(oldest, Number(first?.ms) - clocksMs)
  return { since: instant(Math.max(sinceMs, knownMs)), begun_at: instant(nowMs) }
}

export async function bookedDay(ask: AskStore, day: string, wanted: BookWanted): Promise<BookedDay> {
  const { network, payTo, begin, nowMs, graceMs, notes } = wanted
  const asked = dayWanted(day, wanted)
  const { throughMs } = asked
  const { sums, differences: all, leftOut } = await compareDay(ask, asked)
  const noteOf = (one: Differing) => {
    const note = notes.get(bookDifferences.keyOf({ network, ...one } as BookDifference))
    return note && note.times >= one.times ? note : undefined
  }
  const differences = all.filter(one => !noteOf(one))
  const explained = all.flatMap(one => {
    const { note, by } = noteOf(one) ?? {}
    return note === undefined || by === undefined ? [] : { ...one, note, by }
  })
  const counted = { ...sums, differences: differences.length, explained: explained.length }
  const state = stateOf({ sums: counted, differences }, throughMs, nowMs - graceMs)
  return {
    row: {
      ...{ network, pay_to: payTo, ...counted, state },
      ...{ through: instant(throughMs), ...begin, at: instant(nowMs) },
    },
    differences,
    explained,
    leftOut,
  }
}

/** What is asked of a day. */
export function dayWanted(day: string, { begin, stretches, lost, ...wanted }: BookWanted): DayWanted {
  const { network, payTo, nowMs, graceMs } = wanted
  const sinceMs = Date.parse(begin.since)
  const throughMs = readThrough(stretches, Math.max(startOf(day), sinceMs))
  const readSinceMs = Date.parse(begin.begun_at)
  return { network, payTo, day, sinceMs, throughMs, lost, nowMs, graceMs, readSinceMs }
}

/** Numbers of the store come in the spelling of its columns. */
export const notesBy = (notes: Iterable<BookNote>): Map<string, BookNote> =>
  new Map([...notes].map(note => [bookNotes.keyOf(note), note]))

/** `judgedMs`: what is older can be judged. */
function stateOf(
  { sums, differences }: Pick<DayFound, 'sums' | 'differences'>,
  throughMs: number,
  judgedMs: number,
): BookDay['state'] {
  const endMs = startOf(sums.day) + dayMs
  if (throughMs < endMs || judgedMs < endMs || sums.waiting > 0) return 'open'
  return differences.length > 0 ? 'differs' : 'closed'
}
