/** Summarises a text with its own sentences. */
import { isClosed, isDenial, isLabelled, isOutOfPlace, leansButForSpeaker, leansOnOthers } from './alone.ts'
import { itsOwnIn } from './of-itself.ts'
import { type Ranked, ranked } from './ranking.ts'
import { sentencesOf } from './sentences.ts'
import { type StandsAfter, toldBefore } from './told-before.ts'
import { wordCount, wordsOf } from './words.ts'

/** The loss of weight for a sentence that repeats a chosen one. */
const repetition = 0.6

/** At most `mostWords` words. It ends with a whole sentence, unless not even one sentence fits. */
export function extractiveSummary(text: string, mostWords: number): string {
  const candidates = ranked(sentencesOf(text))
  const chosen = told(candidates, mostWords)
  if (!chosen.length) return cut(candidates[0]?.text ?? text, mostWords)
  return chosen
    .sort((a, b) => a.place - b.place)
    .map((sentence, i) => (i === 0 ? sentence.text : `${joint(chosen[i - 1], sentence)}${sentence.text}`))
    .join('')
}

/** A text of one who speaks of himself may have no other sentences, and some texts have none that stand alone. */
function told(candidates: readonly Ranked[], mostWords: number): Ranked[] {
  const closed = candidates.filter(({ text }) => isClosed(text))
  const standing = closed.filter(
    ({ text, place }) => !isOutOfPlace(text) && (place === 0 || !isLabelled(text)),
  )
  const standsAfter = toldBefore(candidates)
  const isOwn = itsOwnIn(candidates)
  for (const leans of [leansOnOthers, leansButForSpeaker]) {
    const chosen = chosenOf(standing, { mostWords, leans, isOwn, standsAfter })
    if (chosen.length) return chosen
  }
  const anywhere = { mostWords, isOwn: () => true, standsAfter: () => true }
  const chosen = chosenOf(closed, { ...anywhere, leans: leansButForSpeaker })
  return chosen.length ? chosen : chosenOf(candidates, { ...anywhere, leans: () => false })
}

interface Rules {
  mostWords: number
  leans(text: string): boolean
  isOwn(text: string): boolean
  standsAfter: StandsAfter
}

/** A sentence that leans on another comes after the one before it, and a denial with what it denies. */
function chosenOf(candidates: readonly Ranked[], { mostWords, leans, isOwn, standsAfter }: Rules): Ranked[] {
  const at = new Map(candidates.map(each => [each.place, each]))
  const chosen = new Set<Ranked>()
  const rest = new Set(candidates)
  /** They may follow once what they lean on is chosen. */
  const passed = new Set<Ranked>()
  const stands = (sentence: Ranked, beside: readonly Ranked[] = []): boolean => {
    const told = [...chosen, ...beside]
    const before = at.get(sentence.place - 1)
    const follows = before && told.includes(before) && before.paragraph === sentence.paragraph
    return (
      ((!leans(sentence.text) && isOwn(sentence.text)) || isDenial(sentence.text) || follows === true) &&
      standsAfter(sentence, told)
    )
  }
  /** The one before it, where both together are worth more than what comes next. */
  const carrying = (sentence: Ranked): Ranked | undefined => {
    const before = at.get(sentence.place - 1)
    if (!before || !rest.has(before) || before.paragraph !== sentence.paragraph) return undefined
    if (!stands(before) || !stands(sentence, [before])) return undefined
    return (before.rank + sentence.rank) / 2 >= best(rest, [...chosen]).rank ? before : undefined
  }
  let left = mostWords
  while (rest.size) {
    const next = best(rest, [...chosen])
    rest.delete(next)
    const carrier = stands(next) ? undefined : carrying(next)
    if (!carrier && !stands(next)) {
      passed.add(next)
      continue
    }
    const before = at.get(next.place - 1)
    const after = at.get(next.place + 1)
    const denies = isDenial(next.text)
    if (denies && !before) continue
    const group = carrier ? [carrier, next] : denies && before ? [before, next] : [next]
    if (after && isDenial(after.text)) group.push(after)
    const added = group.filter(each => !chosen.has(each))
    const words = added.reduce((sum, each) => sum + wordCount(each.text), 0)
    if (words > left || (group[0] && group[0] !== next && !stands(group[0]))) continue
    for (const each of added) {
      chosen.add(each)
      rest.delete(each)
      passed.delete(each)
    }
    left -= words
    for (const each of [...passed]) if (stands(each) && passed.delete(each)) rest.add(each)
  }
  return [...chosen]
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

/** The share of the shorter one's words that are also in the other. */
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
