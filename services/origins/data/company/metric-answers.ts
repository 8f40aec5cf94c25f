/** The ten metrics as answers show them. */
import {
  type MetricName,
  type MetricPoint,
  metricNames,
  type PointMetric,
  pointMetrics,
  type QuarterPoint,
  type SecFinancials,
} from '../../../../schemas/sec-financials.ts'
import { number } from '../../../offer/answer.ts'
import { isYearBefore, type TwoYears } from './ratios.ts'

const pointsOf = ({ points }: SecFinancials, metric: PointMetric) => {
  const own = points.filter(point => point.metric === metric)
  return {
    years: own.filter(point => point.span === 'year'),
    quarter: own.find(point => point.span === 'quarter'),
    yearToDate: own.find(point => point.span === 'year_to_date'),
  }
}

const byMetric = <T>(write: (metric: MetricName) => T) =>
  Object.fromEntries(metricNames.map(metric => [metric, write(metric)])) as Record<MetricName, T>

const pointAnswer = ({ period_start, period_end, value, form, filed, accession }: MetricPoint) => ({
  period_start,
  period_end,
  value: number(value),
  form,
  filed,
  accession,
})
const annualAnswer = (point: MetricPoint) => ({
  ...pointAnswer(point),
  ...(point.was !== null && point.was_accession !== null
    ? { restated: { was: number(point.was), accession: point.was_accession } }
    : {}),
})

const quarterAnswer = ({ derived_from: parts, ...point }: QuarterPoint) => ({
  period_start: point.period_start,
  period_end: point.period_end,
  value: number(point.value),
  form: point.form,
  filed: point.filed,
  accession: point.accession,
  ...(parts.length
    ? {
        derived_from: parts.map(({ sign, value, ...part }) => ({
          subtracted: sign === 'minus',
          value: number(value),
          ...part,
        })),
      }
    : {}),
})

function quartersAnswer({ quarters }: SecFinancials, metric: PointMetric) {
  const own = quarters.filter(point => point.metric === metric)
  const ttm = own.find(({ span }) => span === 'ttm')
  const months = own.filter(({ span }) => span === 'quarter')
  return {
    ...(months.length ? { quarters: months.map(quarterAnswer) } : {}),
    ...(ttm ? { ttm: quarterAnswer(ttm) } : {}),
  }
}

const yearToDateAnswer = (point: MetricPoint | undefined) =>
  point ? { year_to_date: pointAnswer(point) } : {}
const pointAnswerIf = (point: MetricPoint | undefined) => (point ? pointAnswer(point) : null)

/** Four fiscal years and the latest quarter. A metric is null if the company files neither. */
export const metricsAnswer = (financials: SecFinancials) =>
  byMetric(metric => {
    const { years, quarter, yearToDate } = pointsOf(financials, metric)
    const newest = years[0] ?? quarter ?? yearToDate
    if (!newest) return null
    return {
      concept: newest.concept,
      unit: newest.unit,
      annual: years.map(annualAnswer),
      latest_quarter: pointAnswerIf(quarter),
      ...quartersAnswer(financials, metric),
      ...yearToDateAnswer(yearToDate),
    }
  })

/** The newest year and the year directly before it. After a transition period the second is missing. */
export const twoYearsOf = (financials: SecFinancials): TwoYears =>
  Object.fromEntries(
    pointMetrics.map(metric => {
      const [latest, ...older] = pointsOf(financials, metric).years
      const end = latest?.fiscal_year_end ?? ''
      const prior = older.find(({ fiscal_year_end: before }) => isYearBefore(before ?? '', end))
      return [metric, { latest, prior }]
    }),
  ) as TwoYears

export function snapshotAnswer(financials: SecFinancials) {
  const years = twoYearsOf(financials)
  return byMetric(metric => {
    const { quarter, yearToDate } = pointsOf(financials, metric)
    const { latest, prior } = years[metric]
    const newest = latest ?? quarter ?? yearToDate
    if (!newest) return null
    return {
      unit: newest.unit,
      latest_annual: pointAnswerIf(latest),
      prior_annual: pointAnswerIf(prior),
      latest_quarter: pointAnswerIf(quarter),
      ...yearToDateAnswer(yearToDate),
    }
  })
}
