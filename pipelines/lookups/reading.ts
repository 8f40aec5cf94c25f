/** What a document says: the main text of a page, the text of a PDF, a summary. */
import type { Main } from '../reading/page/main.ts'
import type { NoPdf, PdfQuestion, PdfText } from '../reading/pdf/document.ts'
import type { Reading, Unreadable } from '../reading/reading.ts'
import type { NamedModel } from '../reading/summary/model.ts'
import { wordCount } from '../reading/summary/words.ts'
import type { Lookup } from './lookup.ts'

export { isUnreadable, type Unreadable } from '../reading/reading.ts'

interface Needs {
  reading: Reading
}

export interface PageText {
  html: string
  /** Makes the addresses of its links absolute. */
  url: string
}

export const mainLookup: Lookup<PageText, Main | Unreadable, Needs> = {
  name: 'main',
  timeoutMs: 25_000,
  open: ({ reading }) => ({ find: page => reading.main(page) }),
}

export const pdfLookup: Lookup<PdfQuestion, PdfText | NoPdf | Unreadable, Needs> = {
  name: 'pdf',
  timeoutMs: 25_000,
  open: ({ reading }) => ({ find: question => reading.pdf(question) }),
}

export interface SummaryAsked {
  text: string
  mostWords: number
}

export interface Summary {
  summary: string
  words: number
  method: 'extractive' | 'model'
  model: string | null
}

/** The model sees no more of a text. */
const mostModelCharacters = 60_000

/** Without a model, and where it gives no usable answer, the text's own sentences make the summary. */
export const summaryLookup: Lookup<
  SummaryAsked,
  Summary | Unreadable,
  Needs & { model?: NamedModel | undefined }
> = {
  name: 'summary',
  timeoutMs: 25_000,
  open: ({ reading, model }) => ({
    async find(asked, { signal }) {
      const written = await model?.summarise({
        task: taskOf(asked.mostWords),
        text: asked.text.slice(0, mostModelCharacters),
        signal,
      })
      if (model && written !== undefined && wordCount(written) <= asked.mostWords)
        return { summary: written, words: wordCount(written), method: 'model', model: model.name }
      const summary = await reading.summary(asked)
      if (typeof summary !== 'string') return summary
      return { summary, words: wordCount(summary), method: 'extractive', model: null }
    },
  }),
}

const taskOf = (mostWords: number): string =>
  `Summarise this text in its own language, in at most ${mostWords} words of plain sentences. Say only what the text says and copy its numbers. No advice, no judgement.`
