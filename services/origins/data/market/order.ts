/** The order of results. What it is given names nobody: it cannot know whose listing it puts where. */
import { marketRules } from '../../../../schemas/market-rules.ts'

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

/** The best first. What is handed through is never looked at. */
export const ordered = <T>(candidates: readonly [Candidate, T][]): T[] =>
  candidates
    .map(([candidate, handed]) => ({ candidate, handed, score: score(candidate) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        (a.candidate.price ?? Number.MAX_VALUE) - (b.candidate.price ?? Number.MAX_VALUE) ||
        (a.candidate.tie < b.candidate.tie ? -1 : a.candidate.tie > b.candidate.tie ? 1 : 0),
    )
    .map(({ handed }) => handed)
