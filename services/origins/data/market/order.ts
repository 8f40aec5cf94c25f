/** Orders results. A candidate names nobody, so the order cannot favour anyone. */
import { marketRules } from '../../../../schemas/tables/market-rules.ts'

export interface RankCandidate {
  /** How well the listing fits the task. */
  relevance: number
  /** The number of wallets that paid the listing in 30 days. */
  wallets: number
  /** True if buyers come back. */
  repeat: boolean
  /** In US dollars. It only decides between equals. */
  price: number | undefined
  /** A hash of the week and the listing's words. A choice of name does not change it. */
  tie: string
}

const score = ({ relevance, wallets, repeat }: RankCandidate): number =>
  Math.sqrt(relevance) * Math.log2(1 + wallets) * (repeat ? 1 : marketRules.repeat.factor)

/** Puts the best candidate first. It never reads the value beside a candidate. */
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
