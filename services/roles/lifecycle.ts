/** Opens parts in order and closes them in reverse. The first signal drains, the second exits at once. */
import { reasonOf } from '../../pipelines/rails/failures.ts'
import type { Running } from '../../pipelines/rails/running.ts'

export class Lifecycle implements Running {
  readonly #end = Promise.withResolvers<void>()
  readonly ended = this.#end.promise
  readonly #releases: { name: string; release: () => Promise<void> | void }[] = []
  #closing: Promise<void> | undefined
  readonly #onError: (name: string, error: unknown) => void

  constructor(onError: (name: string, error: unknown) => void) {
    this.#onError = onError
    // A part may fail before anybody listens.
    this.ended.catch(() => {})
  }

  /** Opens a part that runs by itself. If it fails, the whole process fails. */
  async run<T extends Running>(name: string, open: () => Promise<T> | T): Promise<T> {
    return this.use(name, open)
  }

  /** Opens a part of any kind: one that runs by itself, one that must be closed, or neither. */
  async use<T>(name: string, open: () => Promise<T> | T): Promise<T> {
    const opened = await this.open(name, open, part => (isClosable(part) ? part.close() : undefined))
    if (isClosable(opened) && 'ended' in opened)
      opened.ended.catch(error =>
        this.#end.reject(new Error(`${name} has ended: ${reasonOf(error)}`, { cause: error })),
      )
    return opened
  }

  /** Opens a part. It is released before all parts that were opened earlier. */
  async open<T>(
    name: string,
    open: () => Promise<T> | T,
    release: (opened: T) => Promise<void> | void,
  ): Promise<T> {
    if (this.#closing) throw new Error(`${name} cannot be opened while the process stops`)
    const opened = await open()
    if (this.#closing) await release(opened)
    else this.#releases.push({ name, release: () => release(opened) })
    return opened
  }

  /** Runs every release, even if others fail. Rejects at the end with all their errors. */
  close(): Promise<void> {
    this.#closing ??= this.#close().finally(this.#end.resolve)
    return this.#closing
  }

  async #close(): Promise<void> {
    const failed: unknown[] = []
    for (const { name, release } of this.#releases.reverse()) {
      try {
        await release()
      } catch (error) {
        failed.push(error)
        this.#onError(name, error)
      }
    }
    if (failed.length) throw new AggregateError(failed, 'the stop was not clean')
  }
}

type Closable = Pick<Running, 'close'> | Running
const isClosable = (part: unknown): part is Closable =>
  typeof part === 'object' && part !== null && 'close' in part

/** Closes on the first SIGINT or SIGTERM and exits with the outcome. A second signal exits at once. */
export function closeOnSignals(running: Running): void {
  let asked = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(130)
      asked = true
      running.close().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
}
