/** Recognises each list of the FAA's document by its elements, because the names of lists repeat and vary. */
import type { AirportEvent } from '../../../schemas/airport-events.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { KnownTypes } from '../../rails/drift.ts'
import type { XmlElement } from '../../rails/formats/xml.ts'
import { blankEvent, longest } from './event.ts'
import { hoursOf, periodOf, scopeOf } from './notam.ts'
import { clockEnd, closureTimes } from './times.ts'

export const textOf = (entry: XmlElement, name: string): string | null =>
  entry.children
    .find(child => child.name === name)
    ?.text.replace(/\s+/g, ' ')
    .trim() || null

const orNull = (at: number | undefined) => (at === undefined ? null : instant(at))

const event = (
  type: AirportEvent['type'],
  entry: XmlElement,
  rest: Partial<AirportEvent> = {},
): AirportEvent => ({ ...blankEvent(type, textOf(entry, 'Reason')), ...rest })

type Read = (entry: XmlElement, updated: number) => AirportEvent[]

const groundStop: Read = (entry, updated) => {
  const text = textOf(entry, 'End_Time')
  const at = text === null ? undefined : clockEnd(text, updated)
  return [
    event('ground_stop', entry, {
      ends_at: orNull(at),
      end_text: at === undefined ? text : null,
      shuts: 'airport',
    }),
  ]
}

const groundDelay: Read = entry => {
  const average = textOf(entry, 'Avg')
  return [
    event('ground_delay', entry, {
      average_delay: average,
      max_delay: longest(textOf(entry, 'Max'), average),
    }),
  ]
}

const delay: Read = entry =>
  entry.children
    .filter(child => child.name === 'Arrival_Departure')
    .map(part => {
      const least = textOf(part, 'Min')
      return event(part.attributes.Type?.trim() === 'Arrival' ? 'arrival_delay' : 'departure_delay', entry, {
        min_delay: least,
        max_delay: longest(textOf(part, 'Max'), least),
        trend: textOf(part, 'Trend')?.toLowerCase() ?? null,
      })
    })

const closure: Read = (entry, updated) => {
  const reason = textOf(entry, 'Reason') ?? ''
  const start = textOf(entry, 'Start')
  const reopen = textOf(entry, 'Reopen')
  // The times in the NOTAM come first. The fields beside it lack the year: LAX once seemed to reopen a year early.
  const notam = periodOf(reason)
  const { startAt, endAt } = notam ?? closureTimes(start ?? '', reopen ?? '', updated)
  return [
    event('closure', entry, {
      starts_at: orNull(startAt),
      ends_at: orNull(endAt),
      start_text: startAt === undefined ? start : null,
      end_text: notam || endAt !== undefined ? null : reopen,
      end_estimated: notam?.endEstimated ?? false,
      hours: hoursOf(reason),
      ...scopeOf(reason),
    }),
  ]
}

export const readers: Record<string, Read> = {
  Ground_Stop_List: groundStop,
  Ground_Delay_List: groundDelay,
  Arrival_Departure_Delay_List: delay,
  Airport_Closure_List: closure,
}

/** The elements of an entry of each list. */
export const knownElements: Record<string, KnownTypes> = {
  Ground_Stop_List: { ARPT: 'string', Reason: 'string', End_Time: 'string?' },
  Ground_Delay_List: { ARPT: 'string', Reason: 'string', Avg: 'string', Max: 'string?' },
  Arrival_Departure_Delay_List: { ARPT: 'string', Reason: 'string', Arrival_Departure: 'string' },
  Airport_Closure_List: { ARPT: 'string', Reason: 'string', Start: 'string?', Reopen: 'string?' },
}

/** Reads a list of airports of an unknown kind. */
export const otherList: Read = entry => [event('other', entry)]

export const airspaceLists = new Set(['Airspace_Flow_List', 'CTOP_List'])
