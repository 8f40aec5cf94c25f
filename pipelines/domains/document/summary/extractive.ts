/** Summarises a text with its own sentences. */
import { isClosed, isDenial, isLabelled, isOutOfPlace, leansOnOthers } from './alone.ts'
import { headOf } from './clause.ts'
import { areEnglish, isOfItself } from './of-itself.ts'
import { type Ranked, ranked } from './ranking.ts'
import { sentencesOf } from './sentences.ts'
import { type StandsAfter, toldBefore } from './told-before.ts'
import { tellsOfSomething, topicOf } from './topic.ts'
import { wordCount } from './words.ts'

/** The loss of weight for a sentence that repeats a chosen one. */
const repetition = 0.6
/** Of its words. What repeats more says nothing. */
const mostSaid = 0.7
/** Of the highest rank. What has less says little of the text, as a line about its author does. */
const leastRank = 0.3
/** The first sentences are on the topic, or lead to it. */
const lead = 3

/** At most `mostWords` words in whole sentences. Undefined where none that fits says by itself what it tells of. */
export function extractiveSummary(text: string, mostWords: number): string | undefined {
  const chosen = told(ranked(sentencesOf(text)), mostWords)
  if (!chosen.length) return undefined
  return chosen
    .sort((a, b) => a.place - b.place)
    .map((sentence, i) => (i === 0 ? sentence.text : `${joint(chosen[i - 1], sentence)}${sentence.text}`))
    .join('')
}

function told(candidates: readonly Ranked[], mostWords: number): Ranked[] {
  const isEnglish = areEnglish(candidates)
  const isOnTopic = topicOf(candidates)
  const standing = candidates.filter(
    ({ text, place }) =>
      isClosed(text) &&
      !isOutOfPlace(text) &&
      (place === 0 || !isLabelled(text)) &&
      (!isEnglish || (place < lead ? tellsOfSomething(headOf(text)) : isOnTopic(headOf(text)))),
  )
  return chosenOf(standing, {
    mostWords,
    leans: leansOnOthers,
    isOwn: isEnglish ? isOfItself : () => true,
    standsAfter: toldBefore(candidates),
  })
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
  const mostRank = Math.max(...candidates.map(({ rank }) => rank))
  let left = mostWords
  while (rest.size) {
    const next = best(rest, [...chosen])
    rest.delete(next)
    if (next.rank < leastRank * mostRank || repeats(next, [...chosen])) break
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
    const score = sentence.rank * (1 - repetition * said) - (said > mostSaid ? 10 : 0)
    if (score > most) [winner, most] = [sentence, score]
  }
  return winner as Ranked
}

/** Where the best that is left says again what was said, nothing else is left. */
const repeats = (sentence: Ranked, chosen: readonly Ranked[]): boolean =>
  chosen.some(other => overlap(sentence.words, other.words) > mostSaid)

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
