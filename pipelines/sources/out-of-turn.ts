/** Has a source polled at once, though it is not due. Only the sandbox asks for it. */
import type { Part } from '../rails/process.ts'

export class OutOfTurn {
  readonly #polls = new Map<string, () => Promise<void>>()

  add(source: string, poll: () => Promise<void>): void {
    this.#polls.set(source, poll)
  }

  /** Resolves when its facts are in the log. */
  async poll(source: string): Promise<void> {
    const poll = this.#polls.get(source)
    if (!poll) throw new Error(`nobody polls ${source} here`)
    await poll()
  }
}

export const outOfTurn: Part<OutOfTurn> = { name: 'polls out of turn', open: () => new OutOfTurn() }
