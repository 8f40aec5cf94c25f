/**
 * Reads what a NOTAM closes, for whom, and when.
 * Most closures in the feed only keep out private or oversized aircraft.
 */
import type { AirportEvent } from '../../../schemas/airport-events.ts'
import { groupTime } from './times.ts'

type Scope = Pick<AirportEvent, 'shuts' | 'affects_airline_flights'>

const unscheduled = /\b(NON[\s-]*(SKED|SCHEDULED)|UNSKED|UNSCHEDULED)\b/g
const carriers =
  /\b(ACR|AIR\s+CARRIERS?|PART\s*121|PART\s*135|SKED(?!\w)|SCHEDULED|AIRLINES?|PAX|PASSENGERS?|PSGRS?)\b/
const admitted = /\b(SKED|SCHEDULED|ACR|AIR\s+CARRIERS?|AIRLINES?|COMMERCIAL|PART\s*121|PAX)\b/
const subset =
  /\b(GA|TRANSIENT|PRIVATE|NON[\s-]*SKED|NON[\s-]*SCHEDULED|UNSKED|UNSCHEDULED|CHARTERS?|MIL|F-?\d+|V-?22|VTOL|HEL\w*|ROTORCRAFT|TGL|TOUCH|TRAINING|STUDENTS?|PRACTICE|PJE|PARACHUT\w*|GLIDERS?|ULTRALIGHTS?|BALLOONS?|UAS|PISTON|JET\s+ENG\w*|BANNER)\b/
const size = /WINGSPAN|TAIL\s+HGT|LENGTH|GROSS\s+W|WEIGHT|\d+\s*(LB|LBS|FT)\b|GROUP\s+(IV|V|VI)\b|B747-8|A380/

/** A NOTAM has a few hundred characters. The rules above cost the square of the length. */
const mostChars = 2000
const bodyOf = (reason: string): string => reason.slice(0, mostChars).toUpperCase()

/** If the text leaves doubt, airline flights count as affected. */
export function scopeOf(reason: string): Scope {
  const body = bodyOf(reason)
  if (!/\bCLSD\b/.test(body)) return { shuts: 'airport', affects_airline_flights: true }
  const isWhole =
    /\b(AD\s+AP|AD|AP|ARPT)\s+CLSD\b/.test(body) || /RWY\s+ALL\b.*CLSD|ALL\s+RWYS?\b.*CLSD/.test(body)
  if (!isWhole && /\bRWYS?\b.*CLSD/.test(body)) return { shuts: 'runways', affects_airline_flights: true }
  if (!isWhole && /\b(TWYS?|APRON|RAMP)\b.*CLSD/.test(body))
    return { shuts: 'nothing', affects_airline_flights: false }
  return { shuts: 'airport', affects_airline_flights: keepsAirlinesOut(body) }
}

function keepsAirlinesOut(body: string): boolean {
  const [, to = ''] = /CLSD\s+TO\s+(.*?)(?:\bEXC\b|\bEXCEPT\b|\.|$)/.exec(body) ?? []
  const [, except = ''] = /\b(?:EXC|EXCEPT)\b(.*)$/.exec(body) ?? []
  if (carriers.test(to.replace(unscheduled, ''))) return true
  if (/^ALL\b/.test(to) && !size.test(to)) return true
  if (subset.test(to) || size.test(to)) return false
  return !admitted.test(except.replace(unscheduled, ''))
}

const group = /(\d{10})\s?(?:EST)?\s?-\s?(?:(\d{10})\s?(EST)?|(PERM))/g

/** Reads the time group at the end. Undefined if there is none. A permanent closure has no end. */
export function periodOf(reason: string) {
  const [, from = '', to, estimated, permanent] = [...reason.toUpperCase().matchAll(group)].at(-1) ?? []
  const startAt = groupTime(from)
  const endAt = to === undefined ? undefined : groupTime(to)
  if (startAt === undefined || (endAt === undefined && !permanent)) return undefined
  return { startAt, endAt, endEstimated: estimated !== undefined }
}

const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const dayName = `(?:${dayNames.join('|')})`
const daySpan = `${dayName}(?:\\s?-\\s?${dayName})?`
const clockSpan = '\\d{4}-\\d{4}(?!\\d)'
const schedule = new RegExp(
  `\\b(DLY|DAILY|${daySpan}(?:[\\s,]+${daySpan})*)\\s+(${clockSpan}(?:[\\s,]+${clockSpan})*)`,
  'g',
)

/** The hours in force, in UTC. An empty list means always. Hours that we cannot read also count as always. */
export function hoursOf(reason: string): AirportEvent['hours'] {
  const body = bodyOf(reason)
  // Sunrise and sunset move. If we read only a part of the hours, the airport would seem open in the others.
  if (/\b(SR|SS|SUNRISE|SUNSET)\b/.test(body)) return []
  const hours = [...body.matchAll(schedule)].flatMap(([, days = '', clocks = '']) =>
    [...clocks.matchAll(/(\d{4})-(\d{4})/g)].map(([, from = '', to = '']) => ({
      days: daysOf(days),
      opens_minute: minuteOf(from),
      shuts_minute: minuteOf(to),
    })),
  )
  return hours.some(({ opens_minute, shuts_minute }) => Number.isNaN(opens_minute + shuts_minute))
    ? []
    : hours
}

function daysOf(text: string): number[] {
  if (/^D/.test(text)) return [0, 1, 2, 3, 4, 5, 6]
  const days = [...text.matchAll(new RegExp(`(${dayName})(?:\\s?-\\s?(${dayName}))?`, 'g'))].flatMap(
    ([, first = '', last = first]) => {
      const from = dayNames.indexOf(first)
      const length = ((dayNames.indexOf(last) - from + 7) % 7) + 1
      return Array.from({ length }, (_, i) => (from + i) % 7)
    },
  )
  return [...new Set(days)].sort()
}

function minuteOf(hhmm: string): number {
  const hour = Number(hhmm.slice(0, 2))
  const minute = Number(hhmm.slice(2))
  return minute < 60 && hour * 60 + minute <= 1440 ? hour * 60 + minute : Number.NaN
}
