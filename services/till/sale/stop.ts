/** Lets calls end during a stop, without waiting for unknown outcomes. */
import { unlessCut } from './cut.ts'

export class Stopping {
  readonly #graceMs: number
  readonly #calls = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  /** True from the moment when nothing more is promised or settled. */
  isOver = false

  constructor(graceMs: number) {
    this.#graceMs = graceMs
  }

  begin(): void {
    this.#timer ??= setTimeout(() => {
      this.isOver = true
      for (const leave of this.#calls) leave()
    }, this.#graceMs)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.isOver = true
  }

  /** Does the work, and fails with `late` if a stop cannot wait for it. */
  within<T>(work: Promise<T>, late: () => Error): Promise<T> {
    return unlessCut(work, cut => {
      const leave = () => cut(late())
      this.#calls.add(leave)
      return () => this.#calls.delete(leave)
    })
  }
}
