/** Reads the FAA's newest document airport by airport, and writes remarks about the feed. */
import { durationMinutes } from '../../../../pipelines/sources/faa/times.ts'
import { type AirportEvent, type AirportState, theFeed } from '../../../../schemas/airport-events.ts'
import { type Airport, airportInFeed } from '../../../../schemas/tables/airports.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Held } from '../../../offer/operation.ts'
import { isActive } from './state.ts'

export interface Board {
  feed: AirportState
  /** Airports with events, by the code that answers use. */
  airports: Map<string, { airport: Airport; events: AirportEvent[] }>
}

export const boardOf = (held: Held<AirportState>, now: number): Board =>
  held.once('board', () => ({ value: readBoard(held, now) }))

function readBoard(held: Held<AirportState>, now: number): Board {
  const feed = held.get(theFeed)
  if (!feed)
    throw new Failure('not_ready', 'The first FAA document is not loaded yet', { 'Retry-After': '5' })
  const airports: Board['airports'] = new Map()
  for (const id of feed.airports) {
    const airport = airportInFeed(id, now)
    const events = [...(airports.get(airport.code)?.events ?? []), ...(held.get(id)?.events ?? [])]
    if (events.length) airports.set(airport.code, { airport, events })
  }
  return { feed, airports }
}

const oldAfterMs = 15 * 60_000

/** The time from which answers remark that the feed is old. */
export const oldFrom = ({ feed_updated, dated }: AirportState): number =>
  dated ? Date.parse(feed_updated) + oldAfterMs : Number.POSITIVE_INFINITY

export const seconds = (at: string): string => at.replace('.000Z', 'Z')

export function feedRemarks(feed: AirportState, now: number): string[] {
  const { airspace_programs: programs, unread_lists: unread } = feed
  return [
    ...(now >= oldFrom(feed)
      ? [`The FAA last updated its feed at ${seconds(feed.feed_updated)}, over 15 minutes ago.`]
      : []),
    ...(feed.dated ? [] : ['The feed does not say when it was updated.']),
    ...(programs
      ? [
          `${programs} airspace flow program${programs > 1 ? 's' : ''} active; they stand over airspace, not at an airport.`,
        ]
      : []),
    ...(unread.length ? [`The feed has entries that were not understood: ${unread.join(', ')}.`] : []),
  ]
}

/** Converts a duration in the FAA's words into minutes: 2 hours and 7 minutes is 127. */
export function minutesOf(words: string | null): number | null {
  return words !== null && /\b\d{1,4}\s?(hour|min)/.test(words) ? durationMinutes(words) : null
}

export const eventAnswer = (code: string, event: AirportEvent, now: number) => ({
  airport: code,
  type: event.type,
  reason: event.reason,
  average_delay: event.average_delay,
  min_delay: event.min_delay,
  max_delay: event.max_delay,
  average_delay_minutes: minutesOf(event.average_delay),
  min_delay_minutes: minutesOf(event.min_delay),
  max_delay_minutes: minutesOf(event.max_delay),
  trend: event.trend,
  start: event.starts_at ? seconds(event.starts_at) : event.start_text,
  end: event.ends_at ? seconds(event.ends_at) : event.end_text,
  affects_airline_flights: event.affects_airline_flights,
  active: isActive(event, now),
})
