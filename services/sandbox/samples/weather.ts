/** A made-up week of the National Weather Service: a few cities, whose forecast every point near them shares. */
import type { Said } from '../loopback.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]

interface City {
  name: string
  state: string
  lat: number
  lon: number
  cell: [office: string, x: number, y: number]
  zones: [forecast: string, county: string, fire: string]
  timeZone: string
  high: number
}

const city = (
  name: string,
  state: string,
  at: [lat: number, lon: number],
  cell: City['cell'],
  zones: City['zones'],
  timeZone: string,
  high: number,
): City => ({ name, state, lat: at[0], lon: at[1], cell, zones, timeZone, high })

const cities = [
  city(
    'Washington',
    'DC',
    [38.895, -77.036],
    ['LWX', 96, 71],
    ['DCZ001', 'DCC001', 'DCZ001'],
    'America/New_York',
    55,
  ),
  city(
    'New York',
    'NY',
    [40.713, -74.006],
    ['OKX', 33, 36],
    ['NYZ072', 'NYC061', 'NYZ212'],
    'America/New_York',
    50,
  ),
  city(
    'Miami',
    'FL',
    [25.762, -80.192],
    ['MFL', 110, 50],
    ['FLZ173', 'FLC086', 'FLZ173'],
    'America/New_York',
    80,
  ),
  city(
    'Chicago',
    'IL',
    [41.878, -87.63],
    ['LOT', 76, 73],
    ['ILZ104', 'ILC031', 'ILZ104'],
    'America/Chicago',
    42,
  ),
  city(
    'Houston',
    'TX',
    [29.76, -95.369],
    ['HGX', 65, 97],
    ['TXZ213', 'TXC201', 'TXZ213'],
    'America/Chicago',
    71,
  ),
  city(
    'Linn',
    'KS',
    [39.746, -97.089],
    ['TOP', 31, 80],
    ['KSZ009', 'KSC201', 'KSZ009'],
    'America/Chicago',
    48,
  ),
  city(
    'Denver',
    'CO',
    [39.739, -104.985],
    ['BOU', 62, 60],
    ['COZ040', 'COC031', 'COZ240'],
    'America/Denver',
    46,
  ),
  city(
    'Phoenix',
    'AZ',
    [33.448, -112.074],
    ['PSR', 159, 58],
    ['AZZ543', 'AZC013', 'AZZ133'],
    'America/Phoenix',
    74,
  ),
  city(
    'Los Angeles',
    'CA',
    [34.052, -118.244],
    ['LOX', 154, 44],
    ['CAZ368', 'CAC037', 'CAZ368'],
    'America/Los_Angeles',
    70,
  ),
  city(
    'Seattle',
    'WA',
    [47.606, -122.332],
    ['SEW', 124, 67],
    ['WAZ315', 'WAC033', 'WAZ654'],
    'America/Los_Angeles',
    49,
  ),
  city(
    'Anchorage',
    'AK',
    [61.218, -149.9],
    ['AER', 143, 236],
    ['AKZ701', 'AKC020', 'AKZ701'],
    'America/Anchorage',
    24,
  ),
  city(
    'Honolulu',
    'HI',
    [21.307, -157.858],
    ['HFO', 154, 144],
    ['HIZ033', 'HIC003', 'HIZ033'],
    'Pacific/Honolulu',
    83,
  ),
  city(
    'San Juan',
    'PR',
    [18.466, -66.106],
    ['SJU', 135, 113],
    ['PRZ001', 'PRC127', 'PRZ001'],
    'America/Puerto_Rico',
    85,
  ),
  city(
    'Tamuning',
    'GU',
    [13.488, 144.777],
    ['GUM', 52, 74],
    ['GUZ001', 'GUC010', 'GUZ001'],
    'Pacific/Guam',
    86,
  ),
] as const

const nearest = (lat: number, lon: number): City =>
  [...cities].sort(
    (a, b) => Math.hypot(a.lat - lat, a.lon - lon) - Math.hypot(b.lat - lat, b.lon - lon),
  )[0] as City

/** An hour on the clock of a place, with its offset. */
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

const found = (value: object): Said => ({ type: 'application/geo+json', body: JSON.stringify(value) })
const noPoint: Said = {
  status: 404,
  type: 'application/problem+json',
  body: JSON.stringify({
    title: 'Data Unavailable For Requested Point',
    type: 'https://api.weather.gov/problems/InvalidPoint',
    status: 404,
  }),
}

function pointOf(lat: number, lon: number): Said {
  const { name, state, cell, zones, timeZone } = nearest(lat, lon)
  const [office, x, y] = cell
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

const skies = [
  'Sunny',
  'Mostly Sunny',
  'Chance Showers',
  'Partly Cloudy',
  'Rain Likely',
  'Clear',
  'Mostly Cloudy',
]

function forecastOf(cell: string, now: number): Said {
  const place = cities.find(({ cell: [office, x, y] }) => `${office}/${x},${y}` === cell)
  if (!place) return noPoint
  // Six in the morning and six in the evening by its own clock, the half day that is going on first.
  const hour = Number(local(now, place.timeZone).slice(11, 13))
  const sinceMs = ((hour + 6) % 12) * hourMs + (now % hourMs)
  const first = now - sinceMs
  const periods = Array.from({ length: 14 }, (_, i) => {
    const start = first + i * 12 * hourMs
    const isDaytime = Number(local(start, place.timeZone).slice(11, 13)) < 12
    const temperature = place.high - (isDaytime ? 0 : 14) + ((i * 5) % 7) - 3
    const sky = skies[(i + place.name.length) % skies.length] as string
    const weekday = new Intl.DateTimeFormat('en-US', { timeZone: place.timeZone, weekday: 'long' }).format(
      start,
    )
    const wind = `${(i % 3) * 5 + 5} to ${(i % 3) * 5 + 10} mph`
    return {
      number: i + 1,
      name: isDaytime ? weekday : `${weekday} Night`,
      startTime: local(start, place.timeZone),
      endTime: local(start + 12 * hourMs, place.timeZone),
      isDaytime,
      temperature,
      temperatureUnit: 'F',
      temperatureTrend: null,
      probabilityOfPrecipitation: { unitCode: 'wmoUnit:percent', value: /Rain|Shower/.test(sky) ? 60 : null },
      windSpeed: wind,
      windDirection: ['NW', 'W', 'SSW'][i % 3],
      shortForecast: sky,
      detailedForecast: `${sky}, with a ${isDaytime ? 'high' : 'low'} near ${temperature}. Wind ${wind}.`,
    }
  })
  const updateTime = new Date(now - (now % (3 * hourMs))).toISOString().replace('.000Z', '+00:00')
  return found({ type: 'Feature', properties: { units: 'us', updateTime, periods } })
}

type Ring = [lon: number, lat: number][]

function alert(id: string, event: string, severity: string, zones: string[], now: number, ring?: Ring) {
  const hour = now - (now % (6 * hourMs))
  const at = (hours: number) => new Date(hour + hours * hourMs).toISOString().replace('.000Z', '+00:00')
  return {
    type: 'Feature',
    geometry: ring ? { type: 'Polygon', coordinates: [ring] } : null,
    properties: {
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
      severity,
      certainty: 'Likely',
      urgency: 'Expected',
      event,
      senderName: 'NWS sample',
      headline: `${event} issued by NWS sample`,
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

const alertsOf = (now: number): Said =>
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

export function weatherService(path: string, now: number): Said | undefined {
  const [, lat, lon] = path.match(/^\/points\/(-?[\d.]+),(-?[\d.]+)$/) ?? []
  if (lat !== undefined && lon !== undefined) return pointOf(Number(lat), Number(lon))
  const [, cell] = path.match(/^\/gridpoints\/(\w+\/\d+,\d+)\/forecast$/) ?? []
  if (cell !== undefined) return forecastOf(cell, now)
  return path === '/alerts/active' ? alertsOf(now) : undefined
}
