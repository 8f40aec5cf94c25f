/** The ten metrics of a company, ready to be sold: every point as filed. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { SecDay } from './values/sec-values.ts'
import { Cik, IsoDate } from './values/values.ts'

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

/** In addition to the ten: equity with noncontrolling interests, which ratios need but no answer shows. */
export const pointMetrics = [...metricNames, 'total_equity'] as const
export type PointMetric = (typeof pointMetrics)[number]

const point = z.strictObject({
  metric: z.enum(pointMetrics),
  /** year_to_date: from the beginning of the fiscal year to the end of the latest quarter. */
  span: z.enum(['year', 'quarter', 'year_to_date']),
  /** The end of its fiscal year. Companies count their shares weeks after that day. */
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
  /** The first filed value of the period if it was different, and its filing. */
  was: z.string().nullable().default(null),
  was_accession: z.string().nullable().default(null),
})
export type MetricPoint = z.output<typeof point>

const quarterPoint = z.strictObject({
  metric: z.enum(pointMetrics),
  /** ttm: the twelve months that end with the newest quarter. */
  span: z.enum(['quarter', 'ttm']),
  concept: z.string(),
  unit: z.string(),
  period_start: IsoDate,
  period_end: IsoDate,
  value: z.string(),
  /** The form of the newest filing behind it. */
  form: z.string(),
  filed: IsoDate,
  accession: z.string(),
  /** Empty if the value was filed as it is. */
  derived_from: z.array(
    z.strictObject({
      sign: z.enum(['plus', 'minus']),
      value: z.string(),
      period_start: IsoDate,
      period_end: IsoDate,
      accession: z.string(),
    }),
  ),
})
export type QuarterPoint = z.output<typeof quarterPoint>

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
  was: 'Nullable(String)',
  was_accession: 'Nullable(String)',
}
const quarterColumn =
  'Array(Tuple(metric LowCardinality(String), span LowCardinality(String), concept LowCardinality(String), unit LowCardinality(String), period_start Date32, period_end Date32, value String, form LowCardinality(String), filed Date32, accession String, derived_from Array(Tuple(sign LowCardinality(String), value String, period_start Date32, period_end Date32, accession String))))'
const names = Object.keys(columns)
const quarterNames = Object.keys(quarterPoint.shape)
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
  quarters: field(
    z.array(quarterPoint).default([]),
    quarterColumn,
    'The last 8 three-month values of each flow and its last twelve months; what is derived names the values that it comes from',
  ),
  notes: field(z.array(z.string()), 'Array(String)', 'A sentence for everything irregular about the points'),
  filed: field(
    SecDay,
    'Date32',
    'The day of the newest filing that they were computed from; 1900-01-01: there was none',
  ),
}

export type SecFinancials = RowOf<typeof fields>

const pointAbouts = {
  metric: 'One of the ten metrics, or total_equity: equity with noncontrolling interests',
  span: 'year, quarter, or year_to_date: from the beginning of the fiscal year to the end of the latest quarter',
  fiscal_year_end: 'The end of the fiscal year that it belongs to',
  concept: 'The XBRL concept that it was filed under',
  unit: 'The unit as filed',
  period_start: 'The first day; null: a value of one day',
  period_end: 'The last day',
  value: 'The value as filed',
  form: 'The form of the filing that it comes from',
  filed: 'The day of that filing',
  accession: 'The accession number of that filing',
  was: 'What the period was first filed with, where that was another value',
  was_accession: 'The filing that had that value',
}
const quarterAbouts = {
  ...pointAbouts,
  span: 'quarter: three months; ttm: the twelve months that end with the newest quarter',
  value: 'The value, as filed or derived',
  derived_from: 'The values that it was derived from, each with its sign and its filing; empty: as filed',
  derived: 'true: it was computed from other values',
}

/** Operations look up the row as the reader wrote it. */
export const financialsNow = latest<SecFinancials>({
  name: 'financials_now',
  about: 'The ten metrics of each company that files with the SEC, a row each',
  key: ['cik'],
  newest: ['filed'],
  looked: { by: ['cik'], newestBy: ['filed'], most: 1 },
})

const metricPoints = latest<SecFinancials>({
  name: 'metric_points',
  about: 'The ten metrics of each company that files with the SEC, a row per metric and period',
  key: ['cik'],
  newest: ['filed'],
  sql: rows =>
    `select cik, currency, ${names
      .map(name => (name === 'value' ? 'toDecimal128(point.value, 6) as value' : `point.${name} as ${name}`))
      .join(', ')} from ${rows} array join points as point`,
  columns: pointAbouts,
})

const metricQuarters = latest<SecFinancials>({
  name: 'metric_quarters',
  about:
    'Three-month values and last twelve months of each metric, a row each; derived: computed from others',
  key: ['cik'],
  newest: ['filed'],
  sql: rows =>
    `select cik, currency, ${quarterNames
      .map(name =>
        name === 'value' ? 'toDecimal128(quarter.value, 6) as value' : `quarter.${name} as ${name}`,
      )
      .join(', ')}, notEmpty(quarter.derived_from) as derived from ${rows} array join quarters as quarter`,
  columns: quarterAbouts,
})

export const secFinancials = defineDataset({
  name: 'sec_financials',
  about:
    'Revenue, income, balance sheet, cash flow and shares of each company, computed from its facts as filed',
  fields,
  key: ['cik'],
  // An archive may be read later than the feed's newer reports. Figures from the archive never replace those from the
  // feed.
  identity: ['cik', 'filed'],
  views: [financialsNow, metricPoints, metricQuarters],
  checks: [
    {
      name: 'range',
      about:
        'no point was filed after the newest filing that it was computed from, or ends after it was filed',
      wrong:
        "select cik, filed from sec_financials where arrayExists(point -> point.filed > filed or (point.metric != 'shares_outstanding' and point.period_end > point.filed), points)",
    },
  ],
  keep: { ms: 30 * 86_400_000 },
})

const asOfFields = {
  ...fields,
  as_of: field(SecDay, 'Date32', 'What was filed later is left out'),
}
export type SecFinancialsAsOf = RowOf<typeof asOfFields>

export const financialsAsOf = latest<SecFinancialsAsOf>({
  name: 'financials_as_of',
  about: 'The ten metrics of companies as they were known on a past day',
  key: ['cik', 'as_of'],
  looked: { by: ['cik', 'as_of'], newestBy: [], most: 1 },
})

export const secFinancialsAsOf = defineDataset({
  name: 'sec_financials_as_of',
  about: 'Figures of a company as they were known on a past day, computed when somebody asked for them',
  fields: asOfFields,
  key: ['cik'],
  identity: ['cik', 'as_of'],
  views: [financialsAsOf],
  checks: [
    {
      name: 'range',
      about: 'nothing was filed after the day that was asked for',
      wrong:
        'select cik, as_of from sec_financials_as_of where filed > as_of or arrayExists(point -> point.filed > as_of, points)',
    },
  ],
  keep: { ms: 30 * 86_400_000 },
})
