/** What will the weather be at a point or an address in the US, and which warnings apply there? */
import { z } from 'zod'
import { nws } from '../../../../pipelines/lookups/forecast/nws.ts'
import { toFour } from '../../../../pipelines/lookups/forecast.ts'
import { oneLine } from '../../../../pipelines/lookups/geocode.ts'
import { mayBeCovered } from '../../../../schemas/tables/us-coverage.ts'
import type { GeoPosition } from '../../../../schemas/values/polygon.ts'
import { exact } from '../../../../schemas/values/values.ts'
import { weatherAlertsNow } from '../../../../schemas/weather-alerts.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { placeField } from '../../../offer/place.ts'
import { addressed } from './addressed.ts'
import { alertsAt } from './alerts-at.ts'
import { answer as exampleAnswer } from './example.ts'
import { forecastAt, hoursAt, periodsFrom } from './forecast-at.ts'

const text = z.string().nullable()
const source = nws.credit

export const weather = defineOperation({
  id: 'weatherForecast',
  path: '/weather',
  price: '0.002',
  inBrief: 'US forecast by 12 hours or by the hour (NWS), and the warnings that hold at the very point.',
  costs: 'looked up',
  sold: 'whole',
  trial: true,
  // Two days: the hours of a week alone are 35 KB.
  ofModels: { periods: 4 },
  title: 'US weather forecast and alerts',
  about:
    'Forecast of the National Weather Service in 12-hour periods, with `hourly` by the hour too, in US or SI units, and the warnings that hold at the very point. Send lat and lon, or a US address, ZIP, or city with its state; `geocoded` says what was read. Coordinates win. Outside the US and its territories, and at sea, refused free. Warnings older than 10 minutes are never sold: a free 502.',
  tags: ['weather', 'forecast', 'alerts', 'NWS'],
  attribution: { text: 'Places by GeoNames', url: 'https://www.geonames.org' },
  request: z
    .strictObject({
      lat: z.number().min(-90).max(90).optional().describe('Latitude; together with lon'),
      lon: z.number().min(-180).max(180).optional().describe('Longitude; together with lat'),
      address: placeField(
        'address',
        z
          .string()
          .overwrite(oneLine)
          .min(1, 'an address')
          .max(200, 'at most 200 characters')
          .optional()
          .describe(
            'US street address with house number, ZIP, or city with its state; ignored where lat and lon are sent',
          ),
      ),
      periods: z
        .int()
        .min(1)
        .max(14)
        .default(14)
        .describe('12-hour periods; fewer where fewer are published'),
      hourly: z.boolean().default(false).describe('Adds the hours of these periods'),
      units: z
        .enum(['us', 'si'])
        .default('us')
        .describe('us: Fahrenheit and miles per hour; si: Celsius and kilometres per hour'),
    })
    .refine(
      ({ lat, lon }) => (lat === undefined) === (lon === undefined),
      'Send both lat and lon, or neither',
    )
    .refine(
      ({ lat, address }) => lat !== undefined || address !== undefined,
      'Send lat and lon, or an address: a street address, a ZIP, or a city with its state',
    ),
  response: z.strictObject({
    location: z.strictObject({
      city: text.describe('Of the address, or the nearest named place'),
      state: text,
      lat: z.number(),
      lon: z.number(),
      time_zone: text,
    }),
    forecast: z.array(
      z.strictObject({
        name: z.string(),
        start: z.string(),
        end: z.string(),
        temperature: exact(),
        temperature_unit: z.string(),
        precipitation_chance: exact().nullable().describe('Percent; null is not 0'),
        wind: z.string(),
        wind_direction: z.string(),
        summary: z.string(),
        detail: z.string(),
      }),
    ),
    hourly: z
      .array(
        z.strictObject({
          start: z.string(),
          end: z.string(),
          temperature: exact(),
          temperature_unit: z.string(),
          precipitation_chance: exact().nullable(),
          wind: z.string(),
          wind_direction: z.string(),
          summary: z.string(),
        }),
      )
      .optional()
      .describe('Present only when asked for'),
    alerts: z
      .array(
        z.strictObject({
          event: z.string(),
          severity: z.string(),
          headline: text,
          expires: z.string().describe('When the message lapses'),
          ends: text.optional().describe('When the event ends, where that is known'),
        }),
      )
      .describe('The most severe first'),
    forecast_updated: text.optional().describe('When the office updated its grid'),
    geocoded: z
      .strictObject({
        input: z.string(),
        matched_address: z.string(),
        lat: exact(),
        lon: exact(),
        notice: z.string(),
      })
      .optional()
      .describe(
        'How the address was read: the match, or the ZIP or city; absent where lat and lon were sent',
      ),
    source: z.string(),
  }),
  refusals: {
    outside_coverage: { status: 422, about: 'The National Weather Service has no forecast there: US only' },
    marine_location: { status: 422, about: 'The point is over water, with no land within 5 km' },
    no_match: { status: 422, about: 'The geocoder knows no such address, and no place is called so' },
  },
  example: { request: { lat: 38.8894, lon: -77.0352, periods: 1 }, response: { ...exampleAnswer, source } },
  async answer({ lat, lon, address = '', periods, hourly, units }, tools, refuse) {
    const { now, view, find, credit } = tools
    const refuseOutside = () =>
      refuse('outside_coverage', 'The National Weather Service covers the US and its territories alone')
    const isCovered = (position: GeoPosition) => mayBeCovered(position) || refuseOutside()
    if (lat !== undefined && lon !== undefined) isCovered([lon, lat])
    const held = view(weatherAlertsNow, undefined)

    const match = lat === undefined ? await addressed(address, tools, refuse) : undefined
    const at = match?.at ?? { lat: Number(lat), lon: Number(lon) }
    isCovered([at.lon, at.lat])

    const point = { lat: toFour(at.lat), lon: toFour(at.lon) }
    const found = await forecastAt(point, find, units)
    if (found.why === 'marine')
      return refuse('marine_location', 'This is a marine location, and no land is near')
    if (found.why !== 'found') return refuseOutside()
    const { place, forecast } = found
    const told = periodsFrom(forecast, periods, now())
    const hours = hourly && (await hoursAt(place.cell ?? '', told.at(-1)?.end, { find, now }, units))
    return {
      location: {
        ...(match?.location ?? { city: place.city, state: place.state, ...point }),
        time_zone: place.timeZone,
      },
      forecast: told,
      ...(hours && { hourly: hours }),
      alerts: alertsAt(held, [at.lon, at.lat], place.zones, now()),
      forecast_updated: forecast.updated,
      ...(match && { geocoded: match.geocoded }),
      source: credit(nws),
    }
  },
})
