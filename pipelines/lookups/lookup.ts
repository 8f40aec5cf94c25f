/** A Lookup finds the value of one key when somebody asks for it. It never catches, retries, logs or sleeps. */
import type { Dataset, Fields, RowOf } from '../../schemas/dataset/dataset.ts'
import type { Variables } from '../rails/environment/variables.ts'
import type { Outside } from '../rails/outside/upstreams/outside.ts'
import type { Upstream } from '../rails/outside/upstreams/upstream.ts'
import type { Process } from '../rails/process.ts'

/** `Needs` is what a lookup needs beside the outside. */
export interface Lookup<Key = unknown, Value = unknown, Needs = unknown> {
  name: string
  /** How long a caller waits at most. */
  timeoutMs: number
  /** The upstream that it asks. Lookups of one upstream share its gate. Absent: it asks no upstream. */
  upstream?: Upstream
  /** Absent: every question is looked up anew, and nothing of it is written to the log. */
  keep?: Keeping<Key, Value>
  /**
   * It may be much work for one caller, who is then bounded in what is done for him in vain: which questions may be, and
   * which findings were. Absent: it never is.
   */
  costly?: { mayBe(key: Key): boolean; was(found: Value | undefined): boolean }
  /** The variables that it reads of the environment. */
  variables?: readonly Variables[]
  /** Where a process gets what it is opened with. Absent: it needs nothing. */
  needs?(process: Process): Needs | Promise<Needs>
  /** Once in each process. */
  open(needs: Needs): OpenLookup<Key, Value>
}

/** An open lookup, with what it holds between questions. */
export interface OpenLookup<Key = unknown, Value = unknown> {
  /** What is at hand in this process and costs nothing to give. Undefined: it must be found. Absent: nothing is. */
  atHand?(key: Key): Value | undefined
  /** `kept` is what an earlier fetch found, however old. */
  find(key: Key, outside: Outside, kept?: Value): Promise<Value | undefined>
  /** Fetches and renews, on a clock, what the lookup needs before it can find anything, such as a database file. */
  prepare?: {
    /** Cron, UTC. */
    schedule: string
    timeoutMs: number
    run(outside: Outside): Promise<void>
  }
  /** While it answers false, a question gets 503 not_ready. Absent: always ready. */
  ready?(now: number): boolean
}

/** How long a value is fresh, and how long it may still be used while its upstream fails. */
export interface Lasting {
  freshMs: number
  staleMs: number
  /** After this time a question gets the kept value at once and starts a renewal. Absent: in the last fifth of `freshMs`. */
  renewMs?: number
}

export interface KeptValue<Value> {
  value: Value | undefined
  /** When it was fetched. */
  at: number
}

/** Fetched values are kept in memory and written to the topic of a dataset. Every new instance fills its memory from there. */
export interface Keeping<Key, Value, F extends Fields = Fields> {
  dataset: Dataset<F>
  /** The name under which a key's value is kept: the same text as `dataset.keyOf` gives for its event. */
  nameOf(key: Key): string
  write(name: string, kept: KeptValue<Value>): RowOf<F>
  read(event: RowOf<F>): KeptValue<Value>
  lasts(value: Value | undefined): Lasting
  /** How many values the memory holds. Beyond it, the value that nobody has asked for the longest is dropped. */
  most: number
  /** How long a fetch may take. It outlives its caller's wait, and fills the memory for the retry. */
  fetchMs: number
  /** Does the kept value answer this question? Absent: yes. */
  fits?(key: Key, value: Value | undefined): boolean
  /** Nothing changed between these two, so the second is not written to the log. */
  same?(before: Value | undefined, after: Value | undefined): boolean
  /** Up to this many values are renewed before they lapse, the most asked for first. No caller waits for it. */
  ahead?: { most: number; keyOf(name: string): Key }
}

/** Checks a declaration with the types of its rows, and drops those types, so that one list can hold every lookup. */
export const keeping = <Key, Value, F extends Fields>(keep: Keeping<Key, Value, F>): Keeping<Key, Value> =>
  keep as unknown as Keeping<Key, Value>
