/** An 8-K in one or two plain sentences: the event by its items, and the sentence with the most information. */
import type { EventFigure } from '../../../../schemas/sec-events.ts'
import { itemsIn } from './document.ts'
import { isFurnished, weighed } from './items.ts'
import { changesOfPeople, periodTold, shortened, tellingSentence, votesTold } from './sentence.ts'

export interface Report {
  /** The company. */
  name: string
  form: string
  items: readonly string[]
}

export const longestSummary = 400
const mostNamed = 3

/** Makes a summary from the items only. Null if none of them is known. */
export const summaryOfItems = (report: Report): string | null => firstSentence(report, weighed(report.items))

interface Told {
  text: string
  /** The text of the press release. Empty if there is none. */
  news: string
  figures: readonly EventFigure[]
}

/** Makes a summary from the document, or from the items if the document gives none. */
export function summaryOf(report: Report, { text, news, figures }: Told): string | null {
  const bodies = itemsIn(text)
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
  let summary = first
  for (const { code, body } of told) {
    for (const sentence of sentencesOn(code, body, { news, figures })) {
      const more = shortened(sentence, longestSummary - summary.length - 1)
      if (more) summary = `${summary} ${more}`
    }
    if (summary !== first) break
  }
  return summary
}

/** Sentences about one item, in addition to its title. */
function sentencesOn(code: string, body: string, { news, figures }: Omit<Told, 'text'>): string[] {
  if (code === '5.02') {
    const people = changesOfPeople(body)
    if (people.length) return people
  }
  if (code === '5.07') return votesTold(body)
  const own = tellingSentence(body, isFurnished(code))
  if (!isFurnished(code)) return own ? [own] : []
  const printed = figuresTold(figures)
  const sentence = printed ?? figures[0]?.sentence ?? own ?? tellingSentence(news, false)
  return sentence ? [sentence] : []
}

const words: Partial<Record<EventFigure['what'], string>> = {
  revenue: 'revenue of',
  net_income: 'net income of',
  net_loss: 'a net loss of',
  eps: 'earnings per share of',
  loss_per_share: 'a loss per share of',
}

function figuresTold(figures: readonly EventFigure[]): string | undefined {
  const parts = figures.flatMap(({ what, value }) => (words[what] ? [`${words[what]} ${value}`] : []))
  return parts.length ? `It reported ${listed(parts)}.` : undefined
}

const listed = (parts: readonly string[]): string =>
  parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : (parts[0] ?? '')

const resultsPhrase = 'announced financial results'

function firstSentence({ name, form }: Report, items: readonly { phrase: string }[]): string | null {
  if (items.length === 0) return null
  const others = items.length - mostNamed
  const parts = [
    ...items.slice(0, mostNamed).map(({ phrase }) => phrase),
    ...(others > 0 ? [`reported ${others} other ${others > 1 ? 'items' : 'item'}`] : []),
  ]
  return `${name} ${form.endsWith('/A') ? 'amended an earlier report: ' : ''}${listed(parts)}.`
}
