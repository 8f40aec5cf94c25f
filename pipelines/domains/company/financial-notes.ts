/** Writes a sentence for everything irregular about a company's metrics, for readers who rely on them. */
import { type MetricName, metricNames } from '../../../schemas/sec-financials.ts'
import { commonIncome, noncontrolling, parentIncome } from './concept-chains.ts'
import { daysBetween } from './filed-facts.ts'
import type { Periods } from './fiscal-years.ts'
import { conceptOf, type MetricSeries } from './metric-series.ts'
import type { Basis } from './reporting-basis.ts'

type AllSeries = Record<MetricName, MetricSeries>

const meanings: Record<string, string> = {
  'us-gaap:InterestAndDividendIncomeOperating': 'gross interest income; the filer tags no total revenue',
  'us-gaap:InterestIncomeOperating': 'gross interest income; the filer tags no total revenue',
  [commonIncome]: 'after preferred dividends',
  [parentIncome]: 'computed: the parent’s, before preferred dividends; the filer tags no such line',
  'us-gaap:PremiumsEarnedNet': 'premiums earned; the filer tags no total revenue',
  'ifrs-full:RevenueFromInterest': 'interest income; the filer tags no total revenue',
  'ifrs-full:InterestRevenueCalculatedUsingEffectiveInterestMethod':
    'interest income by the effective interest method; the filer tags no total revenue',
  'ifrs-full:InsuranceRevenue': 'insurance revenue; the filer tags no total revenue',
  'us-gaap:ProfitLoss': 'noncontrolling interests included',
  'ifrs-full:ProfitLoss': 'noncontrolling interests included',
  'us-gaap:StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest':
    'noncontrolling interests included',
  'us-gaap:PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest':
    'noncontrolling interests included',
  'ifrs-full:Equity': 'noncontrolling interests included',
  'us-gaap:CashAndDueFromBanks': 'cash and due from banks',
  'us-gaap:CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents': 'restricted cash included',
  'us-gaap:CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalentsIncludingDisposalGroupAndDiscontinuedOperations':
    'restricted cash and discontinued operations included',
  'us-gaap:IncomeLossFromContinuingOperationsPerDilutedShare': 'continuing operations only',
  'us-gaap:NetCashProvidedByUsedInOperatingActivitiesContinuingOperations': 'continuing operations only',
  'us-gaap:CommonStockSharesOutstanding':
    'at the balance-sheet date; no cover page of its own gives a single count',
  'us-gaap:SharesOutstanding': 'at the balance-sheet date; no cover page of its own gives a single count',
  'ifrs-full:NumberOfSharesOutstanding':
    'at the balance-sheet date; no cover page of its own gives a single count',
}

export function notesOn(series: AllSeries, { currency }: Basis, periods: Periods): string[] {
  return [
    ...(currency === 'USD' ? [] : [`Amounts are in ${currency}, the reporting currency.`]),
    ...onPeriods(periods),
    ...onQuarter(series, periods),
    ...metricNames.flatMap(metric => onConcepts(metric, series[metric])),
    ...onAbsent(series),
    ...onRestated(series),
  ]
}

function onPeriods({ years, transitions }: Periods): string[] {
  const notes = transitions.map(
    ({ start, end, form }) =>
      `${form.startsWith('10-KT') ? '10-KT transition' : 'Short'} period ${start} to ${end} omitted.`,
  )
  years.forEach(({ end, begun }, k) => {
    if (begun) notes.push(`The fiscal year ended ${end} is the first period of the company, begun ${begun}.`)
    const earlier = years[k + 1]?.end
    if (earlier !== undefined && daysBetween(earlier, end) > 380)
      notes.push(`No twelve-month period is filed between the fiscal years ended ${earlier} and ${end}.`)
  })
  if (years.length === 0) notes.push('No annual report with data is filed yet.')
  return notes
}

function onQuarter({ operating_cash_flow }: AllSeries, { years, quarter }: Periods): string[] {
  const newest = years[0]?.end
  const { quarter: months, yearToDate } = operating_cash_flow
  return [
    ...(quarter !== undefined && newest !== undefined && quarter < newest
      ? [
          `latest_quarter ends ${quarter}, before the newest fiscal year: no report is filed for a fourth quarter alone.`,
        ]
      : []),
    ...(yearToDate && !months
      ? [
          `operating_cash_flow is filed for the year to date alone, ${yearToDate.period_start} to ${yearToDate.period_end}: see year_to_date.`,
        ]
      : []),
  ]
}

const isWhole = (concept: string): boolean =>
  Object.values(noncontrolling).some(({ whole }) => whole === concept)

/** Answers name the concept of the newest year. A note names every point that comes from another concept. */
function onConcepts(metric: MetricName, series: MetricSeries): string[] {
  const { years, quarter, yearToDate, whollyOwned, commonAlone } = series
  const points = [
    ...years.flatMap(({ year, fact }) =>
      fact ? [{ label: year.end.slice(0, 7), concept: conceptOf(fact) }] : [],
    ),
    ...(quarter ? [{ label: 'latest_quarter', concept: conceptOf(quarter) }] : []),
    ...(yearToDate ? [{ label: 'year_to_date', concept: conceptOf(yearToDate) }] : []),
  ]
  const main = points[0]?.concept
  if (main === undefined) return []
  const byConcept = Map.groupBy(points, point => point.concept)
  const meaningOf = (concept: string) => {
    if (whollyOwned && isWhole(concept)) return ''
    if (commonAlone && concept === commonIncome) return ' (all of the parent’s: no preferred dividends)'
    return meanings[concept] ? ` (${meanings[concept]})` : ''
  }
  return [...byConcept].flatMap(([concept, told]) => {
    const meaning = meaningOf(concept)
    if (concept === main) return meaning ? [`${metric} from ${concept}${meaning}.`] : []
    return [`${metric} ${told.map(({ label }) => label).join(', ')} from ${concept}${meaning}.`]
  })
}

const whyAbsent: Partial<Record<MetricName, string>> = {
  eps_diluted: 'no figure for the company as a whole is tagged; with several share classes each has its own',
  total_liabilities: 'the filer tags no total, and none is derived',
  shares_outstanding: 'no single count of shares is tagged; with several share classes each has its own',
}

function onAbsent(series: AllSeries): string[] {
  return metricNames.flatMap(metric => {
    const { years, quarter } = series[metric]
    const missing = years.filter(({ fact }) => !fact)
    if (missing.length < years.length) {
      const ends = missing.map(({ year }) => year.end)
      return ends.length ? [`${metric} is not tagged for the fiscal year ended ${ends.join(', ')}.`] : []
    }
    return !quarter && whyAbsent[metric] ? [`${metric}: ${whyAbsent[metric]}.`] : []
  })
}

function onRestated(series: AllSeries): string[] {
  const restated = metricNames.flatMap(metric => {
    const ends = series[metric].years.flatMap(({ year, fact, firstFiled }) =>
      fact && firstFiled && firstFiled.value !== fact.value ? [year.end.slice(0, 7)] : [],
    )
    return ends.length ? [`${metric} ${ends.join(', ')}`] : []
  })
  return restated.length ? [`Changed by a later filing since first filed: ${restated.join('; ')}.`] : []
}
