/** Reads documents in processes of their own, bounded in time and memory. No other code reads a document's content. */

import { Children, TaskBroke, TaskTooLong, TooManyTasks } from '../../rails/children/children.ts'
import { Busy } from '../../rails/outside/browser/browser-failures.ts'
import type { Looked, Unreadable } from '../../rails/outside/pages/look.ts'
import type { Part } from '../../rails/process.ts'
import type { PageTask, PageTasks } from './page-child.ts'
import type { NoPdf, PdfQuestion, PdfText } from './pdf/document.ts'
import type { Listed } from './site/sitemap.ts'
import { type Readable, sourceBytes, sourceOf } from './source.ts'

/** With the SHA-256 of the file. */
export type PdfRead = PdfText & { sha256: string }

export interface Reading {
  look(page: Readable): Promise<Looked | Unreadable>
  /** The visible text of the page. */
  visible(page: Readable): Promise<PageTasks['visible']['answer'] | Unreadable>
  main(page: Readable): Promise<PageTasks['main']['answer'] | Unreadable>
  /** The pages of its own site that the page links to. */
  links(page: Readable): Promise<readonly string[] | Unreadable>
  sitemap(page: Readable): Promise<Listed | Unreadable>
  pdf(question: PdfQuestion): Promise<PdfRead | NoPdf | Unreadable>
  words(text: string): Promise<number | Unreadable>
  summary(asked: PageTasks['summary']['question']): Promise<PageTasks['summary']['answer'] | Unreadable>
  close(): Promise<void>
}

export interface ReadingOptions {
  deadlineMs?: number
  mostMegabytes?: number
}

/** The limit of a page's text in an answer. */
export const mostChars = 400_000

/** Nothing starts before the first question. */
export function openReading({ deadlineMs = 10_000, mostMegabytes = 700 }: ReadingOptions = {}): Reading {
  const bounds = { deadlineMs, mostMegabytes, mostWaiting: 48, mostWaitingBytes: 128 << 20 }
  const pages = new Children<PageTask>({
    ...bounds,
    children: 3,
    file: new URL('./page-child.ts', import.meta.url),
  })
  const pdfs = new Children<PdfQuestion>({
    ...bounds,
    children: 2,
    file: new URL('./pdf-child.ts', import.meta.url),
  })
  function ask<Kind extends keyof PageTasks>(
    kind: Kind,
    question: PageTasks[Kind]['question'],
    bytes: number,
  ): Promise<PageTasks[Kind]['answer'] | Unreadable> {
    return bounded(pages.ask({ kind, question } as PageTask, bytes)) as never
  }
  function askPage<Kind extends 'look' | 'visible' | 'main' | 'links' | 'sitemap'>(
    kind: Kind,
    page: Readable,
    more: object,
  ) {
    const source = sourceOf(page)
    return ask(kind, { source, ...more } as PageTasks[Kind]['question'], sourceBytes(source))
  }
  function askVisible(page: Readable, most: number) {
    const { rendered, finalUrl: url } = page
    if (!rendered) return askPage('visible', page, { url, isMarkup: isMarkup(page), mostChars: most })
    const [source, whole] = [{ html: rendered.marked || rendered.text }, { html: rendered.html }]
    const bytes = sourceBytes(source) + sourceBytes(whole)
    return ask('visible', { source, whole, url, isMarkup: false, mostChars: most }, bytes)
  }
  const isHtml = ({ contentType }: Readable) => /^(text\/html|application\/xhtml\+xml)$/.test(contentType)
  const isMarkup = ({ contentType }: Readable) => /html|xml/.test(contentType)
  return {
    look: page => askPage('look', page, { isMarkup: isHtml(page) }),
    // One character beyond an answer's limit shows that it was cut.
    visible: page => askVisible(page, mostChars + 1),
    main: page => askPage('main', page, { url: page.finalUrl, mostChars: mostChars + 1 }),
    links: page => askPage('links', page, { url: page.finalUrl }),
    sitemap: page => askPage('sitemap', page, { url: page.finalUrl }),
    words: text => ask('words', { text }, 2 * text.length),
    summary: asked => ask('summary', asked, 2 * asked.text.length),
    pdf: question => bounded(pdfs.ask(question, question.bytes.length)) as Promise<PdfRead | NoPdf>,
    close: async () => {
      await Promise.all([pages.close(), pdfs.close()])
    },
  }
}

async function bounded<T>(task: Promise<T>): Promise<T | Unreadable> {
  try {
    return await task
  } catch (error) {
    // The document is at fault: it has used up its time or memory, and other documents continue.
    if (error instanceof TaskTooLong || error instanceof TaskBroke) return { unreadable: error.message }
    if (error instanceof TooManyTasks) throw new Busy('Too many documents are being read', 5)
    throw error
  }
}

export const reading: Part<Reading> = { name: 'reading', open: () => openReading() }
