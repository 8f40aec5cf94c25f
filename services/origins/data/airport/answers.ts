/** The two answers about airports. Each is serialised once and stays valid until a moment that it names. */
import type { Airport } from '../../../../schemas/tables/airports.ts'
import { Serialised } from '../../../offer/answer.ts'
import { type Board, eventAnswer, feedRemarks, oldFrom, seconds } from './board.ts'
import { type AirportStatus, airportStatus, nextChange, statusOf } from './state.ts'

const noGuarantee = 'absence from the feed is not a guarantee of normal operations.'

const feedPart = ({ feed }: Board, remarks: readonly string[], source: string) => ({
  feed_updated: feed.dated ? seconds(feed.feed_updated) : null,
  ...(remarks.length ? { note: remarks.join(' ') } : {}),
  source,
})

const later = (at: number, now: number): number => (at > now ? at : Number.POSITIVE_INFINITY)

export function oneAirport(board: Board, { code, oneRunway }: Airport, now: number, source: string) {
  const events = board.airports.get(code)?.events ?? []
  const status = statusOf(events, now, oneRunway)
  const reported = events.length ? ' that affects airline flights now' : ''
  const remarks = [
    ...(status === 'normal'
      ? [`No FAA delay program or closure${reported} is reported for this airport; ${noGuarantee}`]
      : []),
    ...feedRemarks(board.feed, now),
  ]
  return {
    value: new Serialised({
      airport: code,
      status,
      events: events.map(event => eventAnswer(code, event, now)),
      ...feedPart(board, remarks, source),
    }),
    until: Math.min(nextChange(events, now), later(oldFrom(board.feed), now)),
  }
}

export function wholeSystem(board: Board, now: number, source: string) {
  const rows = [...board.airports.values()].map(({ airport: { code, oneRunway }, events }) => ({
    code,
    events,
    status: statusOf(events, now, oneRunway),
  }))
  const severity = ({ status }: { status: AirportStatus }) => airportStatus.indexOf(status)
  rows.sort((a, b) => severity(a) - severity(b) || (a.code < b.code ? -1 : 1))
  const harmless = rows.filter(({ events }) => events.every(event => !event.affects_airline_flights)).length
  const remarks = [
    ...(harmless
      ? [
          `${harmless} of them ${harmless > 1 ? 'have' : 'has'} only closures that keep no airline flights out.`,
        ]
      : []),
    ...feedRemarks(board.feed, now),
  ]
  return {
    value: new Serialised({
      airports_with_events: rows.map(({ code, status, events }) => ({
        airport: code,
        status,
        events: events.map(event => eventAnswer(code, event, now)),
      })),
      count: rows.length,
      ...feedPart(board, remarks, source),
    }),
    until: Math.min(...rows.map(({ events }) => nextChange(events, now)), later(oldFrom(board.feed), now)),
  }
}
