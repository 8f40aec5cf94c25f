/** Reads the rates of the National Bank of Poland: the newest tables first, then its history back to 2002. */
import { type FxTable, fxBankRates } from '../../schemas/fx-bank-rates.ts'
import { berlin, dayPlus } from '../../schemas/tables/target-calendar.ts'
import { type Drift, setDrift } from '../rails/drift.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import { type NbpSeries, readTables } from './nbp/tables.ts'
import { nbpUpstream } from './nbp/upstream.ts'
import { emit, type Source } from './source.ts'

interface Cursor {
  /** The newest day of each table. */
  newest: Record<NbpSeries, string>
  /** Every table from this day on is in the log. */
  oldest: string
}

const series = ['A', 'B'] as const
const firstDay = '2002-01-02'
/** Two days below the bank's limit for one answer. */
const spanDays = 90
/** A poll fetches only a part of the history, so that the bank gets few requests at a time. */
const spansInPoll = 12
const publishedFromMinute = 11 * 60 + 40
const publishedToMinute = 14 * 60

export const nbp: Source<Cursor> = {
  name: 'nbp',
  upstreams: [nbpUpstream],
  writes: [fxBankRates],
  schedule: '*/5 * * * *',
  timeoutMs: 120_000,
  silentAfterMs: 6 * 3_600_000,

  /** Polls every 5 minutes while the history is incomplete or today's table is due, else every hour. */
  due(now, cursor) {
    if (!cursor || cursor.oldest > firstDay) return true
    const { day, minute } = berlin(now)
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay())
    const expecting = !isWeekend && minute >= publishedFromMinute && minute <= publishedToMinute
    return expecting ? cursor.newest.A < day : minute % 60 < 5
  },

  async *pull(cursor, outside) {
    const today = berlin(outside.now()).day
    const begin = dayPlus(today, -spanDays)
    // After a pause of months, the days in between are read as history.
    const known = cursor && cursor.newest.B > begin ? cursor : undefined
    let oldest = known?.oldest ?? begin
    const newest = { A: known?.newest.A ?? begin, B: known?.newest.B ?? begin }
    const fresh: FxTable[] = []
    const drift: Drift[] = []
    for (const name of series) {
      const { tables, drift: found } = await readTables(outside, name, { start: newest[name], end: today })
      // The newest known table must come again. If it does not, the bank has withdrawn a day, or this answer is for
      // another question.
      if (known && tables[0]?.day !== newest[name])
        throw new UpstreamFailed(`table ${name} of ${newest[name]} is gone`)
      fresh.push(...tables.slice(known ? 1 : 0))
      drift.push(...found, ...changedSet(name, tables))
      newest[name] = tables.at(-1)?.day ?? newest[name]
    }
    if (fresh.length)
      yield { events: fresh.map(table => emit(fxBankRates, table)), cursor: { newest, oldest }, drift }

    for (let spans = 0; spans < spansInPoll && oldest > firstDay; spans++) {
      const end = dayPlus(oldest, -1)
      const from = dayPlus(oldest, -spanDays)
      const start = from < firstDay ? firstDay : from
      const tables: FxTable[] = []
      for (const name of series) tables.push(...(await readTables(outside, name, { start, end })).tables)
      oldest = start
      yield { events: tables.map(table => emit(fxBankRates, table)), cursor: { newest, oldest } }
    }
  },
}

/** The currencies that a table gained or lost between the first of these days and the last. */
function changedSet(name: NbpSeries, tables: readonly FxTable[]): Drift[] {
  const [first, last] = [tables[0], tables.at(-1)].map(table => Object.keys(table?.rates ?? {}))
  return setDrift(`currencies of table ${name}`, first ?? [], last ?? [])
}
