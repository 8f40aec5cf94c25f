/** Ranks sentences by their common words with others (TextRank), and by their place. */
import type { Sentence } from './sentences.ts'
import { wordsOf } from './words.ts'

export interface Ranked extends Sentence {
  rank: number
  words: ReadonlySet<string>
}

/** Comparing all pairs of more sentences takes seconds, and later sentences seldom matter. */
const mostSentences = 600
const damping = 0.85
const rounds = 30

export function ranked(sentences: readonly Sentence[]): Ranked[] {
  const taken = sentences.slice(0, mostSentences)
  const words = taken.map(({ text }) => new Set(wordsOf(text).map(word => word.toLowerCase())))
  const weights = weightsOf(words)
  const links = linksOf(words, weights)
  const ranks = textRank(links)
  const top = Math.max(...ranks, 1e-9)
  return taken.map((sentence, i) => ({
    ...sentence,
    words: words[i] as ReadonlySet<string>,
    rank: ((ranks[i] as number) / top) * placeWeight(sentence),
  }))
}

/** News and most other texts begin with the points that they explain later. */
const placeWeight = ({ place }: Sentence): number => 1 + 0.7 / (1 + place / 6)

/** A word in many sentences says little about any of them. */
function weightsOf(sentences: readonly ReadonlySet<string>[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const words of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Map(
    [...counts].map(([word, count]) => [word, count < 2 ? 0 : Math.log(1 + sentences.length / count)]),
  )
}

interface Link {
  to: number
  weight: number
}

function linksOf(sentences: readonly ReadonlySet<string>[], weights: Map<string, number>): Link[][] {
  const links: Link[][] = sentences.map(() => [])
  const holding = new Map<string, number[]>()
  for (const [i, words] of sentences.entries()) {
    const shared = new Map<number, number>()
    for (const word of words) {
      const weight = weights.get(word) as number
      if (weight === 0) continue
      const others = holding.get(word) ?? []
      for (const other of others) shared.set(other, (shared.get(other) ?? 0) + weight)
      others.push(i)
      holding.set(word, others)
    }
    for (const [other, sum] of shared) {
      const weight = sum / (Math.log(1 + words.size) + Math.log(1 + (sentences[other]?.size ?? 0)))
      links[i]?.push({ to: other, weight })
      links[other]?.push({ to: i, weight })
    }
  }
  return links
}

function textRank(links: readonly Link[][]): number[] {
  const sums = links.map(each => each.reduce((sum, { weight }) => sum + weight, 0))
  let ranks = links.map(() => 1)
  for (let round = 0; round < rounds; round++)
    ranks = links.map(
      each =>
        1 -
        damping +
        damping *
          each.reduce(
            (sum, { to, weight }) => sum + ((ranks[to] as number) * weight) / (sums[to] as number),
            0,
          ),
    )
  return ranks
}
