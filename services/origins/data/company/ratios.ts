/** Ratios of a company's newest fiscal year. A ratio is null where a division would mislead. */
import { Decimal } from 'decimal.js'
import type { z } from 'zod'
import type { MetricPoint, PointMetric } from '../../../../schemas/sec-financials.ts'
import type { Exact } from '../../../../schemas/values/values.ts'
import { number } from '../../../offer/answer.ts'
import type { ratiosShape } from './metric-shapes.ts'

const Precise = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_UP })

/** The newest fiscal year of each metric, and the one directly before it. */
export type TwoYears = Record<
  PointMetric,
  { latest: MetricPoint | undefined; prior: MetricPoint | undefined }
>

type Ratios = z.input<typeof ratiosShape>

const liabilitiesDerived =
  'The filer tags no total of liabilities: for the ratios it is total assets less total equity, noncontrolling interests included.'

const dayMs = 86_400_000
const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs
export const isYearBefore = (earlier: string, later: string): boolean => {
  const days = daysBetween(earlier, later)
  return days >= 350 && days <= 380
}
const samePeriodDays = 3

/** Uses the newest fiscal year alone: a figure that the company no longer files says nothing about it today. */
export function ratiosOf(all: TwoYears): { ratios: Ratios; note: string | undefined } {
  const newest = Object.values(all)
    .map(({ latest }) => latest?.fiscal_year_end ?? '')
    .sort()
    .at(-1)
  const years = Object.fromEntries(
    Object.entries(all).map(([metric, both]) => [
      metric,
      both.latest?.fiscal_year_end === newest ? both : { latest: undefined, prior: undefined },
    ]),
  ) as TwoYears
  const tagged = years.total_liabilities.latest
  const liabilities = tagged ?? assetsLessEquity(years)
  const ratios = ratiosOfYear(years, liabilities)
  const { liabilities_to_assets_pct, cash_to_liabilities_pct } = ratios
  const told = !tagged && (liabilities_to_assets_pct ?? cash_to_liabilities_pct) !== null
  return { ratios, note: told ? liabilitiesDerived : undefined }
}

function assetsLessEquity({ total_assets, total_equity }: TwoYears): MetricPoint | undefined {
  const [assets, equity] = [total_assets.latest, total_equity.latest]
  if (!assets || !equity || assets.unit !== equity.unit || assets.period_end !== equity.period_end)
    return undefined
  return { ...assets, value: new Precise(assets.value).minus(equity.value).toFixed() }
}

const ratiosOfYear = (years: TwoYears, liabilities: MetricPoint | undefined): Ratios => ({
  revenue_growth_pct: growth(years.revenue),
  net_income_growth_pct: growth(years.net_income),
  operating_margin_pct: share(years.operating_income.latest, years.revenue.latest),
  net_margin_pct: share(years.net_income.latest, years.revenue.latest),
  liabilities_to_assets_pct: share(liabilities, years.total_assets.latest),
  cash_to_liabilities_pct: share(years.cash.latest, liabilities),
  operating_cash_flow_to_net_income: quotient(years.operating_cash_flow.latest, years.net_income.latest, 1),
})

const share = (part: MetricPoint | undefined, whole: MetricPoint | undefined) => quotient(part, whole, 100)

/** Divides figures of the same period and currency. The divisor must be above zero. */
function quotient(
  above: MetricPoint | undefined,
  below: MetricPoint | undefined,
  times: number,
): Exact | null {
  if (!above || !below || above.unit !== below.unit) return null
  if (Math.abs(daysBetween(above.period_end, below.period_end)) > samePeriodDays) return null
  const divisor = new Precise(below.value)
  return divisor.lte(0) ? null : rounded(new Precise(above.value).times(times).div(divisor))
}

/** Growth is null after a loss, and between figures of two concepts. */
function growth({ latest, prior }: TwoYears[PointMetric]): Exact | null {
  if (!latest || !prior || latest.unit !== prior.unit || latest.concept !== prior.concept) return null
  if (!isYearBefore(prior.period_end, latest.period_end)) return null
  const before = new Precise(prior.value)
  return before.lte(0) ? null : rounded(new Precise(latest.value).minus(before).times(100).div(before))
}

/** Rounds half away from zero. A zero has no sign. */
const rounded = (value: Decimal): Exact =>
  number(value.toDecimalPlaces(2).plus(0).toFixed().replace(/^-0$/, '0'))
