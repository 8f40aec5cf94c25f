/** Reads one alert of the service's GeoJSON, and decides which alerts are in force. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { instant } from '../../../schemas/values/values.ts'
import { severities, type WeatherAlert } from '../../../schemas/weather-alerts.ts'
import type { KnownTypes } from '../../rails/drift.ts'

const text = z.string().nullish()
const position = z.array(z.number()).min(2)
const polygon = z.array(z.array(position))
const time = z.string().refine(at => !Number.isNaN(Date.parse(at)), 'a time')

const geometry = z.union([
  z.object({ type: z.literal('Polygon'), coordinates: polygon }),
  z.object({ type: z.literal('MultiPolygon'), coordinates: z.array(polygon) }),
])

/** Every feature is read, whatever its status. An alert in force must also have its times. */
export const feature = z.object({
  // Without a known shape the zones are used. They are larger, so the warning reaches a few people too many.
  geometry: geometry.nullish().catch(null),
  properties: z.object({
    id: z.string().min(1),
    event: z.string().min(1),
    status: z.string(),
    messageType: z.string(),
    severity: z.enum(severities).catch('Unknown'),
    certainty: text,
    urgency: text,
    headline: text,
    areaDesc: text,
    senderName: text,
    sent: time,
    onset: time.nullish(),
    expires: time.nullish(),
    ends: time.nullish(),
    affectedZones: z.array(z.string()).nullish(),
    geocode: z.object({ UGC: z.array(z.string()).nullish() }).nullish(),
    references: z.array(z.object({ identifier: z.string().optional() })).nullish(),
    replacedBy: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
})

/** All properties that the service sends, including those that we do not read. */
export const knownProperties: KnownTypes = {
  '@id': 'string',
  '@type': 'string',
  id: 'string',
  areaDesc: 'string',
  geocode: 'object',
  affectedZones: 'array',
  references: 'array?',
  replacedBy: 'string?',
  replacedAt: 'string?',
  sent: 'string',
  effective: 'string',
  onset: 'string|null',
  expires: 'string',
  ends: 'string|null',
  status: 'string',
  messageType: 'string',
  category: 'string',
  severity: 'string',
  certainty: 'string',
  urgency: 'string',
  event: 'string',
  sender: 'string',
  senderName: 'string',
  headline: 'string|null',
  description: 'string|null',
  instruction: 'string|null',
  response: 'string|null',
  note: 'string|null?',
  parameters: 'object',
  scope: 'string?',
  code: 'string?',
  language: 'string?',
  web: 'string|null?',
  eventCode: 'object?',
}

export type Feature = z.output<typeof feature>

/** Makes a key of 12 bytes. Every tick lists the alerts in force, and their ids are long. */
export const nameOf = (id: string): string =>
  createHash('sha256').update(id).digest().subarray(0, 12).toString('base64url')

/**
 * Selects alerts that are real, not cancelled and not replaced.
 * The feed may hold an update together with the old alert.
 */
export function standing(features: readonly Feature[]): Feature[] {
  const replaced = new Set(
    features.flatMap(({ properties }) => properties.references ?? []).map(({ identifier }) => identifier),
  )
  return features.filter(
    ({ properties: { id, status, messageType, replacedBy } }) =>
      status === 'Actual' &&
      (messageType === 'Alert' || messageType === 'Update') &&
      !replacedBy &&
      !replaced.has(id),
  )
}

const momentOf = (at: string | null | undefined): string | null => (at ? instant(Date.parse(at)) : null)

export function toAlert(alert: string, { geometry, properties: p }: Feature): WeatherAlert {
  const expires = p.expires ?? p.ends ?? ''
  return withinRecord({
    alert,
    id: p.id,
    event: p.event,
    severity: p.severity,
    certainty: p.certainty || null,
    urgency: p.urgency || null,
    headline: p.headline || firstText(p.parameters?.NWSheadline),
    area: p.areaDesc ?? '',
    sender: p.senderName ?? '',
    sent_at: instant(Date.parse(p.sent)),
    onset_at: momentOf(p.onset),
    expires_at: momentOf(expires) ?? '',
    ends_at: momentOf(p.ends),
    expires_text: expires,
    ends_text: p.ends ?? null,
    zones: zonesOf(p),
    polygons: polygonsOf(geometry),
  })
}

const firstText = (given: unknown): string | null =>
  Array.isArray(given) && typeof given[0] === 'string' && given[0] !== '' ? given[0] : null

const zoneUrl = /\/zones\/(forecast|county|fire)\/([A-Z0-9]{6})$/
const isOfFire = (event: string): boolean => /fire|red flag/i.test(event)

/**
 * Public zones and fire zones have separate numbers, and only a fire alert may be in force in both. A UGC code
 * without a zone address may be of either kind.
 */
function zonesOf({ event, affectedZones, geocode }: Feature['properties']): string[] {
  const told = (affectedZones ?? []).flatMap(url => {
    const [, kind, ugc] = url.match(zoneUrl) ?? []
    return ugc === undefined ? [] : [`${isOfFire(event) ? 'any' : kind}/${ugc}`]
  })
  const explained = new Set(told.map(zone => zone.split('/')[1]))
  const others = (geocode?.UGC ?? []).filter(ugc => /^[A-Z0-9]{6}$/.test(ugc) && !explained.has(ugc))
  return [...new Set([...told, ...others.map(ugc => `any/${ugc}`)])]
}

function polygonsOf(geometry: Feature['geometry']): WeatherAlert['polygons'] {
  const polygons = geometry?.type === 'Polygon' ? [geometry.coordinates] : (geometry?.coordinates ?? [])
  return polygons.map(rings => rings.map(ring => ring.map(([lon = 0, lat = 0]) => [lon, lat])))
}

const mostPolygonCharacters = 800_000

/** A record has a maximum size. An outline that exceeds it is replaced by its zones, which warn a few people too many. */
const withinRecord = (alert: WeatherAlert): WeatherAlert =>
  JSON.stringify(alert.polygons).length > mostPolygonCharacters ? { ...alert, polygons: [] } : alert
