/** The ten metrics of a company, ready to be sold: every point as filed. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset.ts'
import { SecDay } from './sec-values.ts'
import { Cik, IsoDate } from './values.ts'

export const metricNames = [
  'revenue',
  'operating_income',
  'net_income',
  'eps_diluted',
  'total_assets',
  'total_liabilities',
  'stockholders_equity',
  'cash',
  'operating_cash_flow',
  'shares_outstanding',
] as const
export type MetricName = (typeof metricNames)[number]

/** Beside the ten: equity with noncontrolling interests, which ratios need and no answer shows. */
export const pointMetrics = [...metricNames, 'total_equity'] as const
export type PointMetric = (typeof pointMetrics)[number]

const point = z.strictObject({
  metric: z.enum(pointMetrics),
  /** year_to_date: from the beginning of the fiscal year to the end of the latest quarter. */
  span: z.enum(['year', 'quarter', 'year_to_date']),
  /** The end of the fiscal year that it belongs to: companies count their shares weeks after the year's end. */
  fiscal_year_end: IsoDate.nullable(),
  concept: z.string(),
  unit: z.string(),
  period_start: IsoDate.nullable(),
  period_end: IsoDate,
  /** The digits of the filing. */
  value: z.string().regex(/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/, 'a number as filed'),
  form: z.string(),
  filed: IsoDate,
  accession: z.string(),
})
export type MetricPoint = z.output<typeof point>

const columns: Record<keyof MetricPoint, string> = {
  metric: 'LowCardinality(String)',
  span: 'LowCardinality(String)',
  fiscal_year_end: 'Nullable(Date32)',
  concept: 'LowCardinality(String)',
  unit: 'LowCardinality(String)',
  period_start: 'Nullable(Date32)',
  period_end: 'Date32',
  value: 'String',
  form: 'LowCardinality(String)',
  filed: 'Date32',
  accession: 'String',
}
const names = Object.keys(columns)
const pointColumn = `Array(Tuple(${Object.entries(columns)
  .map(([name, column]) => `${name} ${column}`)
  .join(', ')}))`

const fields = {
  cik: field(Cik, 'UInt32', 'The company'),
  currency: field(
    z.string(),
    'LowCardinality(String)',
    'Its reporting currency; empty: it files no financial data',
  ),
  points: field(
    z.array(point),
    pointColumn,
    'Up to 4 fiscal years and the latest quarter of each metric, newest first; empty: it files no financial data',
  ),
  notes: field(z.array(z.string()), 'Array(String)', 'A sentence for everything irregular about the points'),
  filed: field(
    SecDay,
    'Date32',
    'The day of the newest filing that they were computed from; 1900-01-01: there was none',
  ),
}

export type SecFinancials = RowOf<typeof fields>

/** Operations look up the row as it was written. */
export const financialsNow = latest<SecFinancials>({
  name: 'financials_now',
  about: 'The ten metrics of each company that files with the SEC, a row each',
  key: ['cik'],
  newest: ['filed'],
  looked: { by: ['cik'], newestBy: ['filed'], most: 1 },
})

export const metricPoints = latest<SecFinancials>({
  name: 'metric_points',
  about: 'The ten metrics of each company that files with the SEC, a row per metric and period',
  key: ['cik'],
  newest: ['filed'],
  sql: rows =>
    `select cik, currency, ${names
      .map(name => (name === 'value' ? 'toDecimal128(point.value, 6) as value' : `point.${name} as ${name}`))
      .join(', ')} from ${rows} array join points as point`,
})

export const secFinancials = defineDataset({
  name: 'sec_financials',
  about:
    'Revenue, income, balance sheet, cash flow and shares of each company, computed from its facts as filed',
  fields,
  key: ['cik'],
  // An archive may be read after the feed has brought newer reports: what is computed of it never replaces them.
  identity: ['cik', 'filed'],
  views: [financialsNow, metricPoints],
  keep: { ms: 30 * 86_400_000 },
})
