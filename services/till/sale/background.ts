/** The till's work that no call waits for: it ends before the till does. */
import type { Recovery } from './recovery.ts'

export class Background {
  readonly #onError: (error: unknown) => void
  readonly #works = new Set<Promise<void>>()

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  add(work: Promise<unknown>): void {
    const done: Promise<void> = work.then(() => {}, this.#onError).finally(() => this.#works.delete(done))
    this.#works.add(done)
  }

  async ended(): Promise<void> {
    await Promise.all(this.#works)
  }
}

/** Sweeps now and then, one sweep after the other. Returns what ends it. */
export function sweep(recovery: Recovery, everyMs: number): { stop(): Promise<void> } {
  let sweeping = recovery.sweep()
  let isOver = false
  const sweeper = setInterval(() => {
    sweeping = sweeping.then(() => (isOver ? undefined : recovery.sweep()))
  }, everyMs).unref()
  return {
    async stop() {
      isOver = true
      clearInterval(sweeper)
      await recovery.stop()
      await sweeping
    },
  }
}
