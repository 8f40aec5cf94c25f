/** Tells how long the oldest record that a group has not handled has waited, from how the end of the topic has moved. */
import type { LogPosition } from '../../pipelines/rails/log/log.ts'

/** Ends of a topic, each with the time when it was first seen, oldest first. */
type Seen = { end: bigint; at: number }[]

const mostSeen = 500

export class Lateness {
  readonly #seen = new Map<string, Seen>()

  /** In milliseconds, as exact as it is asked often. What waited before the first question counts from then. */
  measure(reader: string, lag: number, position: LogPosition, now = performance.now()): number {
    const seen = this.#seen.get(reader) ?? []
    this.#seen.set(reader, seen)
    const end = [...position.values()].reduce((sum, offset) => sum + offset, 0n)
    if (end !== seen.at(-1)?.end) seen.push({ end, at: now })
    const handled = end - BigInt(lag)
    // The oldest that waits came after every end that is handled.
    while (seen.length > 1 && (seen[0] as Seen[number]).end <= handled) seen.shift()
    // Of a reader that stands still for long, the first end is the one that counts.
    if (seen.length > mostSeen) seen.splice(1, 1)
    return lag === 0 ? 0 : now - (seen[0] as Seen[number]).at
  }
}
