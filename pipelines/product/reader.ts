/** Reads product pages in a thread of their own, each in bounded time and memory. */
import { Thread } from '../reading/thread.ts'
import type { Extracted, PageText } from './extract.ts'

export { TaskBroke, TaskTooLong, TooManyTasks } from '../reading/thread.ts'

export interface ProductReader {
  /** Rejects with TaskTooLong, TaskBroke or TooManyTasks. */
  read(page: PageText): Promise<Extracted>
  close(): Promise<void>
}

/** The slowest page that was ever recorded takes a tenth of a second. */
const deadlineMs = 8_000
const mostMegabytes = 512
const mostWaiting = 100

export function openProductReader(): ProductReader {
  const file = new URL('product-thread.ts', import.meta.url)
  const thread = new Thread<PageText, Extracted>({ file, deadlineMs, mostMegabytes, mostWaiting })
  return { read: page => thread.ask(page), close: () => thread.close() }
}
