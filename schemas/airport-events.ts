/** The delays, delay programs and closures that the FAA reports for an airport at one moment. */
import { z } from 'zod'
import { defineDataset, field, latest, polledWithin, type RowOf } from './dataset/dataset.ts'
import { airports } from './dimensions.ts'
import { Instant } from './values/values.ts'

export const airportEventType = z.enum([
  'ground_stop',
  'ground_delay',
  'arrival_delay',
  'departure_delay',
  'closure',
  'other',
])

const text = z.string().min(1).nullable()
const minuteOfDay = z.int().min(0).max(1440)

/** The hours of the day in force, in UTC. They begin on one of `days` (0 is Sunday) and may run past midnight. */
const hours = z.strictObject({
  days: z.array(z.int().min(0).max(6)).min(1),
  opens_minute: minuteOfDay,
  shuts_minute: minuteOfDay,
})

const airportEvent = z.strictObject({
  type: airportEventType,
  reason: text,
  average_delay: text,
  min_delay: text,
  max_delay: text,
  trend: text,
  starts_at: Instant.nullable(),
  ends_at: Instant.nullable(),
  /** The feed's own words, if they name no moment. */
  start_text: text,
  end_text: text,
  /** An event does not end at its estimated end. It lasts until the feed no longer lists it. */
  end_estimated: z.boolean(),
  hours: z.array(hours),
  affects_airline_flights: z.boolean(),
  /** What is closed: the whole airport, some runways, or only pavement that no flight needs. */
  shuts: z.enum(['airport', 'runways', 'nothing']),
})

const moment = "Nullable(DateTime64(3, 'UTC'))"
const eventColumns: Record<keyof z.output<typeof airportEvent>, string> = {
  type: 'LowCardinality(String)',
  reason: 'Nullable(String)',
  average_delay: 'Nullable(String)',
  min_delay: 'Nullable(String)',
  max_delay: 'Nullable(String)',
  trend: 'Nullable(String)',
  starts_at: moment,
  ends_at: moment,
  start_text: 'Nullable(String)',
  end_text: 'Nullable(String)',
  end_estimated: 'Bool',
  hours: 'Array(Tuple(days Array(UInt8), opens_minute UInt16, shuts_minute UInt16))',
  affects_airline_flights: 'Bool',
  shuts: 'LowCardinality(String)',
}
const eventNames = Object.keys(eventColumns)
const eventColumn = `Array(Tuple(${Object.entries(eventColumns)
  .map(([name, column]) => `${name} ${column}`)
  .join(', ')}))`

const fields = {
  airport: field(
    z.string().regex(/^([A-Z0-9]{3,4}|\*)$/, 'a location id, or * for the feed itself'),
    'LowCardinality(String)',
    'FAA location id as the feed writes it; * is the row of the feed itself, which exists even when the feed names no airport',
  ),
  feed_updated: field(Instant, "DateTime64(3, 'UTC')", 'When the FAA wrote the document'),
  events: field(
    z.array(airportEvent),
    eventColumn,
    'Everything that was in force; empty: nothing is any more',
  ),
  dated: field(
    z.boolean(),
    'Bool',
    'true: the FAA stated feed_updated; false: it stated no time, and feed_updated is the time of the poll',
  ),
  airports: field(
    z.array(z.string()),
    'Array(String)',
    'Only in the row *: every airport that the document names; what was in force at any other airport is over',
  ),
  airspace_programs: field(
    z.int().min(0),
    'UInt16',
    'Only in the row *: flow and trajectory programs, which concern airspace and not airports',
  ),
  unread_lists: field(z.array(z.string()), 'Array(String)', 'Only in the row *: lists that we cannot read'),
}

export type AirportEvent = z.output<typeof airportEvent>
export type AirportState = RowOf<typeof fields>
export const theFeed = '*'
export const dayMs = 86_400_000

/** The FAA's words for a duration as minutes, in SQL. */
const minutesOf = (words: string) =>
  `if(match(${words}, '[0-9] *(hour|min)'), toUInt16OrZero(extract(${words}, '([0-9]+) *hour')) * 60 + toUInt16OrZero(extract(${words}, '([0-9]+) *min')), null)`
const minuteColumns = ['average_delay', 'min_delay', 'max_delay'].map(
  name => `${minutesOf(`ifNull(event.${name}, '')`)} as ${name}_minutes`,
)

/**
 * The feed has a row in the dataset of the airports. So each new document changes that dataset, and the answers that were
 * made from feed and airports are dropped.
 */
export const airportNow = latest<AirportState>({
  name: 'airport_now',
  about: 'Every delay and closure that the FAA reports now, one row each',
  key: ['airport'],
  held: true,
  source: 'faa',
  fresh: polledWithin(5 * 60_000),
  sql: rows =>
    `select airport, feed_updated, ${eventNames
      .map(name => `event.${name} as ${name}`)
      .concat(minuteColumns)
      .join(', ')} from ${rows} array join events as event
      where airport in (select arrayJoin(airports) from ${rows} where airport = '${theFeed}')`,
  columns: {
    type: 'ground_stop, ground_delay, arrival_delay, departure_delay, closure or other',
    reason: 'Why, in the words of the FAA',
    average_delay: 'The average delay, in the words of the FAA',
    min_delay: 'The shortest delay, in the words of the FAA',
    max_delay: 'The longest delay, in the words of the FAA',
    trend: 'Whether delays increase or decrease, in the words of the FAA',
    starts_at: 'When it begins, where the FAA names a moment',
    ends_at: 'When it ends, where the FAA names a moment',
    start_text: 'When it begins, in the words of the FAA, where they name no moment',
    end_text: 'When it ends, in the words of the FAA, where they name no moment',
    end_estimated: 'true: the end is an estimate, and it is in force until the FAA leaves it out',
    hours: 'The hours of the day in which it is in force, in UTC; 0 of `days` is Sunday',
    affects_airline_flights: 'false: it concerns other flights only',
    shuts: 'What is closed: airport, runways, or nothing that a flight needs',
    average_delay_minutes: '`average_delay` in minutes',
    min_delay_minutes: '`min_delay` in minutes',
    max_delay_minutes: '`max_delay` in minutes',
  },
})

export const airportEvents = defineDataset({
  name: 'airport_events',
  about: 'The whole state of each airport that the FAA names, once for each document of the FAA',
  fields,
  key: ['airport'],
  identity: ['airport', 'feed_updated'],
  views: [airportNow, airports],
  checks: [
    {
      name: 'range',
      about: 'no document is of the future',
      wrong: 'select airport, feed_updated from airport_events where feed_updated > now() + interval 1 hour',
    },
  ],
})
