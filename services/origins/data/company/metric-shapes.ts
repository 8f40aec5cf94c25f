/** The schemas of metrics in answers. */
import { z } from 'zod'
import { metricNames } from '../../../../schemas/sec-financials.ts'
import { exact } from '../../../../schemas/values/values.ts'

const point = z.strictObject({
  period_start: z.string().nullable(),
  period_end: z.string(),
  value: exact().describe('Exactly as filed'),
  form: z.string(),
  filed: z.string(),
  accession: z.string(),
})

const annualPoint = point.extend({
  restated: z
    .strictObject({ was: exact(), accession: z.string() })
    .optional()
    .describe('What was first filed, and by which filing, where a later one changed it'),
})

/** If a value is derived, `derived_from` lists its parts. */
const quarterPoint = point.extend({
  value: exact().describe('As filed, or derived'),
  derived_from: z
    .array(
      z.strictObject({
        subtracted: z.boolean(),
        value: exact(),
        period_start: z.string(),
        period_end: z.string(),
        accession: z.string(),
      }),
    )
    .optional()
    .describe('The filed values that it is computed from; absent: as filed'),
})

const byMetric = <T extends z.ZodType>(shape: T) =>
  z.strictObject(
    Object.fromEntries(metricNames.map(name => [name, shape])) as Record<(typeof metricNames)[number], T>,
  )

export const metricsShape = byMetric(
  z
    .strictObject({
      concept: z.string().describe('The XBRL concept of the newest point'),
      unit: z.string(),
      annual: z.array(annualPoint).describe('Up to 4 fiscal years, newest first'),
      latest_quarter: point.nullable().describe('Three months; null where none are filed by themselves'),
      quarters: z
        .array(quarterPoint)
        .optional()
        .describe('The last 8 three-month values, newest first; a fourth quarter is derived'),
      ttm: quarterPoint.optional().describe('The twelve months that end with the newest quarter'),
      year_to_date: point
        .optional()
        .describe('From the beginning of the fiscal year to the end of the latest quarter; of cash flow'),
    })
    .nullable(),
)

export const snapshotShape = byMetric(
  z
    .strictObject({
      unit: z.string(),
      latest_annual: point.nullable(),
      prior_annual: point.nullable().describe('The fiscal year directly before'),
      latest_quarter: point.nullable().describe('Three months; null where none are filed by themselves'),
      year_to_date: point
        .optional()
        .describe('From the beginning of the fiscal year to the end of the latest quarter; of cash flow'),
    })
    .nullable(),
)

const percentage = exact().nullable()
export const ratiosShape = z.strictObject({
  revenue_growth_pct: percentage,
  net_income_growth_pct: percentage,
  operating_margin_pct: percentage,
  net_margin_pct: percentage,
  liabilities_to_assets_pct: percentage,
  cash_to_liabilities_pct: percentage,
  operating_cash_flow_to_net_income: exact().nullable(),
})
