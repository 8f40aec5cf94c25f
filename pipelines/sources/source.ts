/** A source fetches and parses one outside feed. It never catches, retries, logs or sleeps. Its runner does that. */
import type { Dataset, Fields, RowOf, Topic } from '../../schemas/dataset/dataset.ts'
import type { Drift } from '../rails/drift.ts'
import type { Outside } from '../rails/outside/upstreams/outside.ts'
import type { Upstream, UpstreamRate } from '../rails/outside/upstreams/upstream.ts'

export interface Emitted {
  dataset: Dataset
  event: unknown
  /** Replaces an event: the key no longer exists, and a compacted topic forgets it. */
  gone?: string
}

/** The result of one step of a poll. The cursor is stored only after every event is in the log. */
export interface PollPage<Cursor> {
  events: readonly Emitted[]
  cursor: Cursor
  /** Records of the upstream that have changed their form. */
  drift?: readonly Drift[]
  /**
   * The feeds that failed while others gave everything for this page. The poll is good, and an operator sees the
   * failures.
   */
  missed?: readonly Missed[]
}

export interface Missed {
  feed: string
  reason: string
}

/** `Needs` is what a source needs beside the outside. */
export interface Source<Cursor = unknown, Needs = unknown> {
  name: string
  /** The upstreams that the source asks. */
  upstreams: readonly Upstream[]
  /** The datasets of its events. The log takes no others from it. */
  writes: readonly { topic: Topic }[]
  /** Cron, in UTC. */
  schedule: string
  timeoutMs: number
  /** After this time without a good poll an operator should look. */
  silentAfterMs: number
  /** It downloads so much that only a production service may start it. */
  bulk?: boolean
  /** Whether this tick needs a poll. If absent, every tick does. */
  due?(now: number, cursor: Cursor | undefined): boolean
  /** Yields nothing when the upstream says that nothing changed. */
  pull(cursor: Cursor | undefined, outside: Outside, needs: Needs): AsyncIterable<PollPage<Cursor>>
}

export const emit = <F extends Fields>(dataset: Dataset<F>, event: RowOf<F>): Emitted => ({
  dataset,
  event,
})

/** Marks a key that the upstream has removed for good. Held views lose it; tables keep the old rows. */
export const gone = (dataset: Dataset, key: string): Emitted => ({ dataset, event: null, gone: key })

/** Sources with the same rate run in one process, because its budget counts only its own requests. */
export const dutyOfRate = ({ variable }: UpstreamRate): string => variable
