/** A Source fetches and parses one outside feed. It never catches, retries, logs or sleeps: its runner does. */
import type { Dataset, Fields, RowOf } from '../../schemas/dataset.ts'
import type { Outside } from '../outside/outside.ts'
import type { Upstream } from '../outside/upstream.ts'

export interface Emitted {
  dataset: Dataset
  event: unknown
  /** Instead of an event: this key is no more, and a compacted topic forgets it. */
  gone?: string
}

/** What one step of a poll brought. The cursor is kept only after every event is in the log. */
export interface Page<Cursor> {
  events: readonly Emitted[]
  cursor: Cursor
}

/** `Needs` is what it must be given beside the outside. */
export interface Source<Cursor = unknown, Needs = unknown> {
  name: string
  /** Whom it asks. */
  upstreams: readonly Upstream[]
  /** Cron, UTC. */
  schedule: string
  timeoutMs: number
  /** After so long without a good poll somebody should look. */
  silentAfterMs: number
  /** Downloads so much that only a service in earnest may start it. */
  bulk?: boolean
  /** Is a poll worth making at this tick? Absent: always. */
  due?(now: number, cursor: Cursor | undefined): boolean
  /** Yields nothing when the upstream says that nothing changed. */
  pull(cursor: Cursor | undefined, outside: Outside, needs: Needs): AsyncIterable<Page<Cursor>>
}

export const emit = <F extends Fields>(dataset: Dataset<F>, event: RowOf<F>): Emitted => ({
  dataset,
  event,
})

/** What the upstream leaves out for good: views that are held lose it, tables keep what it was. */
export const gone = (dataset: Dataset, key: string): Emitted => ({ dataset, event: null, gone: key })
