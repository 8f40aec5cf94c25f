/** The content of a document: the main text of a page, the text of a PDF, a summary. */
import type { PageTasks } from '../domains/document/page-child.ts'
import type { NoPdf, PdfQuestion } from '../domains/document/pdf/document.ts'
import { type PdfRead, type Reading, reading } from '../domains/document/reader.ts'
import type { Listed } from '../domains/document/site/sitemap.ts'
import type { Readable } from '../domains/document/source.ts'
import { type NamedModel, namedModel } from '../domains/document/summary/model.ts'
import { summaryVariables } from '../domains/document/summary/variables.ts'
import { wordCount } from '../domains/document/summary/words.ts'
import { isUnreadable, type Unreadable } from '../rails/outside/pages/look.ts'
import type { Process } from '../rails/process.ts'
import type { Lookup } from './lookup.ts'

export { isUnreadable, type Unreadable } from '../rails/outside/pages/look.ts'

interface Needs {
  reading: Reading
}
const needs = async ({ use }: Process): Promise<Needs> => ({ reading: await use(reading) })

export const visibleLookup: Lookup<Readable, PageTasks['visible']['answer'] | Unreadable, Needs> = {
  name: 'visible',
  timeoutMs: 25_000,
  needs,
  open: ({ reading }) => ({ find: page => reading.visible(page) }),
}

export const mainLookup: Lookup<Readable, PageTasks['main']['answer'] | Unreadable, Needs> = {
  name: 'main',
  timeoutMs: 25_000,
  needs,
  open: ({ reading }) => ({ find: page => reading.main(page) }),
}

/** The pages of its own site that a page links to. */
export const linksLookup: Lookup<Readable, readonly string[] | Unreadable, Needs> = {
  name: 'links',
  timeoutMs: 25_000,
  needs,
  open: ({ reading }) => ({ find: page => reading.links(page) }),
}

export const sitemapLookup: Lookup<Readable, Listed | Unreadable, Needs> = {
  name: 'sitemap',
  timeoutMs: 25_000,
  needs,
  open: ({ reading }) => ({ find: page => reading.sitemap(page) }),
}

export const pdfLookup: Lookup<PdfQuestion, PdfRead | NoPdf | Unreadable, Needs> = {
  name: 'pdf',
  timeoutMs: 25_000,
  needs,
  open: ({ reading }) => ({ find: question => reading.pdf(question) }),
}

interface SummaryAsked {
  text: string
  mostWords: number
}

export interface Summary {
  summary: string
  words: number
  method: 'extractive' | 'model'
  model: string | null
}

/** The text is no longer than its summary may be. */
interface Short {
  short: number
}

/** The model sees at most this much of a text. */
const mostModelCharacters = 60_000

/** Without a model, or without a usable answer from it, sentences of the text itself make the summary. None of them may stand alone. */
export const summaryLookup: Lookup<
  SummaryAsked,
  Summary | Short | 'none' | Unreadable,
  Needs & { model?: NamedModel | undefined }
> = {
  name: 'summary',
  timeoutMs: 25_000,
  variables: [summaryVariables],
  needs: async process => ({
    ...(await needs(process)),
    // A caller waits, so the rules replace a slow model.
    model: namedModel(process.read(summaryVariables), 12_000),
  }),
  open: ({ reading, model }) => ({
    async find(asked, { signal }) {
      const words = await reading.words(asked.text)
      if (typeof words !== 'number') return words
      if (words <= asked.mostWords) return { short: words }
      const written = await model?.summarise({
        task: taskOf(asked.mostWords),
        text: asked.text.slice(0, mostModelCharacters),
        signal,
      })
      if (model && written !== undefined && wordCount(written) <= asked.mostWords)
        return { summary: written, words: wordCount(written), method: 'model', model: model.name }
      const summary = await reading.summary(asked)
      return summary === 'none' || isUnreadable(summary)
        ? summary
        : { ...summary, method: 'extractive', model: null }
    },
  }),
}

const taskOf = (mostWords: number): string =>
  `Summarise this text in its own language, in at most ${mostWords} words of plain sentences. Say only what the text says and copy its numbers. No advice, no judgement.`
