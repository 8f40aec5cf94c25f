/** One alert of the service's GeoJSON, and which of them stand. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { instant } from '../../../schemas/values.ts'
import { severities, type WeatherAlert } from '../../../schemas/weather-alerts.ts'

const text = z.string().nullish()
const position = z.array(z.number()).min(2)
const polygon = z.array(z.array(position))
const time = z.string().refine(at => !Number.isNaN(Date.parse(at)), 'a time')

const geometry = z.union([
  z.object({ type: z.literal('Polygon'), coordinates: polygon }),
  z.object({ type: z.literal('MultiPolygon'), coordinates: z.array(polygon) }),
])

/** Every feature is read, whatever its status; of those that stand the times must be told too. */
export const feature = z.object({
  // A shape that is none of these leaves the zones, which warn a few too many.
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

export type Feature = z.output<typeof feature>

/** A key of 12 bytes: what stands is told in every tick, and ids are long. */
export const nameOf = (id: string): string =>
  createHash('sha256').update(id).digest().subarray(0, 12).toString('base64url')

/** Real, not cancelled, and not replaced by another: updates were seen side by side with what they update. */
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
 * Public and fire zones are numbered apart: only a fire alert may hold in either. A UGC that no zone address explains
 * may be of any kind.
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

/** A record has an end: an outline too long for it gives way to the zones, which warn a few too many. */
const withinRecord = (alert: WeatherAlert): WeatherAlert =>
  JSON.stringify(alert.polygons).length > mostPolygonCharacters ? { ...alert, polygons: [] } : alert
