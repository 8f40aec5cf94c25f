/** The status of an airport at a moment. A closure has hours, so the same facts mean something else an hour later. */
import { type AirportEvent, dayMs } from '../../../../schemas/airport-events.ts'

export const airportStatus = ['stopped_or_closed', 'delays', 'normal'] as const
/** The most severe comes first. */
export type AirportStatus = (typeof airportStatus)[number]

interface Span {
  from: number
  to: number
}

/** Lists the spans of these hours from yesterday, which may last into today, to a week ahead. */
function spansAround(hours: AirportEvent['hours'], now: number): Span[] {
  const today = Math.floor(now / dayMs) * dayMs
  return hours.flatMap(({ days, opens_minute, shuts_minute }) =>
    Array.from({ length: 9 }, (_, i) => today + (i - 1) * dayMs)
      .filter(midnight => days.includes(new Date(midnight).getUTCDay()))
      .map(midnight => ({
        from: midnight + opens_minute * 60_000,
        to: midnight + shuts_minute * 60_000 + (shuts_minute <= opens_minute ? dayMs : 0),
      })),
  )
}

/** A program or delay stands while the feed names it; a closure has its hours. */
export function isActive(event: AirportEvent, now: number): boolean {
  if (event.type !== 'closure') return true
  const hasBegun = event.starts_at === null || Date.parse(event.starts_at) <= now
  const isOver = event.ends_at !== null && !event.end_estimated && Date.parse(event.ends_at) <= now
  const isOpen =
    event.hours.length === 0 || spansAround(event.hours, now).some(s => s.from <= now && now < s.to)
  return hasBegun && !isOver && isOpen
}

/** The next moment at which `statusOf` may change without a new fact. */
export function nextChange(events: readonly AirportEvent[], now: number): number {
  const moments = events
    .filter(event => event.type === 'closure')
    .flatMap(({ starts_at, ends_at, hours }) => [
      ...[starts_at, ends_at].filter(at => at !== null).map(at => Date.parse(at)),
      ...spansAround(hours, now).flatMap(({ from, to }) => [from, to]),
    ])
  return Math.min(...moments.filter(at => at > now))
}

export function statusOf(events: readonly AirportEvent[], now: number, oneRunway: boolean): AirportStatus {
  const felt = events.filter(event => event.affects_airline_flights && isActive(event, now))
  const isShut = ({ type, shuts }: AirportEvent) =>
    type === 'ground_stop' ||
    (type === 'closure' && (shuts === 'airport' || (shuts === 'runways' && oneRunway)))
  return felt.some(isShut) ? 'stopped_or_closed' : felt.length > 0 ? 'delays' : 'normal'
}
