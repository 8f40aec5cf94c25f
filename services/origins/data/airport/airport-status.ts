/** What delays and closures does an airport have, or which airports have any? As the FAA says, to the minute. */
import { z } from 'zod'
import { faaUpstream } from '../../../../pipelines/sources/faa/upstream.ts'
import { airportEventType, airportNow } from '../../../../schemas/airport-events.ts'
import { airportAsked, cityAsked, isElsewhere, wordsInFeed } from '../../../../schemas/tables/airports.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { placeField } from '../../../offer/place.ts'
import { oneAirport, wholeSystem } from './answers.ts'
import { boardOf } from './board.ts'
import { airportStatus as statuses } from './state.ts'

const text = z.string().nullable()
const minutes = z.int().nullable().describe('The same as a number')
const event = z.strictObject({
  airport: z.string(),
  type: airportEventType,
  reason: text,
  average_delay: text,
  min_delay: text,
  max_delay: text,
  average_delay_minutes: minutes,
  min_delay_minutes: minutes,
  max_delay_minutes: minutes,
  trend: text,
  start: text,
  end: text,
  affects_airline_flights: z
    .boolean()
    .describe('false: a closure that only keeps out unscheduled or oversized aircraft'),
  active: z.boolean().describe('false: a closure that is not in force at this hour'),
})
const events = z.array(event)

export const airportStatus = defineOperation({
  id: 'airportDelays',
  path: '/airport/status',
  price: '0.003',
  inBrief: 'FAA ground stops, delays and closures at a US airport, or at all that have any.',
  costs: 'held',
  sold: 'Sold also if the feed has entries that are not understood: `note` names them.',
  trial: true,
  title: 'Airport delays and closures',
  about:
    'FAA ground stops, delay programs, delays and closures at a US airport, or at every airport that has any. Says of each closure whether it touches airline flights. Read every minute; what is older than five minutes is never sold: a free 502.',
  tags: ['airport', 'flight delays', 'FAA'],
  request: z.strictObject({
    airport: placeField(
      'airport',
      z
        .string()
        .trim()
        .regex(/^[A-Za-z0-9]{3,4}$/, 'an IATA or ICAO code')
        .toUpperCase()
        .nullish()
        .describe('IATA or ICAO code, e.g. JFK or KJFK; leave it out to get every airport with events'),
    ),
  }),
  response: z.strictObject({
    airport: z.string().optional().describe('Its IATA code, or the FAA’s where it has none'),
    status: z.enum(statuses).optional(),
    events: events.optional(),
    airports_with_events: z
      .array(z.strictObject({ airport: z.string(), status: z.enum(statuses), events }))
      .optional(),
    count: z.int().optional(),
    feed_updated: text.optional().describe('When the FAA wrote what this answer says'),
    note: z.string().optional(),
    source: z.string(),
  }),
  refusals: {
    unknown_airport: { status: 422, about: 'The code names no airport that the FAA reports on' },
    outside_coverage: { status: 422, about: 'The airport is outside the FAA’s coverage' },
  },
  example: {
    request: { airport: 'KBOS' },
    response: {
      airport: 'BOS',
      status: 'delays',
      events: [
        {
          airport: 'BOS',
          type: 'ground_delay',
          reason: 'runway construction',
          average_delay: '1 hour and 5 minutes',
          min_delay: null,
          max_delay: '3 hours and 4 minutes',
          average_delay_minutes: 65,
          min_delay_minutes: null,
          max_delay_minutes: 184,
          trend: null,
          start: null,
          end: null,
          affects_airline_flights: true,
          active: true,
        },
      ],
      feed_updated: '2026-10-02T11:46:31Z',
      source: faaUpstream.credit,
    },
  },
  answer({ airport: code }, { now, view, credit }, refuse) {
    const held = view(airportNow, undefined)
    const board = boardOf(held, now())
    const source = credit(faaUpstream)
    if (code === undefined || code === null)
      return held.once('whole system', () => wholeSystem(board, now(), source))
    const airport =
      airportAsked(code, now()) ??
      wordsInFeed(code)
        .map(word => board.airports.get(word)?.airport)
        .find(found => found !== undefined)
    if (airport) return held.once(`airport ${airport.code}`, () => oneAirport(board, airport, now(), source))
    if (isElsewhere(code)) return refuse('outside_coverage', `${code} is outside FAA coverage`)
    return refuse('unknown_airport', cityAsked(code) ?? `${code} is no airport known here`)
  },
})
