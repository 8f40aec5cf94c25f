/**
 * Lets the log gather rows between two inserts. An insert costs the store the same for one row as for a thousand: a seller with ten sales at
 * a time had half a processor busy with them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Received } from '../rails/log/log.ts'

/** A partition with few rows has one insert in this time. */
const usualMs = 200
const manyRows = 1_000

export class Gathering {
  readonly #signal: AbortSignal
  readonly #betweenMs: number
  readonly #nextAt = new Map<number, number>()

  /** The signal ends every wait. */
  constructor(signal: AbortSignal, betweenMs = usualMs) {
    this.#signal = signal
    this.#betweenMs = betweenMs
  }

  /** Resolves when this batch may be inserted: at once if it is large, or the first one for some time. */
  async before(batch: readonly Pick<Received, 'partition'>[]): Promise<void> {
    const partition = batch[0]?.partition ?? 0
    const waitMs = (this.#nextAt.get(partition) ?? 0) - performance.now()
    if (waitMs > 0 && batch.length < manyRows)
      await sleep(waitMs, undefined, { signal: this.#signal }).catch(() => {})
    this.#nextAt.set(partition, performance.now() + this.#betweenMs)
  }
}
