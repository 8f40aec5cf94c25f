/** Reads product pages in processes of their own, each in bounded time and memory. */

import { Children } from '../../rails/children/children.ts'
import type { Part } from '../../rails/process.ts'
import { type DocumentSource, sourceBytes } from '../document/source.ts'
import type { Extracted, ProductText } from './extract.ts'

export { TaskBroke, TaskTooLong, TooManyTasks } from '../../rails/children/children.ts'

export type ProductPage = Omit<ProductText, 'html'> & { source: DocumentSource }

export interface ProductReader {
  /** Rejects with TaskTooLong, TaskBroke or TooManyTasks. */
  read(page: ProductPage): Promise<Extracted>
  close(): Promise<void>
}

/** The slowest recorded page takes a tenth of a second. */
const bounds = { deadlineMs: 8_000, mostMegabytes: 512 }
const queue = { mostWaiting: 100, mostWaitingBytes: 128 << 20 }

export function openProductReader(): ProductReader {
  const file = new URL('product-child.ts', import.meta.url)
  const children = new Children<ProductPage>({ file, children: 2, ...bounds, ...queue })
  return {
    read: page => children.ask(page, sourceBytes(page.source)) as Promise<Extracted>,
    close: () => children.close(),
  }
}

export const products: Part<ProductReader> = { name: 'product pages', open: () => openProductReader() }
