/** Reads each form in which the FAA writes a moment, into ms. Undefined: the text names no moment. */
import { dayMs } from '../../../schemas/airport-events.ts'

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The letters decide the offset in every season: a place that writes EST in summer means EST. */
const offsetHours: Record<string, number> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  AST: -4,
  EDT: -4,
  EST: -5,
  CDT: -5,
  CST: -6,
  MDT: -6,
  MST: -7,
  PDT: -7,
  PST: -8,
  AKDT: -8,
  AKST: -9,
  HST: -10,
}

/** A moment of the calendar in UTC. Undefined for a day that does not exist, such as the 31st of February. */
function moment(year: number, month: number, day: number, hour: number, minute: number, second = 0) {
  const at = new Date(Date.UTC(year, month, day, hour, minute, second))
  const exists =
    at.getUTCMonth() === month && at.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  return exists ? at.getTime() : undefined
}

/** "Thu Sep 24 00:01:24 2026 GMT" */
export function updateTime(text: string): number | undefined {
  const read = /^\w{3} (\w{3}) (\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4}) (?:GMT|UTC)$/.exec(text)
  if (!read) return undefined
  const [, month = '', day, hour, minute, second, year] = read
  return moment(
    Number(year),
    months.indexOf(month.toLowerCase()),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
}

/** "8:15 pm EDT" or "7 PM EDT.", on the local day of `updated`. */
function clockTime(text: string, updated: number): number | undefined {
  const read = /^(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\.?\s+([A-Z]{1,4})\.?$/i.exec(text)
  const offset = offsetHours[read?.[4]?.toUpperCase() ?? '']
  if (!read || offset === undefined) return undefined
  const [, hour, minute = '0', half = ''] = read
  if (Number(hour) < 1 || Number(hour) > 12 || Number(minute) > 59) return undefined
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const midnight = Math.floor((updated + offset * 3_600_000) / dayMs) * dayMs
  return midnight + (hours - offset) * 3_600_000 + Number(minute) * 60_000
}

/** The end of a ground stop. A clock time that is long past means tomorrow. */
export function clockEnd(text: string, updated: number): number | undefined {
  const at = clockTime(text, updated)
  return at !== undefined && at < updated - dayMs / 2 ? at + dayMs : at
}

/** "May 27 at 18:26 UTC.", without a year. */
function yearless(text: string): ((year: number) => number | undefined) | undefined {
  const read = /^(\w{3}) (\d{1,2}) at (\d{1,2}):(\d{2}) UTC\.?$/i.exec(text)
  if (!read) return undefined
  const [, month = '', day, hour, minute] = read
  return year => moment(year, months.indexOf(month.toLowerCase()), Number(day), Number(hour), Number(minute))
}

/** Finds the first year around `updated` whose moment fits. A leap day may be eight years away. */
function inSomeYear(text: string, years: readonly number[], fits: (at: number) => boolean) {
  const on = yearless(text)
  return on && years.map(on).find(at => at !== undefined && fits(at))
}

/** The start and the reopening of a closure: the latest start in the past, and the next reopening after it. */
export function closureTimes(startText: string, endText: string, updated: number) {
  const year = new Date(updated).getUTCFullYear()
  const past = Array.from({ length: 9 }, (_, i) => year - i)
  const coming = Array.from({ length: 10 }, (_, i) => year - 1 + i)
  const startAt = clockTime(startText, updated) ?? inSomeYear(startText, past, at => at <= updated)
  const from = startAt ?? updated
  const endAt = clockEnd(endText, updated) ?? inSomeYear(endText, coming, at => at > from)
  // The feed also names future closures. One that seems to have ended half a year ago is in the coming year.
  const isAhead = startAt !== undefined && endAt !== undefined && endAt < updated - 183 * dayMs
  if (!isAhead) return { startAt, endAt }
  const startAhead = inSomeYear(startText, coming, at => at > updated) ?? startAt
  return { startAt: startAhead, endAt: inSomeYear(endText, coming, at => at > startAhead) }
}

/** The time group of a NOTAM: YYMMDDHHMM, in UTC. */
export function groupTime(text: string): number | undefined {
  const [year, month, day, hour, minute] = (text.match(/\d\d/g) ?? []).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ]
  return moment(2000 + year, month - 1, day, hour, minute)
}

/** Reads "2 hours and 7 minutes" into minutes. */
export function durationMinutes(text: string): number {
  const [, hours = '0'] = /\b(\d{1,4})\s?hour/.exec(text) ?? []
  const [, minutes = '0'] = /\b(\d{1,4})\s?min/.exec(text) ?? []
  return Number(hours) * 60 + Number(minutes)
}

/** Writes minutes as the FAA does: "2 hours and 7 minutes". */
export function durationWords(minutes: number): string {
  const many = (n: number, unit: string) => `${n} ${unit}${n === 1 ? '' : 's'}`
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return many(minutes, 'minute')
  return minutes % 60 ? `${many(hours, 'hour')} and ${many(minutes % 60, 'minute')}` : many(hours, 'hour')
}
