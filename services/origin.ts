/** An Origin is an address with what is sold there. Everything that shows origins is derived from this. */
import type { FreeRoute, Operation } from './operation.ts'

export interface Origin {
  /** The label of metrics and the column of settlements. */
  name: string
  title: string
  version: string
  /** The variable of its public address; where that is unset, PUBLIC_URL stands in. */
  address: `${string}_URL`
  operations: readonly Operation[]
  free: readonly FreeRoute[]
  /** What is no JSON: for people, and for programs that read text. */
  pages: readonly Page[]
}

/** An origin at its address, without a slash at the end. */
export interface OpenOrigin extends Origin {
  url: string
}

export interface Page {
  path: string
  answer(request: PageRequest): Promise<PageAnswer> | PageAnswer
}

export interface PageRequest {
  accept: string
  /** Those that answer at the host that was asked. */
  origins: readonly OpenOrigin[]
}

export interface PageAnswer {
  status?: number
  type: string
  body: string | Buffer
}

export const defineOrigin = (origin: Origin): Origin => origin
