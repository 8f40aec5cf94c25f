/** Computes the ten metrics of a company from all facts that it has ever filed. */
import type { SecFact } from '../../../schemas/sec-facts.ts'
import {
  type MetricPoint,
  type PointMetric,
  pointMetrics,
  type QuarterPoint,
  type SecFinancials,
} from '../../../schemas/sec-financials.ts'
import { FiledFacts } from './filed-facts.ts'
import { notesOn } from './financial-notes.ts'
import { periodsOf } from './fiscal-years.ts'
import { asFiled, conceptOf, type MetricSeries, seriesOf } from './metric-series.ts'
import { quartersOf } from './quarters.ts'
import { basisOf } from './reporting-basis.ts'

/** A result without points means that the company files no financial data. Facts dated after `today` are left out. */
export function financialsOf(cik: number, filed: Iterable<SecFact>, today: string): SecFinancials {
  const facts = new FiledFacts(filed, today)
  const basis = basisOf(facts)
  if (!basis) return { cik, currency: '', points: [], quarters: [], notes: [], filed: facts.lastFiled }
  const periods = periodsOf(facts, basis)
  const series = Object.fromEntries(
    pointMetrics.map(metric => [metric, seriesOf(metric, facts, basis, periods)]),
  ) as Record<PointMetric, MetricSeries>
  const points = pointMetrics.flatMap(metric => pointsOf(metric, series[metric]))
  return {
    cik,
    currency: basis.currency,
    points,
    quarters: pointMetrics.flatMap(metric => quartersIn(metric, series[metric], facts)),
    notes: points.length ? notesOn(series, basis, periods) : [],
    filed: facts.lastFiled,
  }
}

/** Uses the concept of the newest point. */
function quartersIn(
  metric: PointMetric,
  { years, quarter, yearToDate }: MetricSeries,
  facts: FiledFacts,
): QuarterPoint[] {
  const all = [quarter, yearToDate, ...years.map(({ fact }) => fact)].filter(fact => fact !== undefined)
  const newest = all.reduce<SecFact | undefined>(
    (best, fact) => (best && best.period_end >= fact.period_end ? best : fact),
    undefined,
  )
  if (!newest) return []
  return quartersOf(metric, facts, { concept: conceptOf(newest), unit: newest.unit, end: newest.period_end })
}

const pointsOf = (metric: PointMetric, { years, quarter, yearToDate }: MetricSeries): MetricPoint[] => [
  ...years.flatMap(({ year, fact, firstFiled }) =>
    fact ? [{ ...pointOf(metric, fact, 'year', year.end), ...before(fact, firstFiled) }] : [],
  ),
  ...(quarter ? [pointOf(metric, quarter, 'quarter', null)] : []),
  ...(yearToDate ? [pointOf(metric, yearToDate, 'year_to_date', null)] : []),
]

/** The first filed value of the year, if it was a different number and not only rounded. */
const before = (fact: SecFact, first: SecFact | undefined): Pick<MetricPoint, 'was' | 'was_accession'> =>
  first && !isSame(Number(first.value), Number(fact.value))
    ? { was: first.value, was_accession: first.accession }
    : { was: null, was_accession: null }

/** Filers change from thousands to millions. A difference within that rounding does not count. */
function isSame(first: number, last: number): boolean {
  if (first === last) return true
  const unit = [1e6, 1e5, 1e4, 1e3].find(unit => first % unit === 0 || last % unit === 0) ?? 0
  return Math.abs(first - last) <= Math.min(unit / 2, Math.abs(first) / 1000)
}

const pointOf = (
  metric: PointMetric,
  fact: SecFact,
  span: MetricPoint['span'],
  fiscalYearEnd: string | null,
): MetricPoint => ({
  metric,
  span,
  fiscal_year_end: fiscalYearEnd,
  ...asFiled(fact),
  was: null,
  was_accession: null,
})
