/** Decides which of several revenue lines is the total. Companies use the same tags for parts. */
import { Decimal } from 'decimal.js'
import type { SecFact } from '../../../schemas/sec-facts.ts'
import {
  chains,
  operatingCosts,
  operatingIncome,
  revenueOfFinancials,
  revenueTotals,
} from './concept-chains.ts'

type At = (concept: string) => SecFact | undefined

const usGaap = (names: readonly string[]) => names.map(name => `us-gaap:${name}`)
const totals = usGaap(revenueTotals)
const contracts = totals[1] as string
const ofFinancials = usGaap(revenueOfFinancials)
const net = ofFinancials[0] as string
const others = chains['us-gaap'].revenue.filter(concept => !totals.includes(concept))

/** A line below this share of another line is a part of it. */
const partBelow = 0.7
/** If two lines differ by this factor, one of them has an error of scale. */
const mistakenFrom = 50

interface Choosing {
  at: At
  /** The concept of the newest year. It is kept where possible. */
  preferred?: string | undefined
  /** The revenue of the previous year. */
  before?: string | undefined
}

export function chooseRevenue(choosing: Choosing): string | undefined {
  const nominal = byName(choosing)
  return nominal && (lineBelowTaxes(choosing.at, nominal) ?? nominal)
}

/**
 * A filer may tag its sales with the taxes on them as the total, and its net revenue as another line. Costs and operating
 * income together are the line that the report counts from.
 */
function lineBelowTaxes(at: At, nominal: string): string | undefined {
  const [costs, income] = [operatingCosts, operatingIncome].map(at)
  if (!costs || !income) return undefined
  const printed = new Decimal(costs.value).plus(income.value)
  const is = (concept: string) => at(concept) !== undefined && printed.eq(at(concept)?.value ?? 0)
  if (!printed.gt(0) || is(nominal) || printed.gt(at(nominal)?.value ?? 0)) return undefined
  return chains['us-gaap'].revenue.find(is)
}

function byName({ at, preferred, before }: Choosing): string | undefined {
  const found = totals.filter(concept => at(concept))
  if (found.length === 0) return largestOf(others, at, preferred)
  if (found.length === 1 && found[0] === contracts)
    return largestOf([contracts, ...ofFinancials], at, preferred)
  const size = sizes(at)
  const ranked = [...found].sort((a, b) => size(b).cmp(size(a)))
  const [largest, next] = ranked as [string, string?]
  if (next && before !== undefined && size(largest).gte(size(next).times(mistakenFrom)))
    return nearest(ranked, size, before)
  const first = preferred && found.includes(preferred) ? preferred : (found[0] as string)
  return size(first).lt(size(largest).times(partBelow)) ? largest : first
}

/** The parts of an IFRS filer’s income. A bank’s contract revenue is only its fees. */
export function chooseIfrsRevenue({ at, preferred }: Choosing): string | undefined {
  const [total = '', ...parts] = chains['ifrs-full'].revenue
  return at(total) ? total : largestOf(parts, at, preferred)
}

const sizes = (at: At) => (concept: string) => new Decimal(at(concept)?.value ?? 0).abs()
type Size = ReturnType<typeof sizes>

/**
 * Any line may be a part of another one, so the largest is closest to the total. Revenue net of interest is a total
 * itself.
 */
function largestOf(lines: readonly string[], at: At, preferred: string | undefined): string | undefined {
  const rivals = lines.filter(concept => at(concept))
  if (preferred && rivals.includes(preferred)) return preferred
  if (rivals.includes(net)) return net
  const size = sizes(at)
  return rivals.reduce<string | undefined>(
    (best, concept) => (best && size(concept).lte(size(best)) ? best : concept),
    undefined,
  )
}

function nearest(ranked: readonly string[], size: Size, before: string): string {
  const was = new Decimal(before).abs()
  const distance = (concept: string) => size(concept).minus(was).abs()
  return ranked.reduce((best, concept) => (distance(concept).lt(distance(best)) ? concept : best))
}
