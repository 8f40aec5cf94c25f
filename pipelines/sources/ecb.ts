/** Reads the euro reference rates of the ECB: the daily file, the 90-day file after gaps, the whole history once. */
import { fxCorrections } from '../../schemas/fx-corrections.ts'
import { type FxDay, fxRates } from '../../schemas/fx-rates.ts'
import { berlin, dayPlus, isTargetDay, targetDays } from '../../schemas/tables/target-calendar.ts'
import { instant } from '../../schemas/values/values.ts'
import { setDrift } from '../rails/drift.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import type { Validators } from '../rails/outside/upstreams/outside.ts'
import { readDaily, readHistory, readNinetyDays } from './ecb/files.ts'
import { ecbUpstream } from './ecb/upstream.ts'
import { emit, type Source } from './source.ts'

interface Cursor {
  newest: FxDay
  /** The log also has the days before the 90-day file. */
  complete: boolean
  validators: Validators
}

/** All days since 1999 in one write would be larger than a log takes. */
const daysInPage = 1_000
const polledFromMinute = 15 * 60 + 50
const polledToMinute = 17 * 60 + 30

export const ecb: Source<Cursor> = {
  name: 'ecb',
  upstreams: [ecbUpstream],
  writes: [fxRates, fxCorrections],
  schedule: '*/5 * * * *',
  timeoutMs: 120_000,
  silentAfterMs: 3 * 3_600_000,

  /** Polls every 5 minutes when today's rates are due or a day is missing, else every hour. */
  due(now, cursor) {
    if (!cursor?.complete) return true
    const { day, minute } = berlin(now)
    const known = cursor.newest.day
    if (targetDays(known, dayPlus(day, -1)) > 0) return true
    const expecting = isTargetDay(day) && minute >= polledFromMinute && minute <= polledToMinute
    return expecting ? known < day : minute % 60 < 5
  },

  async *pull(cursor, outside) {
    const { newest, complete = false, validators } = cursor ?? {}
    const daily = await readDaily(outside, complete ? validators : undefined)
    if (!daily) return
    const { today, from } = daily
    if (newest && today.day < newest.day)
      throw new UpstreamFailed(`${from} went back from ${newest.day} to ${today.day}`)

    const gap = !newest || targetDays(newest.day, dayPlus(today.day, -1)) > 0
    const recent = gap ? [...before(today.day, await readNinetyDays(outside)), today] : [today]
    const oldest = recent[0]?.day ?? today.day
    const next: Cursor = {
      newest: today,
      complete: complete && (!gap || oldest <= (newest?.day ?? '')),
      validators: daily.validators,
    }
    const fresh = newest ? recent.filter(day => day.day > newest.day || corrects(day, newest)) : recent
    checkMoves(fresh, newest, from)
    const drift = newest ? setDrift('currencies', Object.keys(newest.rates), Object.keys(today.rates)) : []
    const at = instant(outside.now())
    const corrected = fresh
      .filter(day => newest && corrects(day, newest))
      .map(({ day, rates }) => emit(fxCorrections, { day, at, was: newest?.rates ?? {}, rates }))
    yield { events: [...fresh.map(day => emit(fxRates, day)), ...corrected], cursor: next, drift }

    if (next.complete) return
    const older = before(oldest, await readHistory(outside))
    for (let at = 0; at < older.length; at += daysInPage) {
      const complete = at + daysInPage >= older.length
      const page = older.slice(at, at + daysInPage)
      yield { events: page.map(day => emit(fxRates, day)), cursor: { ...next, complete } }
    }
  },
}

const before = (day: string, days: readonly FxDay[]) => days.filter(other => other.day < day)

const corrects = (day: FxDay, newest: FxDay) =>
  day.day === newest.day &&
  Object.entries(day.rates).some(([currency, rate]) => newest.rates[currency] !== rate)

/** An implausibly large move waits until the next day confirms it, so that a true one does not stop us for ever. */
function checkMoves(days: readonly FxDay[], newest: FxDay | undefined, from: string): void {
  for (const [i, day] of days.entries()) {
    const previous = days[i - 1] ?? newest
    const next = days[i + 1]
    const moved = previous ? jumps(previous, day) : []
    const unconfirmed = moved.filter(currency => !next || jumps(day, next).includes(currency))
    if (unconfirmed.length)
      throw new UpstreamFailed(
        `${from}: ${unconfirmed.join(', ')} moved too far from ${previous?.day} to ${day.day}`,
      )
  }
}

const mostMoved = (currency: string) => (currency === 'TRY' ? 0.3 : 0.2)

const jumps = (a: FxDay, b: FxDay): string[] =>
  Object.keys(b.rates).filter(currency => {
    const then = a.rates[currency]
    return then !== undefined && Math.abs(Number(b.rates[currency]) / Number(then) - 1) > mostMoved(currency)
  })
