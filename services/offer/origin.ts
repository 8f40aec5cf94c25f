/** An origin is an address and everything that is offered there. Everything that shows origins is derived from this. */
import type { Variables } from '../../pipelines/rails/environment/variables.ts'
import type { Part, Process } from '../../pipelines/rails/process.ts'
import type { Running } from '../../pipelines/rails/running.ts'
import type { Topics, Worker } from '../../pipelines/workers/worker.ts'
import type { FreeRoute, Operation, Tools } from './operation.ts'

/** Its topics are those that its operations and parts read and write. */
export interface Origin extends Topics {
  /** The label of metrics and the column of settlements. */
  name: string
  title: string
  version: string
  /** The variable that holds its public address. While it is unset, the address is that of `unset`, or PUBLIC_URL. */
  address: `${string}_URL`
  /** The variable in place of PUBLIC_URL. */
  unset?: `${string}_URL`
  operations: readonly Operation[]
  /** Promises, as sentences that tests name. */
  guarantees?: readonly string[]
  free: readonly FreeRoute[]
  /** Documents, for people and for programs that read text. A question with an answer in JSON is a free route. */
  pages: readonly OriginPage[]
  /** The variables that its parts read. */
  variables?: readonly Variables[]
  /** Its operations and pages get each by `tools.use`. Every process opens them that sells anything. */
  parts?: readonly Part[]
  workers?: readonly (Worker | AskingWorker)[]
}

/** A worker that asks operations, as callers do. It runs where they are sold. */
export interface AskingWorker extends Omit<Worker, 'role' | 'open'> {
  role: 'query'
  open(process: Process & { tools: Tools }): Promise<Running> | Running
}

/** An origin at its address. */
export interface OpenOrigin extends Origin {
  /** Without a slash at the end. */
  url: string
}

export interface ServedPage {
  path: string
  /** A page for people stands in the sitemap. Absent: programs read it, or nobody looks for it. */
  isForPeople?: true
  /** Those who look after the service ask for it. */
  isProbe?: true
  answer(request: PageRequest): Promise<PageAnswer> | PageAnswer
}

/** A page of an origin: its answer may need what the operations need. */
export interface OriginPage extends Omit<ServedPage, 'answer'> {
  answer(request: PageRequest, tools: Tools): Promise<PageAnswer> | PageAnswer
}

interface PageRequest {
  accept: string
  path: string
  query: Readonly<Record<string, string | undefined>>
  /** The origins that answer at the host that was asked. */
  origins: readonly OpenOrigin[]
}

interface PageAnswer {
  status?: number
  type: string
  body: string | Buffer
  headers?: Record<string, string>
}

export const defineOrigin = (origin: Origin): Origin => origin
