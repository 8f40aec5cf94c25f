/** Warnings, watches and advisories of the National Weather Service, each for as long as it is in force. */
import { z } from 'zod'
import { defineDataset, field, latest, polledWithin, type RowOf } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

/** In order of severity. */
export const severities = ['Extreme', 'Severe', 'Moderate', 'Minor', 'Unknown'] as const

const text = z.string().min(1)
const word = 'LowCardinality(String)'
const moment = "DateTime64(3, 'UTC')"
const position = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)])

const fields = {
  alert: field(z.string().regex(/^[\w-]{16}$/), 'String', 'A short name of the message, made from its id'),
  id: field(text, 'String', 'The id of the message; an update is a message of its own'),
  event: field(text, word, 'What it warns of, e.g. Flood Warning'),
  severity: field(z.enum(severities), word, 'Extreme, Severe, Moderate, Minor or Unknown'),
  certainty: field(text.nullable(), 'LowCardinality(Nullable(String))', 'How certain'),
  urgency: field(text.nullable(), 'LowCardinality(Nullable(String))', 'How urgent'),
  headline: field(text.nullable(), 'Nullable(String)', 'In one line'),
  area: field(z.string(), 'String', 'The area in words'),
  sender: field(z.string(), word, 'The office'),
  sent_at: field(Instant, moment, 'When it was sent'),
  onset_at: field(Instant.nullable(), `Nullable(${moment})`, 'When the event begins'),
  expires_at: field(Instant, moment, 'When the message lapses'),
  ends_at: field(Instant.nullable(), `Nullable(${moment})`, 'When the event ends, where that is known'),
  expires_text: field(text, 'String', 'expires_at by the local clock, as sent'),
  ends_text: field(text.nullable(), 'Nullable(String)', 'ends_at by the local clock, as sent'),
  zones: field(
    z.array(z.string().regex(/^(forecast|county|fire|any)\/[A-Z0-9]{6}$/, 'a kind of zone and its UGC')),
    'Array(String)',
    'The zones that it is in force in, where it has no polygon; any/ where the kind of zone is not stated',
  ),
  polygons: field(
    z.array(z.array(z.array(position))),
    'Array(Array(Array(Array(Float64))))',
    'Where it is in force, as rings of longitude and latitude; empty: in its zones',
  ),
}

export type WeatherAlert = RowOf<typeof fields>

/** The end of the event decides. If it is unknown, the end of the message decides. */
export const lapsesAt = ({ ends_at, expires_at }: WeatherAlert): number => Date.parse(ends_at ?? expires_at)

/** An answer without a current warning is worse than no answer. */
const oldestMs = 10 * 60_000

export const weatherAlertsNow = latest<WeatherAlert>({
  name: 'weather_alerts_now',
  about:
    'Warnings, watches and advisories that have not lapsed; one that was cancelled early stays until its planned end',
  key: ['alert'],
  held: true,
  source: 'alerts',
  fresh: polledWithin(oldestMs),
  sql: rows => `select * from ${rows} where coalesce(ends_at, expires_at) > now64(3)`,
})

export const weatherAlerts = defineDataset({
  name: 'weather_alerts',
  about: 'Every alert message of the National Weather Service for the public',
  fields,
  key: ['alert'],
  identity: ['alert'],
  views: [weatherAlertsNow],
})
