/** Measures how long the oldest unhandled record of a group has waited, from the movement of the topic's end. */
import type { LogPosition } from '../../pipelines/rails/log/log.ts'

/** Ends of a topic, each with the time when it was first seen, oldest first. */
type Seen = { end: bigint; at: number }[]

const mostSeen = 500

export class Lateness {
  readonly #seen = new Map<string, Seen>()

  /** Returns milliseconds. Frequent calls make it more exact. Records from before the first call count from then. */
  measure(reader: string, lag: number, position: LogPosition, now = performance.now()): number {
    const seen = this.#seen.get(reader) ?? []
    this.#seen.set(reader, seen)
    const end = [...position.values()].reduce((sum, offset) => sum + offset, 0n)
    if (end !== seen.at(-1)?.end) seen.push({ end, at: now })
    const handled = end - BigInt(lag)
    // The oldest unhandled record came after every end that is handled.
    while (seen.length > 1 && (seen[0] as Seen[number]).end <= handled) seen.shift()
    // If a reader stands still for long, its first end is the one that counts.
    if (seen.length > mostSeen) seen.splice(1, 1)
    return lag === 0 ? 0 : now - (seen[0] as Seen[number]).at
  }
}
