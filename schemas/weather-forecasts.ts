/** Forecasts of the National Weather Service by grid cell, for the cells that somebody asked for. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Decimal, Instant } from './values/values.ts'

const text = z.string()
const moment = "DateTime64(3, 'UTC')"

export const GridCell = z
  .string()
  .regex(/^[A-Z]{3}\/\d{1,3},\d{1,3}$/, 'an office and its grid, as LWX/96,70')

const period = z.strictObject({
  name: text,
  /** With the time offset of the place, as the service writes it. */
  start: text,
  end: text,
  temperature: Decimal,
  temperature_unit: text,
  precipitation_chance: Decimal.nullable(),
  wind: text,
  wind_direction: text,
  summary: text,
  detail: text,
})

const periodColumns: Record<keyof z.output<typeof period>, string> = {
  name: 'String',
  start: 'String',
  end: 'String',
  temperature: 'Decimal(9, 2)',
  temperature_unit: 'String',
  precipitation_chance: 'Nullable(Decimal(9, 2))',
  wind: 'String',
  wind_direction: 'String',
  summary: 'String',
  detail: 'String',
}
const periodNames = Object.keys(periodColumns)
const periodColumn = Object.entries(periodColumns)
  .map(([name, column]) => `${name} ${column}`)
  .join(', ')

export const forecastFields = {
  cell: field(GridCell, 'String', 'Office and grid coordinates, about 2.5 km wide'),
  updated_at: field(
    Instant,
    moment,
    'When the office updated its grid; for a cell without a forecast, fetched_at',
  ),
  updated_text: field(text.nullable(), 'Nullable(String)', 'The same as the service writes it'),
  fetched_at: field(Instant, moment, 'When it was fetched'),
  fresh_seconds: field(z.int().min(0), 'UInt32', 'How long it is valid, as the service says'),
  missing: field(
    z.enum(['marine', 'hole']).nullable(),
    'LowCardinality(Nullable(String))',
    'Why there is no forecast: the cell is over water, or the grid has a hole',
  ),
  periods: field(z.array(period), `Array(Tuple(${periodColumn}))`, 'Periods of 12 hours'),
  last_modified: field(
    text.nullable(),
    'Nullable(String)',
    'The Last-Modified of the service: sent back, it lets the service say that nothing changed',
  ),
}

export type ForecastPeriod = z.output<typeof period>
export type WeatherForecast = RowOf<typeof forecastFields>

export const periodAbouts = {
  period_name: 'What the service calls the period',
  period_start: 'When it begins, with the offset of the place',
  period_end: 'When it ends, with the offset of the place',
  period_temperature: 'The temperature',
  period_temperature_unit: 'F or C',
  period_precipitation_chance: 'The chance of precipitation, in percent',
  period_wind: 'The speed of the wind, in words with its unit',
  period_wind_direction: 'Where the wind comes from, as a point of the compass',
  period_summary: 'The weather in a few words',
  period_detail: 'The weather in sentences',
}

export const periodsSql = (rows: string, key: string): string =>
  `select ${key}, updated_at, fetched_at, ${periodNames
    .map(name => `tupleElement(period, '${name}') as period_${name}`)
    .join(', ')} from ${rows} array join periods as period`

const weatherForecastsNow = latest<WeatherForecast>({
  name: 'weather_forecasts_now',
  about: 'The newest forecast of each cell that was asked for, one row per period',
  key: ['cell'],
  sql: rows => periodsSql(rows, 'cell'),
  columns: periodAbouts,
})

/** The topic fills the caches of new instances. No answer is older than half a day, so it keeps a day. */
export const weatherForecasts = defineDataset({
  name: 'weather_forecasts',
  about: 'Forecasts by grid cell, each as the office updated it',
  fields: forecastFields,
  key: ['cell'],
  identity: ['cell', 'updated_at'],
  keep: { ms: 86_400_000 },
  views: [weatherForecastsNow],
  checks: [
    {
      name: 'range',
      about: 'no forecast is of the future, and one that is there has periods',
      wrong:
        'select cell, updated_at from weather_forecasts where updated_at > now() + interval 1 hour or (missing is null and empty(periods))',
    },
  ],
})
