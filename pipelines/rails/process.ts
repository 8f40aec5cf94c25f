/** What a process offers the parts that it opens: machinery, and the variables that a part declares. */
import type { Blobs } from './blobs/blobs.ts'
import type { Duties } from './duties/duties.ts'
import type { Environment, Variables } from './environment/variables.ts'
import type { Log } from './log/log.ts'
import type { PublicFetch, PublicWeb } from './outside/fetching/visit.ts'
import type { Outside } from './outside/upstreams/outside.ts'
import type { Upstream } from './outside/upstreams/upstream.ts'
import type { Ask } from './requests.ts'
import type { Store } from './store/store.ts'

export interface Process extends Pick<Environment, 'addressOf' | 'dataDir'> {
  log: Log
  /** Opens the store if it is not open yet. */
  store(): Promise<Store>
  /** Opens the store of large answers if it is not open yet. */
  blobs(): Promise<Blobs>
  /** Opens the store of rendered pages if it is not open yet. */
  pages(): Promise<Blobs>
  outside(signal: AbortSignal): Outside
  /** The only way to a URL that we did not write ourselves. */
  visits: PublicFetch
  /** The public web, as the browser gets to it. */
  web: PublicWeb & { userAgent: string }
  /** Runs something in one process of all, however many have the role. */
  alone: Duties['alone']
  /** Has another role do something. Only the role query asks. */
  ask: Ask
  now(): number
  /** Reports a failure that the part has survived. */
  onFailed(name: string, error: unknown): void
  /** Shows the operator the progress of something long. */
  tell(line: string): void
  /** Does a bundled sample stand in for the upstream? */
  isSample(upstream: Upstream): boolean
  /** Whether downloads of gigabytes may start. */
  bulk: boolean
  /** The operations that this process sells. */
  sold: readonly SoldOperation[]
  /** What variables mean. Only those that some part declares can be read. */
  read<T>(variables: Variables<T>): T
  /** Opens what several share if it is not open yet. It is closed after all who use it. */
  use<T>(part: Part<T>): Promise<T>
}

/** An operation, by its names in settlements. */
export interface SoldOperation {
  origin: string
  operation: string
}

/** What is open once in a process, whoever uses it. Where it has `ended` or `close`, it runs until the process stops. */
export interface Part<Opened = unknown> {
  /** In the log of the process. */
  name: string
  open(process: Process): Promise<Opened> | Opened
}

/** What stands in for a part: what is open already. */
export type Given = readonly [part: Part, opened: unknown]
export const given = <T>(part: Part<T>, opened: T): Given => [part, opened]

/** What parts have opened. */
export class Opened {
  readonly #opened: ReadonlyMap<Part, unknown>

  constructor(opened: readonly Given[]) {
    this.#opened = new Map(opened)
  }

  /** Throws for a part that nobody has declared where it is used. */
  of<T>(part: Part<T>): T {
    if (!this.#opened.has(part)) throw new Error(`${part.name} is not open in this process`)
    return this.#opened.get(part) as T
  }
}
