/** The order of results. What it is given names nobody: it cannot know whose listing it puts where. */
import { marketRules } from '../../schemas/market-rules.ts'

export interface Candidate {
  /** How well the listing fits the task. */
  relevance: number
  /** Wallets that paid it in 30 days. */
  wallets: number
  /** Do its buyers come back? */
  repeat: boolean
  /** Dollars, for ties alone. */
  price: number | undefined
  /** A hash of the week and the listing's own words: an order that nobody can choose a name for. */
  tie: string
}

const score = ({ relevance, wallets, repeat }: Candidate): number =>
  Math.sqrt(relevance) * Math.log2(1 + wallets) * (repeat ? 1 : marketRules.repeat.factor)

export const before = (a: Candidate, b: Candidate): number =>
  score(b) - score(a) ||
  (a.price ?? Number.MAX_VALUE) - (b.price ?? Number.MAX_VALUE) ||
  (a.tie < b.tie ? -1 : a.tie > b.tie ? 1 : 0)
