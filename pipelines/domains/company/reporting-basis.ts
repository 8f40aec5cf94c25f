/** Chooses one taxonomy and one currency for all metrics of a company. */
import type { SecFact } from '../../../schemas/sec-facts.ts'
import { chains, type Taxonomy } from './concept-chains.ts'
import { type FiledFacts, isQuarter, isYear, newestOf } from './filed-facts.ts'

export interface Basis {
  taxonomy: Taxonomy
  currency: string
}

const isoCurrency = /^[A-Z]{3}$/

/** Undefined if the company has no fact for any metric. */
export function basisOf(facts: FiledFacts): Basis | undefined {
  const candidates = (['us-gaap', 'ifrs-full'] as const).flatMap(taxonomy => {
    const money = Object.values(chains[taxonomy])
      .flat()
      .flatMap(concept => facts.of(concept))
      .filter(fact => isoCurrency.test(fact.unit))
    const annual = newestPeriod(money.filter(fact => facts.inAnnual(fact) && isAnnual(fact)))
    const quarterly = newestPeriod(money.filter(fact => facts.inQuarterly(fact) && isQuarterly(fact)))
    return annual || quarterly ? [{ taxonomy, money, annual, quarterly }] : []
  })
  // Equal candidates keep their order, with US GAAP first.
  const [best] = candidates.sort((a, b) => compare(b.annual, a.annual) || compare(b.quarterly, a.quarterly))
  return best && { taxonomy: best.taxonomy, currency: currencyOf(facts, best.money) }
}

/** A fact of one day in a 6-K may belong to any quarter. */
const isAnnual = (fact: SecFact): boolean =>
  fact.period_start === null ? fact.form !== '6-K' : isYear(fact.days)
const isQuarterly = (fact: SecFact): boolean => fact.period_start === null || isQuarter(fact.days)
const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)
const newestPeriod = (facts: readonly SecFact[]): string =>
  newestOf(facts.map(fact => `${fact.period_end} ${fact.filed}`)) ?? ''

const decisive = new Set(['Assets', 'Revenues', 'Revenue', 'NetIncomeLoss', 'ProfitLoss'])

/** The currency of the newest annual filing. A convenience translation covers fewer periods than that currency. */
function currencyOf(facts: FiledFacts, money: readonly SecFact[]): string {
  const telling = money.filter(fact => decisive.has(fact.concept))
  const pool = telling.length ? telling : money
  const annual = pool.filter(fact => facts.inAnnual(fact) && fact.form !== '6-K')
  const reports = annual.length
    ? annual
    : pool.filter(fact => facts.inAnnual(fact) || facts.inQuarterly(fact))
  const place = (fact: SecFact) => `${fact.filed} ${fact.accession}`
  const newest = newestOf(reports.map(place))
  const byUnit = Map.groupBy(
    reports.filter(fact => place(fact) === newest),
    fact => fact.unit,
  )
  const periods = [...byUnit].map(([unit, told]) => ({
    unit,
    count: new Set(told.map(fact => fact.period_end)).size,
  }))
  periods.sort((a, b) => b.count - a.count || Number(b.unit === 'USD') - Number(a.unit === 'USD'))
  return periods[0]?.unit ?? 'USD'
}
