/** An invented week of the National Weather Service. All points near a city share its forecast. */
import type { Sample, SampleAnswer } from '../rails/outside/upstreams/upstream.ts'
import { type City, cities } from './cities.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]

const nearest = (lat: number, lon: number): City =>
  [...cities].sort(
    (a, b) => Math.hypot(a.lat - lat, a.lon - lon) - Math.hypot(b.lat - lat, b.lon - lon),
  )[0] as City

/** A local time with its offset. */
function local(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  })
  const offset = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).format(at)
  return `${parts.format(at).replace(' ', 'T')}${offset.match(/[+-]\d\d:\d\d/)?.[0] ?? '+00:00'}`
}

/** The middle of Lake Michigan. Its cells have no forecast for land. */
const isOnLake = (lat: number, lon: number) => lat > 42.5 && lat < 45 && lon > -87.3 && lon < -86.7
const lakeCell: City['cell'] = ['MKX', 118, 82]

const found = (value: object): SampleAnswer => ({ type: 'application/geo+json', body: JSON.stringify(value) })
const problem = (name: string, title: string): SampleAnswer => ({
  status: 404,
  type: 'application/problem+json',
  body: JSON.stringify({ title, type: `https://api.weather.gov/problems/${name}`, status: 404 }),
})
const noPoint = problem('InvalidPoint', 'Data Unavailable For Requested Point')
const noLand = problem('MarineForecastNotSupported', 'Marine Forecast Not Supported')

function pointOf(lat: number, lon: number): SampleAnswer {
  const { name, state, cell, zones, timeZone } = nearest(lat, lon)
  const [office, x, y] = isOnLake(lat, lon) ? lakeCell : cell
  const base = 'https://api.weather.gov'
  return found({
    type: 'Feature',
    properties: {
      cwa: office,
      type: 'land',
      gridId: office,
      gridX: x,
      gridY: y,
      forecast: `${base}/gridpoints/${office}/${x},${y}/forecast`,
      relativeLocation: { type: 'Feature', properties: { city: name, state } },
      forecastZone: `${base}/zones/forecast/${zones[0]}`,
      county: `${base}/zones/county/${zones[1]}`,
      fireWeatherZone: `${base}/zones/fire/${zones[2]}`,
      timeZone,
    },
  })
}

const cellText = ([office, x, y]: City['cell']) => `${office}/${x},${y}`

const skies = [
  'Sunny',
  'Mostly Sunny',
  'Chance Showers',
  'Partly Cloudy',
  'Rain Likely',
  'Clear',
  'Mostly Cloudy',
]

function forecastOf(cell: string, now: number, units: string): SampleAnswer {
  const place = cities.find(city => cellText(city.cell) === cell)
  if (!place) return noPoint
  // Periods begin at six in the morning and in the evening, local time. The current one comes first.
  const hour = Number(local(now, place.timeZone).slice(11, 13))
  const sinceMs = ((hour + 6) % 12) * hourMs + (now % hourMs)
  const first = now - sinceMs
  const periods = Array.from({ length: 14 }, (_, i) => {
    const start = first + i * 12 * hourMs
    const isDaytime = Number(local(start, place.timeZone).slice(11, 13)) < 12
    const fahrenheit = place.high - (isDaytime ? 0 : 14) + ((i * 5) % 7) - 3
    const temperature = toUnits(fahrenheit, units)
    const sky = skies[(i + place.name.length) % skies.length] as string
    const weekday = new Intl.DateTimeFormat('en-US', { timeZone: place.timeZone, weekday: 'long' }).format(
      start,
    )
    const [slow, fast, unit] = units === 'si' ? [8, 16, 'km/h'] : [5, 10, 'mph']
    const wind = `${(i % 3) * slow + slow} to ${(i % 3) * slow + fast} ${unit}`
    return {
      number: i + 1,
      name: isDaytime ? weekday : `${weekday} Night`,
      startTime: local(start, place.timeZone),
      endTime: local(start + 12 * hourMs, place.timeZone),
      isDaytime,
      temperature,
      temperatureUnit: units === 'si' ? 'C' : 'F',
      temperatureTrend: null,
      probabilityOfPrecipitation: { unitCode: 'wmoUnit:percent', value: /Rain|Shower/.test(sky) ? 60 : null },
      windSpeed: wind,
      windDirection: ['NW', 'W', 'SSW'][i % 3],
      shortForecast: sky,
      detailedForecast: `${sky}, with a ${isDaytime ? 'high' : 'low'} near ${temperature}. Wind ${wind}.`,
    }
  })
  return forecastWith(periods, units, now)
}

const toUnits = (degrees: number, units: string) =>
  units === 'si' ? Math.round(((degrees - 32) * 5) / 9) : degrees

/** The hourly temperatures: a daily curve between the two temperatures of the day. */
function hoursOf(cell: string, now: number, units: string): SampleAnswer {
  const place = cities.find(city => cellText(city.cell) === cell)
  if (!place) return noPoint
  const first = now - (now % hourMs)
  const periods = Array.from({ length: 156 }, (_, i) => {
    const start = first + i * hourMs
    const hour = Number(local(start, place.timeZone).slice(11, 13))
    const degrees = place.high - 7 + Math.round(7 * Math.cos(((hour - 15) / 12) * Math.PI))
    return {
      number: i + 1,
      name: '',
      startTime: local(start, place.timeZone),
      endTime: local(start + hourMs, place.timeZone),
      isDaytime: hour >= 6 && hour < 18,
      temperature: toUnits(degrees, units),
      temperatureUnit: units === 'si' ? 'C' : 'F',
      probabilityOfPrecipitation: { unitCode: 'wmoUnit:percent', value: (hour * 7) % 60 },
      windSpeed: units === 'si' ? '15 km/h' : '10 mph',
      windDirection: 'W',
      shortForecast: skies[Math.floor(i / 12) % skies.length] as string,
      detailedForecast: '',
    }
  })
  return forecastWith(periods, units, now)
}

function forecastWith(periods: readonly object[], units: string, now: number): SampleAnswer {
  const updateTime = new Date(now - (now % (3 * hourMs))).toISOString().replace('.000Z', '+00:00')
  return found({ type: 'Feature', properties: { units, updateTime, periods } })
}

type Ring = [lon: number, lat: number][]

function alert(id: string, event: string, severity: string, zones: string[], now: number, ring?: Ring) {
  const hour = now - (now % (6 * hourMs))
  const at = (hours: number) => new Date(hour + hours * hourMs).toISOString().replace('.000Z', '+00:00')
  return {
    type: 'Feature',
    geometry: ring ? { type: 'Polygon', coordinates: [ring] } : null,
    properties: {
      '@id': `https://api.weather.gov/alerts/urn:sample:${id}:${hour}`,
      '@type': 'wx:Alert',
      id: `urn:sample:${id}:${hour}`,
      areaDesc: zones.join('; '),
      geocode: { UGC: zones.map(zone => zone.split('/')[1]) },
      affectedZones: zones.map(zone => `https://api.weather.gov/zones/${zone}`),
      references: [],
      sent: at(0),
      effective: at(0),
      onset: at(1),
      expires: at(8),
      ends: at(30),
      status: 'Actual',
      messageType: 'Alert',
      category: 'Met',
      severity,
      certainty: 'Likely',
      urgency: 'Expected',
      event,
      sender: 'sample@example.org',
      senderName: 'NWS sample',
      headline: `${event} issued by NWS sample`,
      description: `A made-up ${event}.`,
      instruction: null,
      response: 'Monitor',
      parameters: {},
    },
  }
}

const aroundHouston: Ring = [
  [-95.6, 29.6],
  [-95.2, 29.6],
  [-95.2, 29.9],
  [-95.6, 29.9],
  [-95.6, 29.6],
]

const alertsOf = (now: number): SampleAnswer =>
  found({
    type: 'FeatureCollection',
    features: [
      alert('wind', 'Wind Advisory', 'Moderate', ['forecast/DCZ001', 'forecast/NYZ072'], now),
      alert('flood', 'Flood Warning', 'Severe', ['county/TXC201'], now, aroundHouston),
      alert('fire', 'Red Flag Warning', 'Severe', ['fire/CAZ368'], now),
    ],
    title: 'Current watches, warnings, and advisories',
    updated: new Date(now - (now % minuteMs)).toISOString(),
  })

export const sample: Sample = ({ path, query, now }) => {
  const [, lat, lon] = path.match(/^\/points\/(-?[\d.]+),(-?[\d.]+)$/) ?? []
  if (lat !== undefined && lon !== undefined) return pointOf(Number(lat), Number(lon))
  const units = query.get('units') ?? 'us'
  const [, cell, hourly] = path.match(/^\/gridpoints\/(\w+\/\d+,\d+)\/forecast(\/hourly)?$/) ?? []
  if (cell === cellText(lakeCell)) return noLand
  if (cell !== undefined) return hourly ? hoursOf(cell, now, units) : forecastOf(cell, now, units)
  return path === '/alerts/active' ? alertsOf(now) : undefined
}
