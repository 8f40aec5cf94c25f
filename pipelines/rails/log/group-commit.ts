/** Makes one commit at a time. Items that arrive meanwhile share the next one. */
interface Waiting<T> {
  item: T
  bytes: number
  done: PromiseWithResolvers<void>
}

export class GroupCommit<T> {
  readonly #commit: (items: T[]) => Promise<void>
  readonly #maxBytes: number
  #waiting: Waiting<T>[] = []
  #running: Promise<void> | undefined

  /** It never calls `commit` while one is running. A single item may be larger than `maxBytes`. */
  constructor(maxBytes: number, commit: (items: T[]) => Promise<void>) {
    this.#maxBytes = maxBytes
    this.#commit = commit
  }

  /** Resolves or rejects with the commit that carried the item. */
  add(item: T, bytes: number): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#waiting.push({ item, bytes, done })
    this.#running ??= this.#run()
    return done.promise
  }

  /** Resolves once no commit is running and no item waits for one. */
  async drained(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    // Items of the same turn of the event loop share a commit.
    await undefined
    while (this.#waiting.length > 0) {
      const group = this.#next()
      await this.#commit(group.map(({ item }) => item)).then(
        () => group.forEach(({ done }) => void done.resolve()),
        error => group.forEach(({ done }) => void done.reject(error)),
      )
    }
    this.#running = undefined
  }

  #next(): Waiting<T>[] {
    let count = 0
    let bytes = 0
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes
      if (count > 0 && bytes > this.#maxBytes) break
      count++
    }
    return this.#waiting.splice(0, count)
  }
}
