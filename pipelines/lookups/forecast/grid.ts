/** Reads the forecast of one grid cell. */
import { z } from 'zod'
import type { ForecastPeriod, WeatherForecast } from '../../../schemas/weather-forecasts.ts'
import { readJson } from '../../rails/formats/json.ts'
import type { Answer, Outside } from '../../rails/outside/upstreams/outside.ts'
import { askNws } from './nws.ts'

export interface Forecast {
  missing: WeatherForecast['missing']
  /** When the office updated its grid, in the service's own words. */
  updated: string | null
  periods: ForecastPeriod[]
  freshMs: number
  lastModified: string | null
}

const measured = z.object({ value: z.number().nullable(), unitCode: z.string().optional() })
const text = z.string().nullish()
const time = z.string().refine(at => !Number.isNaN(Date.parse(at)), 'a time')

const replied = z.object({
  properties: z.object({
    updateTime: time.nullish(),
    periods: z.array(
      z.object({
        name: z.string(),
        startTime: time,
        endTime: time,
        temperature: z.union([z.number(), measured.extend({ value: z.number() })]),
        temperatureUnit: text,
        probabilityOfPrecipitation: measured.nullish(),
        windSpeed: text,
        windDirection: text,
        shortForecast: text,
        detailedForecast: text,
      }),
    ),
  }),
})

type Replied = z.output<typeof replied>['properties']['periods'][number]

export interface ForecastVariant {
  units: 'us' | 'si'
  /** By the hour, not by half days. */
  hourly: boolean
}
const usual: ForecastVariant = { units: 'us', hourly: false }

export async function readForecast(
  cell: string,
  outside: Outside,
  kept?: Forecast,
  { units, hourly }: ForecastVariant = usual,
): Promise<Forecast> {
  const path = `/gridpoints/${cell}/forecast${hourly ? '/hourly' : ''}?units=${units}`
  const answer = await askNws(path, outside, { lastModified: kept?.lastModified ?? undefined })
  const freshMs = freshFor(answer)
  if (answer.unchanged && kept) return { ...kept, freshMs }
  const lastModified = answer.validators.lastModified ?? null
  if (answer.status !== 200) {
    const missing = /marine/i.test(answer.text()) ? 'marine' : 'hole'
    return { missing, updated: null, periods: [], freshMs, lastModified }
  }
  const { properties } = readJson(replied, answer.text(), path)
  const updated = properties.updateTime ?? null
  // Some nodes of its network have served copies that were days old. Then the kept forecast is newer.
  if (isOlder(updated, kept?.updated)) return { ...(kept as Forecast), freshMs: leastMs }
  return {
    missing: null,
    updated,
    periods: properties.periods.map(given => periodOf(given, units)),
    freshMs,
    lastModified,
  }
}

const isOlder = (updated: string | null, than: string | null | undefined): boolean =>
  updated !== null && Boolean(than) && Date.parse(updated) < Date.parse(than as string)

const scales = { us: 'F', si: 'C' } as const

/** The service may send a measured value in the other scale. */
function degreesIn(units: ForecastVariant['units'], { value, unitCode }: z.output<typeof measured>): number {
  const isCelsius = /degC$/.test(unitCode ?? '')
  if (isCelsius === (units === 'si') || value === null) return value ?? Number.NaN
  return Math.round(isCelsius ? (value * 9) / 5 + 32 : ((value - 32) * 5) / 9)
}

function periodOf(given: Replied, units: ForecastVariant['units']): ForecastPeriod {
  const { temperature, temperatureUnit } = given
  const [degrees, unit] =
    typeof temperature === 'number'
      ? [temperature, temperatureUnit ?? scales[units]]
      : [degreesIn(units, temperature), scales[units]]
  return {
    name: given.name,
    start: given.startTime,
    end: given.endTime,
    temperature: String(degrees),
    temperature_unit: unit,
    precipitation_chance: decimalOf(given.probabilityOfPrecipitation?.value),
    wind: given.windSpeed ?? '',
    wind_direction: given.windDirection ?? '',
    summary: given.shortForecast ?? '',
    detail: given.detailedForecast ?? '',
  }
}

const decimalOf = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

const [leastMs, usualMs, mostMs] = [60_000, 600_000, 3_600_000] as const

/** How long the service lets a shared cache keep the forecast, within our own bounds. */
function freshFor(answer: Answer): number {
  const control = answer.header('cache-control') ?? ''
  const [, maxAge] = control.match(/\bs-maxage=(\d+)/) ?? control.match(/\bmax-age=(\d+)/) ?? []
  const expires = Date.parse(answer.header('expires') ?? '') - Date.parse(answer.header('date') ?? '')
  const told = maxAge !== undefined ? Number(maxAge) * 1_000 : expires
  return Number.isNaN(told) ? usualMs : Math.min(Math.max(told, leastMs), mostMs)
}
