/** Finds the fiscal years of a company by the lengths of its periods, because `fy` and `fp` describe the filing. */
import type { SecFact } from '../../../schemas/sec-facts.ts'
import { chains } from './concept-chains.ts'
import {
  daysBetween,
  type FiledFacts,
  firstFiled,
  isYear,
  lastFiled,
  newestOf,
  within,
} from './filed-facts.ts'
import type { Basis } from './reporting-basis.ts'

export interface FiscalYear {
  end: string
  /** The report of the year itself. Undefined if only later reports mention the year, for comparison. */
  own: SecFact | undefined
  /** The first day of the company, if this is its short first period. */
  begun?: string
}

type Span = SecFact & { period_start: string }
const isSpan = (fact: SecFact): fact is Span => fact.period_start !== null

const most = 4
const sameEndDays = 10

export interface Periods {
  years: FiscalYear[]
  /** The end of the newest quarter. It is the same for all metrics. */
  quarter: string | undefined
  /** The accession of the report of the quarter itself. */
  quarterReport: string | undefined
  /** Reports of less than a year, between two years in the answer. */
  transitions: { start: string; end: string; form: string }[]
}

export function periodsOf(facts: FiledFacts, basis: Basis): Periods {
  const chain = chains[basis.taxonomy]
  const shown = [...chain.net_income, ...chain.operating_cash_flow, ...chain.revenue]
  const flows = shown.flatMap(concept => facts.of(concept, basis.currency)).filter(isSpan)
  const annual = flows.filter(facts.inAnnual)
  const years = withFirst(yearsOf(annual.filter(fact => isYear(fact.days))), annual, flows).slice(0, most)
  const quarters = [...shown, ...chain.operating_income].flatMap(concept =>
    facts.quarters(concept, basis.currency),
  )
  const quarter = quarterOf(quarters, years)
  return {
    years,
    quarter,
    quarterReport: firstFiled(quarters.filter(fact => fact.period_end === quarter))?.accession,
    transitions: transitionsOf(annual, years),
  }
}

function yearsOf(rows: readonly SecFact[]): FiscalYear[] {
  const sorted = [...rows].sort((a, b) => (a.period_end < b.period_end ? 1 : -1))
  const clusters: SecFact[][] = []
  for (const fact of sorted) {
    const cluster = clusters.at(-1)
    if (cluster?.[0] && within(sameEndDays, cluster[0].period_end, fact.period_end)) cluster.push(fact)
    else clusters.push([fact])
  }
  const newestIn = new Map<string, string>()
  for (const { accession, period_end } of rows)
    if (period_end > (newestIn.get(accession) ?? '')) newestIn.set(accession, period_end)

  const years = clusters.map(cluster => {
    const owned = cluster.filter(
      fact =>
        !fact.form.endsWith('/A') && within(sameEndDays, newestIn.get(fact.accession) ?? '', fact.period_end),
    )
    return { end: (lastFiled(cluster) as SecFact).period_end, own: firstFiled(owned) }
  })
  // Twelve months that overlap a fiscal year are a comparison in a transition report.
  return years.filter((year, at) => !overlaps(year, years[at - 1]) && !overlaps(year, years[at + 1]))
}

const overlaps = (year: FiscalYear, other: FiscalYear | undefined): boolean =>
  other !== undefined &&
  Math.abs(daysBetween(year.end, other.end)) < 340 &&
  isFiscal(other) &&
  !isFiscal(year)
const isFiscal = ({ own }: FiscalYear): boolean => own !== undefined && !own.form.startsWith('10-KT')

/** The first period of a company is shown even if it is short. Its dates say so. */
function withFirst(
  years: readonly FiscalYear[],
  annual: readonly Span[],
  flows: readonly Span[],
): FiscalYear[] {
  const earliest = flows.map(fact => fact.period_start).sort()[0]
  const first = firstFiled(annual.filter(fact => fact.period_start === earliest))
  if (first?.form !== '10-K') return [...years]
  const report = annual.filter(fact => fact.accession === first.accession)
  const end = newestOf(report.map(fact => fact.period_end))
  const wholePeriod = report.find(fact => fact.period_start === earliest && fact.period_end === end)
  if (!end || !wholePeriod || wholePeriod.days >= 350) return [...years]
  const oldest = years.at(-1)
  if (oldest && daysBetween(end, oldest.end) < 340) return [...years]
  return [...years, { end, own: wholePeriod, begun: wholePeriod.period_start }]
}

/** A filer that has changed to other forms no longer has a quarter. */
function quarterOf(quarters: readonly SecFact[], [newest]: readonly FiscalYear[]): string | undefined {
  const end = newestOf(quarters.map(fact => fact.period_end))
  return end === undefined || (newest && daysBetween(end, newest.end) > 460) ? undefined : end
}

function transitionsOf(annual: readonly Span[], years: readonly FiscalYear[]): Periods['transitions'] {
  const found = new Map<string, Periods['transitions'][number]>()
  years.forEach(({ end: later }, at) => {
    const earlier = years[at + 1]?.end
    if (earlier === undefined || daysBetween(earlier, later) <= 380) return
    for (const { period_start: start, period_end: end, form, days } of annual)
      if (within(7, earlier, start) && end < later && days < 350 && end > (found.get(start)?.end ?? ''))
        found.set(start, { start, end, form })
  })
  return [...found.values()]
}
