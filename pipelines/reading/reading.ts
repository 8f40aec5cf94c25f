/** Reads documents in threads of their own, bounded in time and memory. */
import { Busy } from '../web/failures.ts'
import type { Main } from './page/main.ts'
import type { PageTask } from './page-thread.ts'
import type { NoPdf, PdfQuestion, PdfText } from './pdf/document.ts'
import { TaskBroke, TaskTooLong, Thread, TooManyTasks } from './thread.ts'

/** The document is too large or too intricate to be read within our bounds. */
export interface Unreadable {
  unreadable: string
}

export interface Reading {
  main(page: { html: string; url?: string | undefined }): Promise<Main | Unreadable>
  pdf(question: PdfQuestion): Promise<PdfText | NoPdf | Unreadable>
  summary(asked: { text: string; mostWords: number }): Promise<string | Unreadable>
  close(): Promise<void>
}

export const isUnreadable = (found: object | string): found is Unreadable =>
  typeof found === 'object' && 'unreadable' in found

export interface ReadingOptions {
  deadlineMs?: number
  mostMegabytes?: number
}

/** Nothing starts before the first question. A page that takes long holds up one of two threads. */
export function openReading({ deadlineMs = 10_000, mostMegabytes = 700 }: ReadingOptions = {}): Reading {
  const shared = { deadlineMs, mostMegabytes, mostWaiting: 16 }
  const pages = [0, 1].map(
    () => new Thread<PageTask, unknown>({ ...shared, file: new URL('./page-thread.ts', import.meta.url) }),
  )
  const pdfs = new Thread<PdfQuestion, PdfText | NoPdf>({
    ...shared,
    file: new URL('./pdf-thread.ts', import.meta.url),
  })
  const ask = (task: PageTask): Promise<unknown> => {
    const [first, second] = pages as [(typeof pages)[number], (typeof pages)[number]]
    return (second.load < first.load ? second : first).ask(task)
  }
  return {
    main: page => bounded(ask({ kind: 'main', ...page }) as Promise<Main>),
    summary: asked => bounded(ask({ kind: 'summary', ...asked }) as Promise<string>),
    pdf: question => bounded(pdfs.ask(question)),
    close: async () => {
      await Promise.all([...pages, pdfs].map(thread => thread.close()))
    },
  }
}

async function bounded<T>(task: Promise<T>): Promise<T | Unreadable> {
  try {
    return await task
  } catch (error) {
    // The document is at fault: it has cost us its share of time or memory, and others go on.
    if (error instanceof TaskTooLong || error instanceof TaskBroke) return { unreadable: error.message }
    if (error instanceof TooManyTasks) throw new Busy('Too many documents are being read', 5)
    throw error
  }
}
