/** What a process offers to its parts: machinery, and the variables that each part declares. */
import type { NetworkName } from '../../schemas/tables/networks.ts'
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
  /** The only way to visit a URL from somebody else. */
  visits: PublicFetch
  /** The public web for the browser. */
  web: PublicWeb & { userAgent: string }
  /** Runs something in exactly one process, however many have the role. */
  alone: Duties['alone']
  /** Asks another role to do something. Only the role query uses it. */
  ask: Ask
  now(): number
  /** Reports a failure that the part has survived. */
  onFailed(name: string, error: unknown): void
  /** Shows the operator the progress of long work. */
  tell(line: string): void
  /** Whether a bundled sample replaces the upstream. */
  isSample(upstream: Upstream): boolean
  /** Whether large things may start ahead of need: downloads of gigabytes, a browser. */
  bulk: boolean
  /** The operations that this process sells. */
  sold: readonly SoldOperation[]
  /** The wallets that files name as payees, since this process has begun. */
  payees(): readonly NamedPayee[]
  /** Reads variables. They must be declared by some part. */
  read<T>(variables: Variables<T>): T
  /** Opens a shared part if it is not open yet. It is closed after all its users. */
  use<T>(part: Part<T>): Promise<T>
}

/** A wallet that is paid beside that of the variables. */
export interface NamedPayee {
  network: NetworkName
  address: string
  /** When this process learned of it. Its chain may not have been read for it before. */
  sinceMs: number
}

/** An operation, by its names in settlements. */
export interface SoldOperation {
  origin: string
  operation: string
}

/**
 * A part is open once in a process, and its users share it. If it has `ended` or `close`, it runs until the process
 * stops.
 */
export interface Part<Opened = unknown> {
  /** The part's name in the log of the process. */
  name: string
  open(process: Process): Promise<Opened> | Opened
}

/** An open replacement for a part. */
export type Given = readonly [part: Part, opened: unknown]
export const given = <T>(part: Part<T>, opened: T): Given => [part, opened]

/** The open parts of a process. */
export class Opened {
  readonly #opened: ReadonlyMap<Part, unknown>

  constructor(opened: readonly Given[]) {
    this.#opened = new Map(opened)
  }

  /** Throws if the caller has not declared the part. */
  of<T>(part: Part<T>): T {
    if (!this.#opened.has(part)) throw new Error(`${part.name} is not open in this process`)
    return this.#opened.get(part) as T
  }
}
