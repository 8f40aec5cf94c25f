/** An Origin is an address with what is sold there. Everything that shows origins is derived from this. */
import type { Operation } from './operation.ts'

export interface Origin {
  /** The label of metrics and the column of settlements. */
  name: string
  title: string
  version: string
  operations: readonly Operation[]
  pages: readonly Page[]
}

export interface Page {
  path: string
  answer(request: { accept: string }): Promise<PageAnswer> | PageAnswer
}

export interface PageAnswer {
  status?: number
  type: string
  body: string | Buffer
}

export const defineOrigin = (origin: Origin): Origin => origin
