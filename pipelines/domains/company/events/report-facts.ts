/** Reads the documents of a report by rules. */
import type { EventFigure } from '../../../../schemas/sec-events.ts'
import { textOf } from './document.ts'
import { figuresIn } from './figures.ts'
import { type Report, summaryOf } from './summary.ts'

export interface Documents {
  document: string | undefined
  /** The press release that came with it. */
  release: string | undefined
}

export interface EventTold {
  /** The beginning of its text and of the press release, for other readers such as a model. */
  text: string
  figures: EventFigure[]
  summary: string | null
}

const mostChars = 20_000

export function toldIn(report: Report, { document = '', release = '' }: Documents): EventTold {
  const [text, news] = [textOf(document), textOf(release)]
  const figures = figuresIn(news)
  return {
    text: `${text}\n${news}`.slice(0, mostChars),
    figures,
    summary: summaryOf(report, { text, news, figures }),
  }
}
