/** The facts of one company by concept, and the possible periods of each: a year, a quarter or one day. */
import type { SecFact } from '../../../schemas/sec-facts.ts'
import { conceptsRead, parentIncome } from './concept-chains.ts'
import { parentIncomeIn } from './parent-income.ts'

const annualForms = new Set(['10-K', '10-K/A', '10-KT', '10-KT/A', '20-F', '20-F/A', '40-F', '40-F/A'])
const quarterForms = new Set(['10-Q', '10-Q/A', '10-QT'])
const foreignForm = /^(20-F|40-F)/

const dayMs = 86_400_000
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs
export const within = (days: number, a: string, b: string): boolean => Math.abs(daysBetween(a, b)) <= days

/** 52 or 53 weeks or a calendar year, give or take some days if the year end moves. */
export const isYear = (days: number): boolean => days >= 350 && days <= 380
/** Up to 16 weeks, for retailers. */
export const isQuarter = (days: number): boolean => days >= 70 && days <= 120

/** Days are ISO text, so they sort as text. */
export const newestOf = (days: Iterable<string>): string | undefined => [...days].sort().at(-1)

/** Among facts about the same thing, the last filed counts: it may be restated, and is comparable over the years. */
export function lastFiled(facts: readonly SecFact[]): SecFact | undefined {
  let last: SecFact | undefined
  for (const fact of facts)
    if (!last || fact.filed > last.filed || (fact.filed === last.filed && fact.accession > last.accession))
      last = fact
  return last
}

export const firstFiled = (facts: readonly SecFact[]): SecFact | undefined =>
  facts.reduce<SecFact | undefined>(
    (first, fact) => (first && first.filed <= fact.filed ? first : fact),
    undefined,
  )

/** Means that there is no filing. */
const never = '1900-01-01'

export class FiledFacts {
  readonly #rows = new Map<string, SecFact[]>()
  readonly #foreign: boolean
  /** The day of the newest filing among them. */
  readonly lastFiled: string

  constructor(facts: Iterable<SecFact>, today: string) {
    let foreign = false
    let lastFiled = never
    for (const fact of facts) {
      foreign ||= foreignForm.test(fact.form)
      if (fact.filed > lastFiled) lastFiled = fact.filed
      const concept = `${fact.taxonomy}:${fact.concept}`
      if (!conceptsRead.has(concept) || isAhead(fact, today)) continue
      const rows = this.#rows.get(concept)
      if (rows) rows.push(fact)
      else this.#rows.set(concept, [fact])
    }
    this.#rows.set(
      parentIncome,
      parentIncomeIn(concept => this.of(concept)),
    )
    this.#foreign = foreign
    this.lastFiled = lastFiled
  }

  of(concept: string, unit?: string): SecFact[] {
    const rows = this.#rows.get(concept) ?? []
    return unit === undefined ? rows : rows.filter(fact => fact.unit === unit)
  }

  /** A 6-K counts for foreign issuers only. Its fact decides which period it reports. */
  inAnnual = ({ form }: SecFact): boolean => annualForms.has(form) || (this.#foreign && form === '6-K')
  inQuarterly = ({ form }: SecFact): boolean => quarterForms.has(form) || (this.#foreign && form === '6-K')

  years(concept: string, unit: string): SecFact[] {
    return this.of(concept, unit).filter(fact => this.inAnnual(fact) && isYear(fact.days))
  }

  quarters(concept: string, unit: string): SecFact[] {
    return this.of(concept, unit).filter(fact => this.inQuarterly(fact) && isQuarter(fact.days))
  }
}

/** Companies also file schedules of future years as facts. */
const isAhead = (fact: SecFact, today: string): boolean =>
  fact.period_end > today || (fact.period_start !== null && fact.period_end > fact.filed)
