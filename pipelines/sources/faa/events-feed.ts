/** Reads the FAA's JSON of airports into the same events as the XML document, with the times that the XML leaves out. */
import { z } from 'zod'
import type { AirportEvent } from '../../../schemas/airport-events.ts'
import { instant } from '../../../schemas/values/values.ts'
import { type Drift, driftOf, type KnownTypes } from '../../rails/drift.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { readJson } from '../../rails/formats/json.ts'
import type { FaaDocument } from './document.ts'
import { blankEvent, longest } from './event.ts'
import { hoursOf, periodOf, scopeOf } from './notam.ts'
import { durationWords } from './times.ts'

const spaced = (text: string) => text.replace(/\s+/g, ' ').trim() || null
const words = z
  .string()
  .nullish()
  .transform(text => (text ? spaced(text) : null))
const time = z.iso
  .datetime({ offset: true })
  .nullish()
  .transform(at => (at ? Date.parse(at) : undefined))
/** A number of minutes, or a duration in the FAA's words. */
const duration = z
  .union([z.number().min(0), z.string()])
  .nullish()
  .transform(said =>
    said === null || said === undefined || said === ''
      ? null
      : Number.isFinite(Number(said))
        ? durationWords(Math.round(Number(said)))
        : spaced(String(said)),
  )
const span = { startTime: time, endTime: time }
const closed = z.object({ simpleText: words, text: words, ...span }).nullish()
const delayed = z
  .object({
    reason: words,
    averageDelay: duration,
    trend: words,
    arrivalDeparture: z.object({ min: duration, max: duration, trend: words }).nullish(),
  })
  .nullish()
const members = {
  groundStop: z.object({ impactingCondition: words, ...span }).nullish(),
  groundDelay: z
    .object({ impactingCondition: words, avgDelay: duration, maxDelay: duration, ...span })
    .nullish(),
  arrivalDelay: delayed,
  departureDelay: delayed,
  airportClosure: closed,
  freeForm: closed,
  deicing: z.object({ eventTime: time, expTime: time }).nullish(),
}
const feed = z.array(z.looseObject({ airportId: z.string().regex(/^[A-Za-z0-9]{3,4}$/), ...members }))
type Entry = z.output<typeof feed>[number]

const orNull = (at: number | undefined) => (at === undefined ? null : instant(at))
const within = ({ startTime, endTime }: { startTime: number | undefined; endTime: number | undefined }) => ({
  starts_at: orNull(startTime),
  ends_at: orNull(endTime),
})

const bookkeeping = {
  id: 'string|number?',
  airportId: 'string?',
  createdAt: 'string|null?',
  updatedAt: 'string|null?',
  sourceTimeStamp: 'string|null?',
} as const
const program = {
  ...bookkeeping,
  impactingCondition: 'string|null',
  startTime: 'string|null',
  endTime: 'string|null',
  center: 'string|null?',
  advisoryUrl: 'string|null?',
  includedFacilities: 'array|null?',
  includedFlights: 'string|null?',
} as const
const delay: KnownTypes = {
  ...bookkeeping,
  reason: 'string|null',
  arrivalDeparture: 'object|null',
  averageDelay: 'string|number|null?',
  trend: 'string|null?',
  updateTime: 'string|null?',
}
const notice: KnownTypes = {
  ...bookkeeping,
  simpleText: 'string|null',
  text: 'string|null',
  startTime: 'string|null',
  endTime: 'string|null',
  issuedDate: 'string|null?',
  notamNumber: 'number|string|null?',
}
/** The known fields of each member in the feed. */
const knownMembers: Readonly<Record<keyof typeof members, KnownTypes>> = {
  groundStop: { ...program, probabilityOfExtension: 'string|null?', programExpirationTime: 'string|null?' },
  groundDelay: {
    ...program,
    avgDelay: 'number|string|null',
    maxDelay: 'number|string|null',
    departureScope: 'string|number|null?',
  },
  arrivalDelay: delay,
  departureDelay: delay,
  airportClosure: notice,
  freeForm: notice,
  deicing: { ...bookkeeping, eventTime: 'string|null', expTime: 'string|null' },
}
const knownEntry: KnownTypes = {
  airportId: 'string',
  airportLongName: 'string|null?',
  latitude: 'string|number|null?',
  longitude: 'string|number|null?',
  airportConfig: 'object|null?',
  ...Object.fromEntries(Object.keys(members).map(member => [member, 'object|null?'])),
}
const loose = z.array(z.looseObject({}))

function driftIn(body: string, from: string): Drift[] {
  const entries = readJson(loose, body, from)
  const inMembers = Object.entries(knownMembers).flatMap(([member, known]) =>
    driftOf(
      known,
      entries.map(entry => entry[member]),
    ).map(one => ({ ...one, what: `${member}.${one.what}` })),
  )
  return [...driftOf(knownEntry, entries), ...inMembers]
}

export interface FaaEvents {
  airports: FaaDocument['airports']
  drift: Drift[]
}

export function readEvents(body: string, from: string, now: number): FaaEvents {
  const airports: FaaDocument['airports'] = new Map()
  for (const entry of readJson(feed, body, from)) {
    // An entry of an airport without news still has its members, as null.
    if (!Object.keys(members).some(member => member in entry))
      throw new UpstreamFailed(`${from} has an airport without any member that is known`)
    const events = eventsOf(entry, now)
    const airport = entry.airportId.toUpperCase()
    if (events.length) airports.set(airport, [...(airports.get(airport) ?? []), ...events])
  }
  return { airports, drift: driftIn(body, from) }
}

function eventsOf(entry: Entry, now: number): AirportEvent[] {
  const { groundStop, groundDelay, arrivalDelay, departureDelay, airportClosure, freeForm, deicing } = entry
  const events: AirportEvent[] = []
  if (groundStop)
    events.push({
      ...blankEvent('ground_stop', groundStop.impactingCondition),
      ...within(groundStop),
      shuts: 'airport',
    })
  if (groundDelay)
    events.push({
      ...blankEvent('ground_delay', groundDelay.impactingCondition),
      average_delay: groundDelay.avgDelay,
      max_delay: longest(groundDelay.maxDelay, groundDelay.avgDelay),
      ...within(groundDelay),
    })
  if (arrivalDelay) events.push(delayOf('arrival_delay', arrivalDelay))
  if (departureDelay) events.push(delayOf('departure_delay', departureDelay))
  for (const closure of [airportClosure, freeForm]) if (closure) events.push(closureOf(closure))
  if (deicing && (deicing.expTime === undefined || deicing.expTime > now))
    events.push({
      ...blankEvent('other', 'deicing'),
      ...within({ startTime: deicing.eventTime, endTime: deicing.expTime }),
    })
  return events
}

function delayOf(
  type: AirportEvent['type'],
  { reason, averageDelay, trend, arrivalDeparture }: NonNullable<Entry['arrivalDelay']>,
): AirportEvent {
  const least = arrivalDeparture?.min ?? null
  return {
    ...blankEvent(type, reason),
    average_delay: averageDelay,
    min_delay: least,
    max_delay: longest(arrivalDeparture?.max ?? null, least),
    trend: (arrivalDeparture?.trend ?? trend)?.toLowerCase() ?? null,
  }
}

function closureOf({ simpleText, text, ...span }: NonNullable<Entry['freeForm']>): AirportEvent {
  const reason = simpleText ?? text
  const notam = periodOf(reason ?? '')
  const blank = blankEvent(/\bCLSD\b/i.test(reason ?? '') ? 'closure' : 'other', reason)
  const times = within(notam ? { startTime: notam.startAt, endTime: notam.endAt } : span)
  if (blank.type === 'other') return { ...blank, ...times }
  const estimated = { end_estimated: notam?.endEstimated ?? false }
  return { ...blank, ...times, ...estimated, hours: hoursOf(reason ?? ''), ...scopeOf(reason ?? '') }
}
