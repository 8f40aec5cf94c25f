/** Matches alerts to a point in memory, so that no upstream is asked for each point. */
import { type GeoPosition, isInPolygon } from '../../../../schemas/values/polygon.ts'
import { lapsesAt, severities, type WeatherAlert } from '../../../../schemas/weather-alerts.ts'
import type { Held } from '../../../offer/operation.ts'

/** The zones of a point. Null where a zone is unknown. */
export interface Zones {
  forecast: string | null
  county: string | null
  fire: string | null
}

interface Index {
  byZone: Map<string, WeatherAlert[]>
  drawn: { alert: WeatherAlert; box: [west: number, south: number, east: number, north: number] }[]
}

/** An alert with a polygon applies inside the polygon only. Zones decide only for an alert without a polygon. */
export function alertsAt(held: Held<WeatherAlert>, point: GeoPosition, zones: Zones, now: number) {
  const { byZone, drawn } = held.once('index', () => ({ value: indexed(held) }))
  const [lon, lat] = point
  const inside = drawn
    .filter(
      ({ box: [west, south, east, north] }) => west <= lon && lon <= east && south <= lat && lat <= north,
    )
    .map(({ alert }) => alert)
    .filter(({ polygons }) => polygons.some(polygon => isInPolygon(point, polygon)))
  const zoned = (['forecast', 'county', 'fire'] as const).flatMap(kind => {
    const ugc = zones[kind]
    return ugc === null ? [] : [...(byZone.get(`${kind}/${ugc}`) ?? []), ...(byZone.get(`any/${ugc}`) ?? [])]
  })
  const standing = [...new Set([...inside, ...zoned])].filter(alert => now < lapsesAt(alert))
  return newestOfEach(standing).sort(bySeverity).map(alertAnswer)
}

function indexed(held: Held<WeatherAlert>): Index {
  const byZone: Index['byZone'] = new Map()
  const drawn: Index['drawn'] = []
  for (const alert of held.rows()) {
    const points = alert.polygons.flatMap(([outline = []]) => outline)
    if (points.length) {
      const lons = points.map(([lon]) => lon)
      const lats = points.map(([, lat]) => lat)
      drawn.push({ alert, box: [least(lons), least(lats), most(lons), most(lats)] })
      continue
    }
    for (const zone of alert.zones) byZone.set(zone, [...(byZone.get(zone) ?? []), alert])
  }
  return { byZone, drawn }
}

const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b))
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b))

/** Keeps the newest of several copies of a warning. */
function newestOfEach(alerts: readonly WeatherAlert[]): WeatherAlert[] {
  const newest = new Map<string, WeatherAlert>()
  for (const alert of alerts) {
    const name = JSON.stringify([alert.event, alert.ends_at, alert.area])
    const other = newest.get(name)
    if (!other || other.sent_at < alert.sent_at) newest.set(name, alert)
  }
  return [...newest.values()]
}

const bySeverity = (a: WeatherAlert, b: WeatherAlert): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  onset(a) - onset(b) ||
  (a.alert < b.alert ? -1 : 1)

const onset = ({ onset_at }: WeatherAlert): number =>
  onset_at === null ? Number.POSITIVE_INFINITY : Date.parse(onset_at)

const alertAnswer = ({ event, severity, headline, expires_text, ends_text }: WeatherAlert) => ({
  event,
  severity,
  headline,
  expires: expires_text,
  ends: ends_text,
})
