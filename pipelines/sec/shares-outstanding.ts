/** Shares are counted on the cover of each report, days or weeks after its period; a count is never repeated later. */
import { Decimal } from 'decimal.js'
import type { SecFact } from '../../schemas/sec-facts.ts'
import { sharesAveraged, sharesOnBalanceSheet, sharesOnCover, type Taxonomy } from './concept-chains.ts'
import { type FiledFacts, isQuarter, isYear, lastFiled, within } from './filed-facts.ts'

const unit = 'shares'
/** Below it a count on the balance sheet may be a placeholder: 1, 100, 1000. */
const surelyReal = 1_000_000

export interface Report {
  /** The report that was the period's own. */
  accession: string | undefined
  end: string
  /** Of which kind the report is. */
  within: (fact: SecFact) => boolean
}

/** Undefined where no count is of the company as a whole: of several classes each has its own. */
export function sharesOf(facts: FiledFacts, taxonomy: Taxonomy, report: Report): SecFact | undefined {
  const cover = facts.of(sharesOnCover, unit).filter(fact => fact.accession === report.accession)
  const newest = cover.reduce<SecFact | undefined>(
    (last, fact) => (last && last.period_end > fact.period_end ? last : fact),
    undefined,
  )
  if (newest) return newest
  for (const concept of sharesOnBalanceSheet[taxonomy]) {
    const found = lastFiled(
      facts
        .of(concept, unit)
        .filter(
          fact => fact.period_start === null && report.within(fact) && within(3, fact.period_end, report.end),
        ),
    )
    if (found && isPlausible(facts, taxonomy, found)) return found
  }
  return undefined
}

function isPlausible(facts: FiledFacts, taxonomy: Taxonomy, { value, period_end }: SecFact): boolean {
  const count = new Decimal(value)
  if (count.gte(surelyReal)) return true
  const average = lastFiled(
    sharesAveraged[taxonomy].flatMap(concept =>
      facts
        .of(concept, unit)
        .filter(
          fact => (isYear(fact.days) || isQuarter(fact.days)) && within(10, fact.period_end, period_end),
        ),
    ),
  )
  return (
    average !== undefined &&
    count.gte(new Decimal(average.value).div(3)) &&
    count.lte(new Decimal(average.value).times(3))
  )
}
