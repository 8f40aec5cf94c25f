/** A Lookup finds the value of one key when somebody asks for it. It never catches, retries, logs or sleeps. */
import type { Dataset, Fields, RowOf } from '../../schemas/dataset/dataset.ts'
import type { Variables } from '../rails/environment/variables.ts'
import type { Outside } from '../rails/outside/upstreams/outside.ts'
import type { Upstream } from '../rails/outside/upstreams/upstream.ts'
import type { Process } from '../rails/process.ts'

/** `Needs` is what a lookup needs in addition to the outside. */
export interface Lookup<Key = unknown, Value = unknown, Needs = unknown> {
  name: string
  /** The longest wait of a caller. */
  timeoutMs: number
  /** The upstream that it asks. Lookups of one upstream share its gate. Absent if it asks none. */
  upstream?: Upstream
  /** If absent, every question is looked up again, and the log gets nothing. */
  keep?: Keeping<Key, Value>
  /**
   * One question may be costly for us, so a caller gets only a bounded amount of such work without a purchase.
   * `mayBe` names the costly questions, `was` the costly findings. If absent, none is costly.
   */
  costly?: { mayBe(key: Key): boolean; was(found: Value | undefined): boolean }
  /** The variables of the environment that it reads. */
  variables?: readonly Variables[]
  /** How a process finds its needs. If absent, it needs nothing. */
  needs?(process: Process): Needs | Promise<Needs>
  /** Called once in each process. */
  open(needs: Needs): OpenLookup<Key, Value>
}

/** An open lookup, with its state between questions. */
export interface OpenLookup<Key = unknown, Value = unknown> {
  /**
   * A value that is in this process already and costs nothing. Undefined if it must be found. If absent, there is
   * never one.
   */
  atHand?(key: Key): Value | undefined
  /** `kept` is the result of an earlier fetch, however old. */
  find(key: Key, outside: Outside, kept?: Value): Promise<Value | undefined>
  /** Fetches and renews, on a clock, whatever the lookup needs before its first question, such as a database file. */
  prepare?: {
    /** Cron, UTC. */
    schedule: string
    timeoutMs: number
    run(outside: Outside): Promise<void>
  }
  /** While it returns false, a question gets 503 not_ready. If absent, the lookup is always ready. */
  ready?(now: number): boolean
}

/** How long a value is fresh, and how long it may still be used while its upstream fails. */
export interface Lasting {
  freshMs: number
  staleMs: number
  /**
   * After this time a question gets the kept value at once and starts a renewal. If absent, this is the last fifth of
   * `freshMs`.
   */
  renewMs?: number
}

export interface KeptValue<Value> {
  value: Value | undefined
  /** The time of the fetch. */
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
  /** The number of values in memory. Beyond it, the least recently used value is dropped. */
  most: number
  /** The time limit of a fetch. It outlives its caller's wait, and fills the memory for the retry. */
  fetchMs: number
  /** Whether the kept value answers this question. If absent, it does. */
  fits?(key: Key, value: Value | undefined): boolean
  /** Whether nothing has changed between the two. Then the second is not written to the log. */
  same?(before: Value | undefined, after: Value | undefined): boolean
  /** Renews up to this many values before they lapse, the most wanted first. No caller waits for it. */
  ahead?: { most: number; keyOf(name: string): Key }
}

/** Checks a declaration with the types of its rows, and drops those types, so that one list can hold every lookup. */
export const keeping = <Key, Value, F extends Fields>(keep: Keeping<Key, Value, F>): Keeping<Key, Value> =>
  keep as unknown as Keeping<Key, Value>
