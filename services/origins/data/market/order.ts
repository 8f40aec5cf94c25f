/** Orders results. A candidate names nobody, so the order cannot favour anyone. */
import { marketRules } from '../../../../schemas/tables/market-rules.ts'

export interface RankCandidate {
  /** How well the listing fits the task. */
  relevance: number
  /** Wallets that paid it in 30 days. */
  wallets: number
  /** Its buyers come back. */
  repeat: boolean
  /** US dollars. Decides between equals alone. */
  price: number | undefined
  /** A hash of the week and the listing's words. No choice of a name changes it. */
  tie: string
}

const score = ({ relevance, wallets, repeat }: RankCandidate): number =>
  Math.sqrt(relevance) * Math.log2(1 + wallets) * (repeat ? 1 : marketRules.repeat.factor)

/** Puts the best first. It never looks at what stands beside a candidate. */
export const ordered = <T>(candidates: readonly [RankCandidate, T][]): T[] =>
  candidates
    .map(([candidate, beside]) => ({ candidate, beside, score: score(candidate) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        (a.candidate.price ?? Number.MAX_VALUE) - (b.candidate.price ?? Number.MAX_VALUE) ||
        (a.candidate.tie < b.candidate.tie ? -1 : a.candidate.tie > b.candidate.tie ? 1 : 0),
    )
    .map(({ beside }) => beside)
