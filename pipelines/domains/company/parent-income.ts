/** Computes the parent’s net income of a filer that tags the whole, the part of others, and that of common stock alone. */
import { Decimal } from 'decimal.js'
import type { SecFact } from '../../../schemas/sec-facts.ts'
import { commonIncome, noncontrolling, parentIncome } from './concept-chains.ts'

const { parent, whole, income } = noncontrolling['us-gaap']

/** Preferred dividends take less than this share of it. More means that a filer tags a loss of others as their gain. */
const mostPreferred = 0.5

const spanOf = ({ unit, period_start, period_end, accession }: SecFact): string =>
  `${unit} ${period_start} ${period_end} ${accession}`

export function parentIncomeIn(of: (concept: string) => readonly SecFact[]): SecFact[] {
  const common = bySpan(of(commonIncome))
  if (!common.size) return []
  const [others, tagged] = [bySpan(of(income)), bySpan(of(parent))]
  return of(whole).flatMap(fact => {
    const span = spanOf(fact)
    const [part, left] = [others.get(span), common.get(span)]
    if (!part || !left || tagged.has(span) || Number(part.value) === 0) return []
    const own = new Decimal(fact.value).minus(part.value)
    const preferred = own.minus(left.value)
    if (preferred.lte(0) || preferred.gt(own.abs().mul(mostPreferred))) return []
    return [{ ...fact, concept: parentIncome.split(':')[1] as string, value: own.toFixed() }]
  })
}

const bySpan = (facts: readonly SecFact[]): Map<string, SecFact> =>
  new Map(facts.map(fact => [spanOf(fact), fact]))
