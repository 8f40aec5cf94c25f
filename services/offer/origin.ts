/** An origin: an address and everything on offer there. All views of origins derive from this. */
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import type { Variables } from '../../pipelines/rails/environment/variables.ts'
import type { Part, Process } from '../../pipelines/rails/process.ts'
import type { Running } from '../../pipelines/rails/running.ts'
import type { Topics, Worker } from '../../pipelines/workers/worker.ts'
import type { Drawings } from './drawing.ts'
import type { FreeRoute, Operation, Tools } from './operation.ts'
import type { ByNetwork } from './payees.ts'
import type { Versions } from './versions.ts'

/** The topics are those of its operations and parts. */
export interface Origin extends Topics {
  /** The label in metrics and the column in settlements. */
  name: string
  title: string
  version: string
  /** The variable for its public address. If it is unset, the address is that of `unset`, or PUBLIC_URL. */
  address: `${string}_URL`
  /** The variable in place of PUBLIC_URL. */
  unset?: `${string}_URL`
  operations: readonly Operation[]
  /** Who is paid for its operations on each network. Absent: the wallets of the variables. A file of prices may say else. */
  payTo?: ByNetwork
  /** What fields mean whose declarations do not say it, by `name` or `parent.name`. */
  words?: Readonly<Record<string, string>>
  /** How people see its answers. Absent: what goes over time in a list of an answer is drawn. */
  drawings?: Drawings
  /** How answers are made again for their payers, by the id of the operation. Absent: its facts have no versions. */
  versions?: Readonly<Record<string, Versions>>
  /** Promises as sentences. Tests name each. */
  guarantees?: readonly string[]
  free: readonly FreeRoute[]
  /** Documents for people, and for programs that read text. A question with an answer in JSON is a free route. */
  pages: readonly OriginPage[]
  /** The variables that its parts read. */
  variables?: readonly Variables[]
  /** Operations and pages get a part by `tools.use`. Every process that sells opens all parts. */
  parts?: readonly Part[]
  workers?: readonly (Worker | AskingWorker)[]
  /** The lookups that only its operations use. */
  lookups?: readonly Lookup[]
}

/** A worker that asks operations as callers do. It runs in the query role. */
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
  /** The sitemap lists pages for people. Absent: only programs read the page, or nobody looks for it. */
  isForPeople?: true
  /** The addresses of people's pages that this one answers for, if it is more than one. */
  places?: () => readonly string[]
  /** Operators and their monitors ask for this page. */
  isProbe?: true
  answer(request: PageRequest): Promise<PageAnswer> | PageAnswer
}

/** A page of an origin. Its answer may use the tools of operations. */
export interface OriginPage extends Omit<ServedPage, 'answer'> {
  answer(request: PageRequest, tools: Tools): Promise<PageAnswer> | PageAnswer
}

interface PageRequest {
  accept: string
  path: string
  query: Readonly<Record<string, string | undefined>>
  /** The origins of the requested host. */
  origins: readonly OpenOrigin[]
}

interface PageAnswer {
  status?: number
  type: string
  body: string | Buffer
  headers?: Record<string, string>
}

export const defineOrigin = (origin: Origin): Origin => origin
