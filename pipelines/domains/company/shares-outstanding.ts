/** Each report counts the shares on its cover, days or weeks after its period. No later report repeats the count. */
import { Decimal } from 'decimal.js'
import type { SecFact } from '../../../schemas/sec-facts.ts'
import { sharesAveraged, sharesOnBalanceSheet, sharesOnCover, type Taxonomy } from './concept-chains.ts'
import { type FiledFacts, isQuarter, isYear, lastFiled, within } from './filed-facts.ts'

const unit = 'shares'
/** A smaller count on the balance sheet may be a placeholder: 1, 100, 1000. */
const surelyReal = 1_000_000

interface Report {
  /** The report of the period itself. */
  accession: string | undefined
  end: string
  /** Whether a fact is from a report of the right kind. */
  within: (fact: SecFact) => boolean
}

/** Undefined if there are several classes of shares, so that no count covers the whole company. */
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
