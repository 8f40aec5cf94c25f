/** Summarises a text with its own sentences. */
import { type Ranked, ranked } from './ranking.ts'
import { sentencesOf } from './sentences.ts'
import { wordCount, wordsOf } from './words.ts'

/** How much a sentence loses that says again what a chosen one has said. */
const repetition = 0.6

/** At most `mostWords` words. It ends with a whole sentence, except where not even one sentence fits. */
export function extractiveSummary(text: string, mostWords: number): string {
  const candidates = ranked(sentencesOf(text))
  const chosen: Ranked[] = []
  let left = mostWords
  const rest = new Set(candidates.filter(({ text: each }) => wordCount(each) <= mostWords))
  while (rest.size) {
    const next = best(rest, chosen)
    rest.delete(next)
    const words = wordCount(next.text)
    if (words > left) continue
    chosen.push(next)
    left -= words
  }
  if (!chosen.length) return cut(candidates[0]?.text ?? text, mostWords)
  return chosen
    .sort((a, b) => a.place - b.place)
    .map((sentence, i) => (i === 0 ? sentence.text : `${joint(chosen[i - 1], sentence)}${sentence.text}`))
    .join('')
}

function best(from: ReadonlySet<Ranked>, chosen: readonly Ranked[]): Ranked {
  let winner: Ranked | undefined
  let most = -Infinity
  for (const sentence of from) {
    const said = Math.max(0, ...chosen.map(other => overlap(sentence.words, other.words)))
    const score = sentence.rank * (1 - repetition * said) - (said > 0.7 ? 10 : 0)
    if (score > most) [winner, most] = [sentence, score]
  }
  return winner as Ranked
}

/** The share of the shorter one's words that stand in the other. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let shared = 0
  for (const word of small) if (large.has(word)) shared += 1
  return small.size ? shared / small.size : 0
}

/** Chinese and Japanese put no space between sentences. */
const joint = (before: Ranked | undefined, after: Ranked): string =>
  /[。！？」』]$/.test(before?.text ?? '') && before?.paragraph === after.paragraph ? '' : ' '

/** The first words of a sentence that is too long. */
function cut(sentence: string, mostWords: number): string {
  const words = wordsOf(sentence)
  if (words.length <= mostWords) return sentence
  let at = 0
  for (const word of words.slice(0, mostWords)) at = sentence.indexOf(word, at) + word.length
  return `${sentence.slice(0, at)}…`
}
