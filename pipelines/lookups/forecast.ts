/** The forecast of a place in the US: first its grid cell, then the forecast of the cell. */
import { keyText } from '../../schemas/dataset/dataset.ts'
import { instant } from '../../schemas/values/values.ts'
import { type WeatherForecast, weatherForecasts } from '../../schemas/weather-forecasts.ts'
import { type WeatherOutlook, weatherOutlooks } from '../../schemas/weather-outlooks.ts'
import { pointLastsMs, weatherPoints } from '../../schemas/weather-points.ts'
import { sha256 } from '../rails/signing/sha256.ts'
import { type Forecast, type ForecastVariant, readForecast } from './forecast/grid.ts'
import { nws } from './forecast/nws.ts'
import { type ForecastPlace, type Point, pointText, readPlace } from './forecast/place.ts'
import { type KeptValue, keeping, type Lookup } from './lookup.ts'

export type { Forecast } from './forecast/grid.ts'
export { type ForecastPlace, type Point, toFour } from './forecast/place.ts'

const hourMs = 3_600_000

/** A caller waits for `timeoutMs`. The fetch continues for `fetchMs`, which is enough for all its tries, and serves the retry. */
const patience = { timeoutMs: 6_000, fetchMs: 20_000 }

/** Finds the grid cell of a point. Undefined if the service does not cover the point. */
export const placeLookup: Lookup<Point, ForecastPlace> = {
  name: 'place',
  timeoutMs: patience.timeoutMs,
  upstream: nws,
  open: () => ({ find: readPlace }),
  keep: keeping({
    dataset: weatherPoints,
    nameOf: point => sha256(pointText(point)),
    write: (point_hash, { value: place, at }) => ({
      point_hash,
      fetched_at: instant(at),
      covered: place !== undefined,
      cell: place?.cell ?? null,
      marine: place?.marine ?? false,
      forecast_zone: place?.zones.forecast ?? null,
      county: place?.zones.county ?? null,
      fire_zone: place?.zones.fire ?? null,
      city: place?.city ?? null,
      state: place?.state ?? null,
      time_zone: place?.timeZone ?? null,
    }),
    read: ({
      fetched_at,
      covered,
      cell,
      marine,
      forecast_zone,
      county,
      fire_zone,
      city,
      state,
      time_zone,
    }) => ({
      at: Date.parse(fetched_at),
      value: covered
        ? {
            cell,
            marine,
            zones: { forecast: forecast_zone, county, fire: fire_zone },
            city,
            state,
            timeZone: time_zone,
          }
        : undefined,
    }),
    lasts: place =>
      place
        ? { freshMs: pointLastsMs.fresh, staleMs: pointLastsMs.stale }
        : { freshMs: pointLastsMs.uncovered, staleMs: pointLastsMs.uncovered },
    most: 50_000,
    fetchMs: patience.fetchMs,
    fits: ({ without }, place) => without === undefined || place?.cell !== without.cell,
  }),
}

/**
 * Offices update every one to six hours. A question after this time starts a renewal, and the next question gets the
 * new forecast.
 */
const renewedAfterMs = 10 * 60_000
const withoutForecastMs = { marine: 24 * hourMs, hole: 10 * 60_000 }

/** How the forecasts of both datasets are written, read and renewed. */
const forecastKeeping = {
  write: ({ value, at }: KeptValue<Forecast>) => {
    const { missing, updated, periods, freshMs, lastModified } = value as Forecast
    return {
      updated_at: instant(updated === null ? at : Date.parse(updated)),
      updated_text: updated,
      fetched_at: instant(at),
      fresh_seconds: Math.round(freshMs / 1_000),
      missing,
      periods,
      last_modified: lastModified,
    }
  },
  read: (told: Omit<WeatherForecast, 'cell'>): KeptValue<Forecast> => ({
    at: Date.parse(told.fetched_at),
    value: {
      missing: told.missing,
      updated: told.updated_text,
      periods: told.periods,
      freshMs: told.fresh_seconds * 1_000,
      lastModified: told.last_modified,
    },
  }),
  lasts: (forecast: Forecast | undefined) => {
    const { missing = null, freshMs = 0 } = forecast ?? {}
    return missing
      ? { freshMs: withoutForecastMs[missing], staleMs: withoutForecastMs[missing] }
      : { freshMs, staleMs: 12 * hourMs, renewMs: Math.min(freshMs * 0.8, renewedAfterMs) }
  },
  most: 10_000,
  fetchMs: patience.fetchMs,
  same: (before: Forecast | undefined, after: Forecast | undefined) =>
    after?.updated !== null && before?.updated === after?.updated,
}

/** Finds the forecast of a cell, such as LWX/96,70. */
export const forecastLookup: Lookup<string, Forecast> = {
  name: 'forecast',
  timeoutMs: patience.timeoutMs,
  upstream: nws,
  open: () => ({ find: readForecast }),
  keep: keeping({
    ...forecastKeeping,
    dataset: weatherForecasts,
    nameOf: cell => cell,
    write: (cell, kept) => ({ cell, ...forecastKeeping.write(kept) }),
    ahead: { most: 2_000, keyOf: cell => cell },
  }),
}

export interface Outlook extends ForecastVariant {
  cell: string
}

const kindOf = ({ hourly, units }: ForecastVariant): WeatherOutlook['kind'] =>
  hourly ? (units === 'si' ? 'hourly_si' : 'hourly_us') : 'daily_si'

/** Finds the forecast of a cell by the hour, or in SI units. */
export const outlookLookup: Lookup<Outlook, Forecast> = {
  name: 'outlook',
  timeoutMs: patience.timeoutMs,
  upstream: nws,
  open: () => ({ find: (outlook, outside, kept) => readForecast(outlook.cell, outside, kept, outlook) }),
  keep: keeping({
    ...forecastKeeping,
    dataset: weatherOutlooks,
    nameOf: outlook => keyText(outlook.cell, kindOf(outlook)),
    write: (name, kept) => {
      const [cell = '', kind] = name.split('|')
      return { cell, kind: kind as WeatherOutlook['kind'], ...forecastKeeping.write(kept) }
    },
  }),
}
