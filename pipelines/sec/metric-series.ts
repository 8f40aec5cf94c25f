/** One metric over the fiscal years and the latest quarter. Each point comes from the concept that fits best. */
import type { SecFact } from '../../schemas/sec-facts.ts'
import type { MetricName } from '../../schemas/sec-financials.ts'
import { type ChainedMetric, chains, flowMetrics } from './concept-chains.ts'
import { type FiledFacts, firstFiled, isQuarter, isYear, lastFiled, within } from './filed-facts.ts'
import type { FiscalYear, Periods } from './fiscal-years.ts'
import type { Basis } from './reporting-basis.ts'
import { chooseRevenue } from './revenue-choice.ts'
import { sharesOf } from './shares-outstanding.ts'

export interface Series {
  /** Each fiscal year with its fact, newest first. */
  years: { year: FiscalYear; fact: SecFact | undefined; firstFiled: SecFact | undefined }[]
  quarter: SecFact | undefined
}

/** The facts of one concept that may be the value of a period. */
type Candidates = (concept: string) => readonly SecFact[]
interface Period {
  candidates: Candidates
  at: (concept: string) => SecFact | undefined
}

const isFlow = (metric: MetricName): boolean => (flowMetrics as readonly string[]).includes(metric)
export const conceptOf = ({ taxonomy, concept }: SecFact): string => `${taxonomy}:${concept}`
const unitOf = (metric: MetricName, { currency }: Basis): string =>
  metric === 'eps_diluted' ? `${currency}/shares` : currency

export function seriesOf(metric: MetricName, facts: FiledFacts, basis: Basis, periods: Periods): Series {
  if (metric === 'shares_outstanding') return sharesSeries(facts, basis, periods)
  const unit = unitOf(metric, basis)
  const years = periods.years.map(year => ofYear(metric, facts, unit, year))
  const chosen = chooseYears(metric, basis, years)
  const preferred = chosen.find(concept => concept !== undefined)
  const quarter = periods.quarter ? ofQuarter(metric, facts, unit, periods.quarter) : undefined
  const ofTheQuarter = quarter && choose(metric, basis, { at: quarter.at, preferred })
  return {
    years: periods.years.map((year, k) => {
      const [concept, period] = [chosen[k], years[k]]
      const candidates = concept && period ? period.candidates(concept) : []
      return { year, fact: lastFiled(candidates), firstFiled: firstFiled(candidates) }
    }),
    quarter: ofTheQuarter === undefined ? undefined : quarter?.at(ofTheQuarter),
  }
}

/** Prefers recency to priority: older years use the concept of the newest year wherever it has a value for them. */
function chooseYears(metric: ChainedMetric, basis: Basis, years: readonly Period[]): (string | undefined)[] {
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
    // Net income with and without noncontrolling interests are two things. One never replaces the other.
    if (metric === 'net_income') return first && at(first) ? first : undefined
    return choose(metric, basis, { at, preferred: metric === 'stockholders_equity' ? undefined : first })
  })
}

interface Choosing {
  at: Period['at']
  preferred?: string | undefined
  before?: string | undefined
}

function choose(metric: ChainedMetric, { taxonomy }: Basis, choosing: Choosing): string | undefined {
  if (metric === 'revenue' && taxonomy === 'us-gaap') return chooseRevenue(choosing)
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
  const candidates: Candidates = concept => {
    const rows = facts.of(concept, unit).filter(facts.inQuarterly)
    if (!isFlow(metric)) return atMoment(rows, end)
    const spans = rows.filter(fact => fact.period_start !== null && within(3, fact.period_end, end))
    if (metric !== 'operating_cash_flow') return spans.filter(fact => isQuarter(fact.days))
    // Cash flows are filed for the year to date. Utilities add the last twelve months, which do not count here.
    const toDate = spans.filter(fact => fact.days < 350)
    const longest = Math.max(...toDate.map(fact => fact.days))
    return toDate.filter(fact => fact.days === longest)
  }
  return { candidates, at: concept => lastFiled(candidates(concept)) }
}

/** Finds facts of this day. Without any, it accepts a day that another context of the same statement uses. */
function atMoment(rows: readonly SecFact[], end: string): readonly SecFact[] {
  const moments = rows.filter(fact => fact.period_start === null)
  const exact = moments.filter(fact => fact.period_end === end)
  return exact.length ? exact : moments.filter(fact => within(3, fact.period_end, end))
}

function sharesSeries(facts: FiledFacts, { taxonomy }: Basis, periods: Periods): Series {
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
