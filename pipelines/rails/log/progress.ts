/** Knows how far a reader has come, and resolves for those who wait until it reaches a position. */
import type { LogPosition } from './log.ts'

export class ReadProgress {
  readonly #handled = new Map<number, bigint>()
  #awaited: { position: LogPosition; resolve: () => void; reject: (error: unknown) => void }[] = []
  #ended: { error: unknown } | undefined

  /** The offset after the last handled record. */
  at(partition: number): bigint {
    return this.#handled.get(partition) ?? 0n
  }

  advance(partition: number, next: bigint): void {
    if (next <= this.at(partition)) return
    this.#handled.set(partition, next)
    if (this.#awaited.length === 0) return
    const done = this.#awaited.filter(({ position }) => this.#passed(position))
    if (done.length === 0) return
    this.#awaited = this.#awaited.filter(waiting => !done.includes(waiting))
    for (const { resolve } of done) resolve()
  }

  reached(position: LogPosition): Promise<void> {
    if (this.#passed(position)) return Promise.resolve()
    if (this.#ended) return Promise.reject(this.#ended.error)
    return new Promise((resolve, reject) => this.#awaited.push({ position, resolve, reject }))
  }

  /** Rejects for everybody who waits, because the reader will not come further. */
  end(error: unknown): void {
    this.#ended ??= { error }
    for (const { reject } of this.#awaited.splice(0)) reject(error)
  }

  #passed(position: LogPosition): boolean {
    for (const [partition, offset] of position) if (this.at(partition) < offset) return false
    return true
  }
}
