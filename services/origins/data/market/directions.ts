/** Tells what a text makes of what. A tool that makes PDF of HTML makes no HTML of PDF. */
import { termsOf, wordsAsTerms } from '../../../../pipelines/domains/market/words.ts'

/** Such a tool works both ways, and the way that it names is an example. */
export const bothWays: readonly string[] = [
  ...new Set(termsOf('fx swap bridge price distance route travel flight unit')),
]
const example = /(?:\be\.g\.|\bsuch as\b|\bfor example\b)[^.;)]{0,200}/gi
const mayLink = /to|from|tts|[a-z]2[a-z]/i
const link = /^(?:to|into|from)$/
/** A word further from the link belongs to something else. */
const mostBeside = 2
const longest = 4

type Words = ReturnType<typeof wordsAsTerms>

/** `pdf>html` for "PDF to HTML", and for "HTML from a PDF". */
export function directionsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  if (!mayLink.test(text)) return found
  const plain = text
    .replace(example, ' ')
    .replace(/\btts\b/gi, 'text to speech')
    .replace(/([a-z]{3,12})2(?=[a-z]{3,12})/gi, '$1 to ')
  for (const sentence of plain.split(/[.!?;:\n](?=\s|$)/)) {
    if (!mayLink.test(sentence)) continue
    const words = wordsAsTerms(sentence)
    for (const [at, { word }] of words.entries()) {
      if (!link.test(word)) continue
      const left = beside(words.slice(Math.max(0, at - longest), at).reverse())
      const right = beside(words.slice(at + 1, at + 1 + longest))
      const [of, made] = word === 'from' ? [right, left] : [left, right]
      for (const one of of) for (const other of made) if (one !== other) found.add(`${one}>${other}`)
    }
  }
  return found
}

function beside(words: Words): string[] {
  const end = words.findIndex(({ word }) => link.test(word))
  return words
    .slice(0, end < 0 ? undefined : end)
    .flatMap(({ term }) => term ?? [])
    .slice(0, mostBeside)
}

/** Whether a listing does the opposite of what is asked, and not what is asked as well. */
export const isOpposite = (asked: ReadonlySet<string>, told: ReadonlySet<string>): boolean =>
  told.size > 0 &&
  [...asked].some(each => told.has(each.split('>').reverse().join('>'))) &&
  ![...asked].some(each => told.has(each))
