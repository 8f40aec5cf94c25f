import { describe, expect, test } from 'vitest'
import { forecastLookup, outlookLookup, placeLookup } from '../../../../pipelines/lookups/forecast.ts'
import { geocodeLookup } from '../../../../pipelines/lookups/geocode.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { feature, nameOf, toAlert } from '../../../../pipelines/sources/alerts/feature.ts'
import { geocodes } from '../../../../schemas/geocodes.ts'
import { weatherAlerts } from '../../../../schemas/weather-alerts.ts'
import { weatherForecasts } from '../../../../schemas/weather-forecasts.ts'
import { weatherOutlooks } from '../../../../schemas/weather-outlooks.ts'
import { weatherPoints } from '../../../../schemas/weather-points.ts'
import { weather } from '../../../../services/origins/data/weather/weather.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { reply, startCensus } from '../../../pipelines/lookups/census-upstream.ts'
import { hurried, openFinding } from '../../../pipelines/lookups/finding.ts'
import {
  forecastBody,
  pointBody,
  problems,
  startNws,
  type Told,
} from '../../../pipelines/lookups/nws-upstream.ts'
import { type AlertGiven, alertFeature } from '../../../pipelines/sources/nws-alerts.ts'
import { ask, askText, polled, stock } from '../ask.ts'

const noon = Date.parse('2026-11-21T12:00:00Z')
const hourMs = 3_600_000
const washington = { lat: 38.8894, lon: -77.0352 }
const whiteHouse = '1600 Pennsylvania Ave NW, Washington, DC 20500'

interface Setting {
  answer?: (path: string) => Told
  alerts?: AlertGiven[]
  /** The age of the last poll of the alerts. Null if there was none. */
  polledMs?: number | null
}

const fine = (path: string): Told => ({
  body: path.startsWith('/points') ? pointBody('LWX/96,70') : forecastBody(noon - hourMs, noon - hourMs),
})

async function over({ answer = fine, alerts = [], polledMs = 0 }: Setting = {}) {
  let now = noon
  const nws = await startNws(path => answer(path))
  const census = await startCensus(address =>
    reply(
      address.startsWith('1600')
        ? [{ matchedAddress: '1600 PENNSYLVANIA AVE NW, WASHINGTON, DC, 20502', tract: '11001006202' }]
        : [],
    ),
  )
  const { finder } = await openFinding([geocodeLookup, placeLookup, forecastLookup, outlookLookup], {
    at: { NWS_URL: nws.url, CENSUS_URL: census.url },
    datasets: [geocodes, weatherPoints, weatherForecasts, weatherOutlooks],
    now: () => now,
    waiting: hurried(() => now),
  })
  const shelf = new Shelf(() => now)
  if (polledMs !== null) polled(shelf, 'alerts', noon - polledMs)
  const events = alerts.map(given => toAlert(nameOf(given.id), feature.parse(alertFeature(given))))
  stock(shelf, weatherAlerts, events)
  return {
    nws,
    census,
    asking: { shelf, now: () => now, find: finder.find },
    pass: (ms: number) => {
      now += ms
      polled(shelf, 'alerts', now)
    },
  }
}

describe('/weather', () => {
  test('answers for a point, digit by digit', async () => {
    const { asking, nws } = await over({
      alerts: [
        { id: 'a', zones: ['forecast/DCZ001'] },
        { id: 'b', zones: ['forecast/DCZ002'] },
      ],
    })
    expect(await askText(weather, { lat: 38.88941, lon: -77.03519, periods: 1 }, asking)).toBe(
      '{"location":{"city":"Washington","state":"DC","lat":38.8894,"lon":-77.0352,"time_zone":"America/New_York"},' +
        '"forecast":[{"name":"Period 1","start":"2026-11-21T06:00:00-05:00","end":"2026-11-21T18:00:00-05:00",' +
        '"temperature":50,"temperature_unit":"F","precipitation_chance":null,"wind":"6 to 10 mph",' +
        '"wind_direction":"WNW","summary":"Sunny","detail":"Sunny, with a high near 50."}],' +
        '"alerts":[{"event":"Wind Advisory","severity":"Moderate","headline":"Wind Advisory issued",' +
        '"expires":"2026-11-21T19:00:00-05:00","ends":null}],' +
        '"forecast_updated":"2026-11-21T11:00:00+00:00","source":"US National Weather Service (api.weather.gov)"}',
    )
    expect(nws.asks()).toEqual(['/points/38.8894,-77.0352', '/gridpoints/LWX/96,70/forecast?units=us'])
    await ask(weather, { lat: 38.8894, lon: -77.0352 }, asking)
    expect(nws.asks()).toEqual([])
  })

  const hourOf = (at: number, units: string) => ({
    name: '',
    startTime: new Date(at).toISOString(),
    endTime: new Date(at + hourMs).toISOString(),
    temperature: units === 'si' ? 10 : 50,
    temperatureUnit: units === 'si' ? 'C' : 'F',
    probabilityOfPrecipitation: { unitCode: 'wmoUnit:percent', value: 5 },
    windSpeed: units === 'si' ? '16 km/h' : '10 mph',
    windDirection: 'W',
    shortForecast: 'Sunny',
    detailedForecast: '',
  })
  const byTheHour = (path: string): Told => {
    const units = path.endsWith('=si') ? 'si' : 'us'
    if (!path.includes('/hourly')) return units === 'si' ? inCelsius : fine(path)
    const periods = Array.from({ length: 156 }, (_, i) => hourOf(noon + (i - 2) * hourMs, units))
    return {
      body: JSON.stringify({ properties: { updateTime: new Date(noon - hourMs).toISOString(), periods } }),
    }
  }
  const inCelsius: Told = {
    body: forecastBody(noon - hourMs, noon - hourMs, 14, {
      temperature: 11,
      temperatureUnit: 'C',
      windSpeed: '9 km/h',
    }),
  }

  test('hourly: the hours ahead, to the end of the last period in the answer', async () => {
    const { asking, nws, pass } = await over({ answer: byTheHour })
    const { forecast, hourly = [] } = await ask(weather, { ...washington, periods: 2, hourly: true }, asking)
    expect(forecast).toHaveLength(2)
    expect(hourly[0]).toEqual({
      start: '2026-11-21T12:00:00.000Z',
      end: '2026-11-21T13:00:00.000Z',
      temperature: 50,
      temperature_unit: 'F',
      precipitation_chance: 5,
      wind: '10 mph',
      wind_direction: 'W',
      summary: 'Sunny',
    })
    expect([hourly.length, hourly.at(-1)?.start]).toEqual([23, '2026-11-22T10:00:00.000Z'])
    expect(nws.asks().slice(1).sort()).toEqual([
      '/gridpoints/LWX/96,70/forecast/hourly?units=us',
      '/gridpoints/LWX/96,70/forecast?units=us',
    ])
    pass(2 * 60_000)
    await ask(weather, { ...washington, hourly: true }, asking)
    expect(nws.asks()).toEqual([])
    expect(await ask(weather, washington, asking)).not.toHaveProperty('hourly')
  })

  test('units si: both forecasts in SI, requested as such and kept apart', async () => {
    const { asking, nws } = await over({ answer: byTheHour })
    const { forecast, hourly } = await ask(weather, { ...washington, units: 'si', hourly: true }, asking)
    expect(forecast[0]).toMatchObject({ temperature: 11, temperature_unit: 'C', wind: '9 km/h' })
    expect(hourly?.[0]).toMatchObject({ temperature: 10, temperature_unit: 'C', wind: '16 km/h' })
    expect(nws.asks().slice(1).sort()).toEqual([
      '/gridpoints/LWX/96,70/forecast/hourly?units=si',
      '/gridpoints/LWX/96,70/forecast?units=si',
    ])
    expect((await ask(weather, washington, asking)).forecast[0]).toMatchObject({
      temperature: 50,
      temperature_unit: 'F',
    })
  })

  test('missing hours are a free 502', async () => {
    const { asking } = await over({
      answer: path => (path.includes('/hourly') ? problems.unexpected : fine(path)),
    })
    await expect(ask(weather, { ...washington, hourly: true }, asking)).rejects.toThrow(UpstreamFailed)
  })

  test.each([{ units: 'metric' }, { hourly: 1 }, { hourly: 'true' }])('%j is not a question', async more => {
    const { asking } = await over()
    await expect(ask(weather, { ...washington, ...more }, asking)).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  test('answers for an address, with the geocoded match', async () => {
    const { asking, nws } = await over()
    const answer = await ask(weather, { address: whiteHouse }, asking)
    expect(answer.location).toEqual({
      city: 'WASHINGTON',
      state: 'DC',
      lat: 38.898754,
      lon: -77.03535,
      time_zone: 'America/New_York',
    })
    expect(answer.geocoded).toEqual({
      input: whiteHouse,
      matched_address: '1600 PENNSYLVANIA AVE NW, WASHINGTON, DC, 20502',
      lat: 38.898754,
      lon: -77.03535,
      notice:
        'This product uses the Census Bureau Data API but is not endorsed or certified by the Census Bureau.',
    })
    expect(nws.asks()[0]).toBe('/points/38.8988,-77.0353')
  })

  test.each([
    ['20500', 'Washington, DC 20500', '/points/38.89,-77.04'],
    ['washington dc', 'Washington, DC', '/points/38.89,-77.02'],
  ])('answers for %s, and says how it was read', async (address, matched_address, path) => {
    const { asking, nws, census } = await over()
    const { location, geocoded } = await ask(weather, { address }, asking)
    expect(location).toMatchObject({ city: 'Washington', state: 'DC', lat: 38.89 })
    expect(geocoded).toMatchObject({ input: address, matched_address, lat: 38.89 })
    expect(geocoded?.notice).toContain('GeoNames (geonames.org), CC BY 4.0')
    expect(nws.asks()[0]).toBe(path)
    expect(census.asked).toEqual([])
  })

  test('a city without its state is not guessed: it is refused, free, and told the states', async () => {
    const { asking, nws, census } = await over()
    await expect(ask(weather, { address: 'Springfield' }, asking)).rejects.toMatchObject({
      code: 'no_match',
      message: expect.stringContaining('send it with its state, such as "Springfield, AR"'),
    })
    expect([...nws.asks(), ...census.asked]).toEqual([])
  })

  test('coordinates win over an address, and nothing is geocoded', async () => {
    const { asking, census } = await over()
    expect(await ask(weather, { ...washington, address: whiteHouse }, asking)).not.toHaveProperty('geocoded')
    expect(census.asked).toEqual([])
  })

  test.each([
    ['fewer periods than asked for, where fewer are published', 13, 14, 13],
    ['as many as asked for', 14, 3, 3],
  ])('%s', async (_, published, periods, told) => {
    const { asking } = await over({
      answer: path =>
        path.startsWith('/points') ? fine(path) : { body: forecastBody(noon, noon, published) },
    })
    expect((await ask(weather, { ...washington, periods }, asking)).forecast).toHaveLength(told)
  })

  test('past periods are left out', async () => {
    const { asking, pass } = await over()
    await ask(weather, washington, asking)
    pass(11.5 * hourMs)
    const { forecast } = await ask(weather, washington, asking)
    expect(forecast[0]?.name).toBe('Period 2')
    expect(forecast).toHaveLength(13)
  })

  test.each([
    ['San Juan', 18.4655, -66.1057, 'SJU/135,113', 'America/Puerto_Rico'],
    ['Tamuning', 13.4876, 144.7767, 'GUM/52,74', 'Pacific/Guam'],
    ['Anchorage', 61.2181, -149.9003, 'AER/143,236', 'America/Anchorage'],
    ['Attu', 52.9, 172.9, 'ALU/1,1', 'America/Adak'],
  ])('%s is covered', async (_, lat, lon, cell, timeZone) => {
    const { asking } = await over({
      answer: path => (path.startsWith('/points') ? { body: pointBody(cell, { timeZone }) } : fine(path)),
    })
    expect((await ask(weather, { lat, lon }, asking)).location.time_zone).toBe(timeZone)
  })

  test('a cell that has drifted onto the water is left for one on land', async () => {
    const { asking } = await over({
      answer: path => {
        if (path === '/points/40.7,-74.02') return { body: pointBody('OKX/33,35') }
        if (path.startsWith('/points')) return { body: pointBody('OKX/32,35') }
        return path.includes('33,35') ? problems.marine : fine(path)
      },
    })
    expect((await ask(weather, { lat: 40.7, lon: -74.02 }, asking)).forecast).toHaveLength(14)
  })

  test('an outdated mapping is renewed', async () => {
    let cell = 'LWX/96,70'
    const { asking, nws } = await over({
      answer: path => {
        if (path.startsWith('/points')) {
          const body = pointBody(cell)
          cell = 'LWX/97,71'
          return { body }
        }
        return path.includes('97,71') ? fine(path) : problems.noPoint
      },
    })
    expect((await ask(weather, washington, asking)).forecast).toHaveLength(14)
    expect(nws.asks()).toHaveLength(4)
  })
})

describe('refused, free', () => {
  test.each([
    [51.5, -0.12],
    [25.048, -77.3554],
    [19.43, -99.13],
    [40, -50],
    [0, 0],
  ])('outside_coverage: %d,%d, without a request to anybody', async (lat, lon) => {
    const { asking, nws } = await over()
    await expect(ask(weather, { lat, lon }, asking)).rejects.toMatchObject({
      code: 'outside_coverage',
      status: 422,
    })
    expect(nws.asks()).toEqual([])
  })

  test('outside_coverage: near the border the service decides', async () => {
    const { asking, nws } = await over({ answer: () => problems.noPoint })
    const vancouver = { lat: 49.2827, lon: -123.1207 }
    await expect(ask(weather, vancouver, asking)).rejects.toMatchObject({ code: 'outside_coverage' })
    expect(nws.asks()).toHaveLength(1)
  })

  test('outside_coverage: a point without forecasts', async () => {
    const { asking } = await over({ answer: () => ({ body: pointBody(null) }) })
    await expect(ask(weather, { lat: -14.3, lon: -170.7 }, asking)).rejects.toMatchObject({
      code: 'outside_coverage',
    })
  })

  test('marine_location', async () => {
    const { asking } = await over({
      answer: path => (path.startsWith('/points') ? { body: pointBody('OKX/50,10') } : problems.marine),
    })
    await expect(ask(weather, { lat: 40.5, lon: -73.6 }, asking)).rejects.toMatchObject({
      code: 'marine_location',
      status: 422,
      message: expect.stringContaining('marine location'),
    })
  })

  test('no_match', async () => {
    const { asking, nws } = await over()
    const address = '99999 Nonexistent Fake St, Nowhere, ZZ 00000'
    await expect(ask(weather, { address }, asking)).rejects.toMatchObject({ code: 'no_match', status: 422 })
    expect(nws.asks()).toEqual([])
  })

  test.each([
    {},
    undefined,
    { lat: 38.9 },
    { lon: -77 },
    { lat: 38.9, address: whiteHouse },
    { lat: 90.1, lon: 0 },
    { lat: 38.9, lon: 180.1 },
    { lat: '38.9 N', lon: '77 W' },
    { lat: Number.POSITIVE_INFINITY, lon: 0 },
    { lat: null, lon: null, address: whiteHouse },
    { ...washington, periods: 0 },
    { ...washington, periods: 15 },
    { ...washington, periods: 1.5 },
    { ...washington, units: 'metric' },
    { address: '' },
    { address: 'x'.repeat(201) },
  ])('%j is not a question', async body => {
    const { asking } = await over()
    await expect(ask(weather, body, asking)).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('not answered, free', () => {
  test('without alerts, not_ready', async () => {
    const { asking } = await over({ polledMs: null })
    await expect(ask(weather, washington, asking)).rejects.toMatchObject({ code: 'not_ready' })
  })
  test('with alerts older than 10 minutes, stale_data, and never an empty list', async () => {
    const { asking } = await over({ polledMs: 10 * 60_000 })
    expect((await ask(weather, washington, asking)).alerts).toEqual([])
    const { asking: later } = await over({ polledMs: 10 * 60_000 + 1 })
    await expect(ask(weather, washington, later)).rejects.toMatchObject({ code: 'stale_data', status: 502 })
  })
  test('with a forecast that the service has not updated for two days, stale_data', async () => {
    const bodyOf = (hours: number) => ({ body: forecastBody(noon, noon - hours * hourMs) })
    const answered = (hours: number) => (path: string) =>
      path.startsWith('/points') ? fine(path) : bodyOf(hours)
    const { asking } = await over({ answer: answered(30) })
    expect((await ask(weather, washington, asking)).forecast_updated).toBe('2026-11-20T06:00:00+00:00')
    const { asking: older } = await over({ answer: answered(49) })
    await expect(ask(weather, washington, older)).rejects.toMatchObject({ code: 'stale_data' })
  })
  test('while the service fails', async () => {
    const { asking } = await over({ answer: () => problems.unavailable })
    await expect(ask(weather, washington, asking)).rejects.toThrow(UpstreamFailed)
  })
  test('in a hole of the grid', async () => {
    const { asking } = await over({
      answer: path => (path.startsWith('/points') ? fine(path) : problems.noPoint),
    })
    await expect(ask(weather, washington, asking)).rejects.toThrow(UpstreamFailed)
  })
})

test('the example is an answer, and the description fits the quote', () => {
  expect(weather.response.parse(weather.example.response)).toEqual(weather.example.response)
  expect(weather.about.length).toBeLessThanOrEqual(450)
})
