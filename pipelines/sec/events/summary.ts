/**
 * Summarises an 8-K in one or two plain sentences: what happened by its items, and its own most informative sentence.
 */
import { itemsIn, textOf } from './document.ts'
import { isFurnished, weighed } from './items.ts'
import { periodTold, shortened, tellingSentence } from './sentence.ts'

export interface Report {
  /** The company. */
  name: string
  form: string
  items: readonly string[]
}

export const longestSummary = 300
const mostNamed = 3

/** Makes a summary from the items only. Null where none of them is known. */
export const summaryOfItems = (report: Report): string | null => firstSentence(report, weighed(report.items))

/** Makes a summary from the document, and from the items where the document says nothing. */
export function summaryOf(report: Report, document: string): string | null {
  const bodies = itemsIn(textOf(document))
  const items = weighed([...report.items, ...bodies.keys()])
  const told = items.map(item => ({ ...item, body: bodies.get(item.code) ?? '' }))
  const first = firstSentence(
    report,
    told.map(({ code, phrase, body }) => ({
      code,
      phrase: phrase === resultsPhrase ? phrase + (periodTold(body) ?? '') : phrase,
    })),
  )
  if (first === null) return null
  for (const { code, body } of told) {
    const sentence = tellingSentence(body, isFurnished(code))
    const second = sentence && shortened(sentence, longestSummary - first.length - 1)
    if (second) return `${first} ${second}`
  }
  return first
}

const resultsPhrase = 'announced financial results'

function firstSentence({ name, form }: Report, items: readonly { phrase: string }[]): string | null {
  if (items.length === 0) return null
  const others = items.length - mostNamed
  const parts = [
    ...items.slice(0, mostNamed).map(({ phrase }) => phrase),
    ...(others > 0 ? [`reported ${others} other ${others > 1 ? 'items' : 'item'}`] : []),
  ]
  const said = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : parts[0]
  return `${name} ${form.endsWith('/A') ? 'amended an earlier report: ' : ''}${said}.`
}
