/** A Lookup finds the value of one key when it is asked for. It never catches, retries, logs or sleeps. */
import type { Dataset, Fields, RowOf } from '../../schemas/dataset.ts'
import type { Outside } from '../outside/outside.ts'
import type { Upstream } from '../outside/upstream.ts'

/** `Needs` is what it must be given beside the outside. */
export interface Lookup<Key = unknown, Value = unknown, Needs = unknown> {
  name: string
  /** What a caller waits at most. */
  timeoutMs: number
  /** Whom it asks; lookups of one upstream share its gate. Absent: nobody outside. */
  upstream?: Upstream
  /** Absent: every question is looked up anew, and nothing of it is told to anyone. */
  keep?: Keeping<Key, Value>
  /** Once in each process. */
  open(needs: Needs): Looking<Key, Value>
}

/** A lookup that is open, with whatever it holds between questions. */
export interface Looking<Key = unknown, Value = unknown> {
  /** `kept` is what an earlier fetch found, however old. */
  find(key: Key, outside: Outside, kept?: Value): Promise<Value | undefined>
  /** What must be at hand before anything can be found (a database file), fetched and renewed on a clock. */
  prepare?: {
    /** Cron, UTC. */
    schedule: string
    timeoutMs: number
    run(outside: Outside): Promise<void>
  }
  /** Absent: always. While it says no, asking is 503 not_ready. */
  ready?(now: number): boolean
}

/** How long a value counts as new, and how long it may stand in while its upstream fails. */
export interface Lasting {
  freshMs: number
  staleMs: number
  /** From when on whoever asks has it renewed behind his back; absent: in the last fifth of its life. */
  renewMs?: number
}

export interface Kept<Value> {
  value: Value | undefined
  /** When it was fetched. */
  at: number
}

/** What was fetched is kept in memory and told on its dataset's topic, from which every instance is warmed. */
export interface Keeping<Key, Value, F extends Fields = Fields> {
  dataset: Dataset<F>
  /** The name a key is kept under: what `dataset.keyOf` says of its event. */
  nameOf(key: Key): string
  write(name: string, kept: Kept<Value>): RowOf<F>
  read(event: RowOf<F>): Kept<Value>
  lasts(value: Value | undefined): Lasting
  /** Values in memory; beyond it the one that was asked for longest ago goes. */
  most: number
  /** The fetch goes on for so long after its caller gave up, and fills the memory for the retry. */
  fetchMs: number
  /** Does what is kept answer this question? Absent: yes. */
  fits?(key: Key, value: Value | undefined): boolean
  /** Nothing changed between these two: it is not told again. */
  same?(before: Value | undefined, after: Value | undefined): boolean
  /** So many of the most asked are fetched anew before they lapse, with no caller waiting. */
  ahead?: { most: number; keyOf(name: string): Key }
}

/** A lookup's rows keep their type where it is declared, and stand in one list all the same. */
export const keeping = <Key, Value, F extends Fields>(keep: Keeping<Key, Value, F>): Keeping<Key, Value> =>
  keep as unknown as Keeping<Key, Value>
