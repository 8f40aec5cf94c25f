/** Forecasts by the hour or in SI units, by grid cell, for the cells that somebody asked for. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { forecastFields, periodAbouts, periodsSql } from './weather-forecasts.ts'

const outlookKind = z.enum(['hourly_us', 'hourly_si', 'daily_si'])

const { cell, ...told } = forecastFields
const fields = {
  cell,
  kind: field(outlookKind, 'LowCardinality(String)', 'By the hour or by half days, in US or SI units'),
  ...told,
}

export type WeatherOutlook = RowOf<typeof fields>

const weatherOutlooksNow = latest<WeatherOutlook>({
  name: 'weather_outlooks_now',
  about: 'The newest such forecast of each cell that was asked for, one row per period',
  key: ['cell', 'kind'],
  sql: rows => periodsSql(rows, 'cell, kind'),
  columns: periodAbouts,
})

export const weatherOutlooks = defineDataset({
  name: 'weather_outlooks',
  about: 'Forecasts by the hour or in SI units by grid cell, each as the office updated it',
  fields,
  key: ['cell', 'kind'],
  identity: ['cell', 'kind', 'updated_at'],
  keep: { ms: 86_400_000 },
  views: [weatherOutlooksNow],
  checks: [
    {
      name: 'range',
      about: 'no forecast is of the future, and one that is there has periods',
      wrong:
        'select cell, updated_at from weather_outlooks where updated_at > now() + interval 1 hour or (missing is null and empty(periods))',
    },
  ],
})
