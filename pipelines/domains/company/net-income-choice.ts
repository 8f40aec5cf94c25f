/** Decides which line is the net income of the parent. Some filers tag it as that of common stock alone. */
import { Decimal } from 'decimal.js'
import type { SecFact } from '../../../schemas/sec-facts.ts'
import { chains, commonIncome, noncontrolling, parentIncome } from './concept-chains.ts'

type At = (concept: string) => SecFact | undefined

const { whole, income } = noncontrolling['us-gaap']

export function chooseNetIncome({
  at,
  preferred,
}: {
  at: At
  preferred?: string | undefined
}): string | undefined {
  const chain = chains['us-gaap'].net_income
  const ofParent = isOfParent({ at }) ? [commonIncome] : []
  const beforeWhole = chain.slice(0, chain.indexOf(whole))
  const others = Number(at(income)?.value ?? 0) === 0 ? [whole] : []
  return [preferred, ...beforeWhole, ...others, ...ofParent, parentIncome, ...chain].find(
    concept => concept !== undefined && at(concept),
  )
}

/** The whole less noncontrolling interests: no preferred dividends stand between common stock and the parent. */
export function isOfParent({ at }: { at: At }): boolean {
  const [all, minority, common] = [whole, income, commonIncome].map(at)
  return (
    all !== undefined &&
    common !== undefined &&
    new Decimal(all.value).minus(minority?.value ?? 0).eq(common.value)
  )
}
