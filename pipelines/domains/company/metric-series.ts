/** One metric over the fiscal years and the latest quarter. Each point comes from the concept that fits best. */
import type { SecFact } from '../../../schemas/sec-facts.ts'
import type { PointMetric } from '../../../schemas/sec-financials.ts'
import {
  type ChainedMetric,
  chains,
  commonIncome,
  flowMetrics,
  noncontrolling,
  parentEquity,
  parentIncome,
} from './concept-chains.ts'
import { type FiledFacts, firstFiled, isQuarter, isYear, lastFiled, within } from './filed-facts.ts'
import type { FiscalYear, Periods } from './fiscal-years.ts'
import { chooseNetIncome, isOfParent } from './net-income-choice.ts'
import type { Basis } from './reporting-basis.ts'
import { chooseIfrsRevenue, chooseRevenue } from './revenue-choice.ts'
import { sharesOf } from './shares-outstanding.ts'

export interface MetricSeries {
  /** Each fiscal year with its fact, newest first. */
  years: { year: FiscalYear; fact: SecFact | undefined; firstFiled: SecFact | undefined }[]
  quarter: SecFact | undefined
  /** From the beginning of the fiscal year to the end of that quarter; for cash flow only. */
  yearToDate?: SecFact | undefined
  /** Noncontrolling interests have no part in it, so all of its concepts mean the same. */
  whollyOwned?: boolean
  /** Common stock has all of the parent’s net income: there are no preferred dividends. */
  commonAlone?: boolean
}

/** The facts of one concept that may be the value of a period. */
type Candidates = (concept: string) => readonly SecFact[]
interface Period {
  candidates: Candidates
  at: (concept: string) => SecFact | undefined
}

const isFlow = (metric: PointMetric): boolean => (flowMetrics as readonly string[]).includes(metric)
export const conceptOf = ({ taxonomy, concept }: SecFact): string => `${taxonomy}:${concept}`
/** The fields that every point shows: the value, and its filing. */
export const asFiled = <F extends SecFact>(fact: F) => ({
  concept: conceptOf(fact),
  unit: fact.unit,
  period_start: fact.period_start as F['period_start'],
  period_end: fact.period_end,
  value: fact.value,
  form: fact.form,
  filed: fact.filed,
  accession: fact.accession,
})
const unitOf = (metric: PointMetric, { currency }: Basis): string =>
  metric === 'eps_diluted' ? `${currency}/shares` : currency

export function seriesOf(
  metric: PointMetric,
  facts: FiledFacts,
  basis: Basis,
  periods: Periods,
): MetricSeries {
  if (metric === 'shares_outstanding') return sharesSeries(facts, basis, periods)
  const unit = unitOf(metric, basis)
  const whollyOwned = metric === 'net_income' && isWhollyOwned(facts, basis)
  const years = periods.years.map(year => ofYear(metric, facts, unit, year))
  const chosen = chooseYears(metric, basis, years, whollyOwned)
  const preferred = chosen.find(concept => concept !== undefined)
  const told = (period: Period | undefined) => {
    const concept = period && choose(metric, basis, { at: period.at, preferred })
    return concept === undefined ? undefined : whole(metric, facts, basis, period?.at(concept))
  }
  const at = (of: typeof ofQuarter) =>
    periods.quarter === undefined ? undefined : of(metric, facts, unit, periods.quarter)
  return {
    years: periods.years.map((year, k) => {
      const [concept, period] = [chosen[k], years[k]]
      const candidates = concept && period ? period.candidates(concept) : []
      const fact = whole(metric, facts, basis, lastFiled(candidates))
      return { year, fact, firstFiled: firstFiled(candidates) }
    }),
    quarter: told(at(ofQuarter)),
    yearToDate: metric === 'operating_cash_flow' ? told(at(ofYearToDate)) : undefined,
    whollyOwned,
    commonAlone: years.some((year, k) => chosen[k] === commonIncome && isOfParent(year)),
  }
}

/** The parent’s equity is the total if nobody else has a part. */
function whole(
  metric: ChainedMetric,
  facts: FiledFacts,
  { taxonomy }: Basis,
  fact: SecFact | undefined,
): SecFact | undefined {
  if (metric !== 'total_equity' || !fact || !parentEquity.has(conceptOf(fact))) return fact
  const others = lastFiled(atMoment(facts.of(noncontrolling[taxonomy].equity, fact.unit), fact.period_end))
  return others && Number(others.value) !== 0 ? undefined : fact
}

/** Whether the parent’s net income always equals the whole, in all filed facts. */
function isWhollyOwned(facts: FiledFacts, { taxonomy, currency }: Basis): boolean {
  const { parent, whole, income } = noncontrolling[taxonomy]
  const span = ({ period_start, period_end, accession }: SecFact) =>
    `${period_start} ${period_end} ${accession}`
  const ofParent = new Map(facts.of(parent, currency).map(fact => [span(fact), Number(fact.value)]))
  const both = facts.of(whole, currency).filter(fact => ofParent.has(span(fact)))
  if (ofParent.size === 0 || both.some(fact => ofParent.get(span(fact)) !== Number(fact.value))) return false
  return both.length > 0 || facts.of(income, currency).every(({ value }) => Number(value) === 0)
}

/** Prefers recency to priority: older years use the concept of the newest year wherever it has a value for them. */
function chooseYears(
  metric: ChainedMetric,
  basis: Basis,
  years: readonly Period[],
  whollyOwned: boolean,
): (string | undefined)[] {
  const newest = years.findIndex(({ at }) => chains[basis.taxonomy][metric].some(concept => at(concept)))
  if (newest < 0) return []
  const before = years[newest + 1]
  const beforeConcept = before && choose(metric, basis, { at: before.at })
  const first = choose(metric, basis, {
    at: (years[newest] as Period).at,
    before: beforeConcept && before?.at(beforeConcept)?.value,
  })
  return years.map(({ at }, k) => {
    if (k <= newest) return k === newest ? first : undefined
    // Net income with and without noncontrolling interests are different things. One never replaces the other.
    if (metric === 'net_income')
      return ofSameMeaning(basis, first, { at, whollyOwned, newest: years[newest] as Period }).find(at)
    return choose(metric, basis, { at, preferred: isEquity(metric) ? undefined : first })
  })
}

const isEquity = (metric: ChainedMetric): boolean =>
  metric === 'stockholders_equity' || metric === 'total_equity'

function ofSameMeaning(
  { taxonomy }: Basis,
  concept: string | undefined,
  { at, whollyOwned, newest }: { at: Period['at']; whollyOwned: boolean; newest: Period },
): string[] {
  const { parent, whole } = noncontrolling[taxonomy]
  if (concept === undefined) return []
  if (whollyOwned && [parent, whole].includes(concept)) return [concept, parent, whole]
  if (concept === commonIncome && !isOfParent(newest)) return [concept]
  if (concept !== commonIncome && concept !== parent && concept !== parentIncome) return [concept]
  return [
    parent,
    ...(isOfParent({ at }) ? [commonIncome] : []),
    ...(taxonomy === 'us-gaap' ? [parentIncome] : []),
  ]
}

interface Choosing {
  at: Period['at']
  preferred?: string | undefined
  before?: string | undefined
}

function choose(metric: ChainedMetric, { taxonomy }: Basis, choosing: Choosing): string | undefined {
  if (metric === 'revenue') return (taxonomy === 'us-gaap' ? chooseRevenue : chooseIfrsRevenue)(choosing)
  if (metric === 'net_income' && taxonomy === 'us-gaap') return chooseNetIncome(choosing)
  const { at, preferred } = choosing
  return [preferred, ...chains[taxonomy][metric]].find(concept => concept !== undefined && at(concept))
}

function ofYear(metric: ChainedMetric, facts: FiledFacts, unit: string, year: FiscalYear): Period {
  const candidates: Candidates = isFlow(metric)
    ? concept =>
        facts
          .of(concept, unit)
          .filter(
            fact =>
              facts.inAnnual(fact) &&
              (year.begun
                ? fact.period_start === year.begun
                : isYear(fact.days) && fact.period_start !== null) &&
              within(10, fact.period_end, year.end),
          )
    : concept => atMoment(facts.of(concept, unit).filter(facts.inAnnual), year.end)
  return { candidates, at: concept => lastFiled(candidates(concept)) }
}

function ofQuarter(metric: ChainedMetric, facts: FiledFacts, unit: string, end: string): Period {
  return quarterly(facts, unit, rows =>
    isFlow(metric) ? spansTo(rows, end).filter(fact => isQuarter(fact.days)) : atMoment(rows, end),
  )
}

/** Cash flows are filed for the year to date. A trailing twelve months, which utilities add, does not count. */
function ofYearToDate(_metric: ChainedMetric, facts: FiledFacts, unit: string, end: string): Period {
  return quarterly(facts, unit, rows => {
    const toDate = spansTo(rows, end).filter(fact => fact.days < 350)
    const longest = Math.max(...toDate.map(fact => fact.days))
    return toDate.filter(fact => fact.days === longest)
  })
}

const spansTo = (rows: readonly SecFact[], end: string) =>
  rows.filter(fact => fact.period_start !== null && within(3, fact.period_end, end))

function quarterly(
  facts: FiledFacts,
  unit: string,
  narrow: (rows: readonly SecFact[]) => readonly SecFact[],
): Period {
  const candidates: Candidates = concept => narrow(facts.of(concept, unit).filter(facts.inQuarterly))
  return { candidates, at: concept => lastFiled(candidates(concept)) }
}

/** Finds facts of this day. If there are none, it accepts a day that another context of the same statement uses. */
function atMoment(rows: readonly SecFact[], end: string): readonly SecFact[] {
  const moments = rows.filter(fact => fact.period_start === null)
  const exact = moments.filter(fact => fact.period_end === end)
  return exact.length ? exact : moments.filter(fact => within(3, fact.period_end, end))
}

function sharesSeries(facts: FiledFacts, { taxonomy }: Basis, periods: Periods): MetricSeries {
  const { quarter } = periods
  return {
    years: periods.years.map(year => ({
      year,
      fact: sharesOf(facts, taxonomy, {
        accession: year.own?.accession,
        end: year.end,
        within: facts.inAnnual,
      }),
      firstFiled: undefined,
    })),
    quarter:
      quarter === undefined
        ? undefined
        : sharesOf(facts, taxonomy, {
            accession: periods.quarterReport,
            end: quarter,
            within: facts.inQuarterly,
          }),
  }
}
