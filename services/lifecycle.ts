/** Start in order, stop in reverse. The first signal drains, the second leaves at once. */
export class Lifecycle {
  readonly #releases: { name: string; release: () => Promise<void> | void }[] = []
  #stopping: Promise<void> | undefined
  readonly #onError: (name: string, error: unknown) => void

  constructor(onError: (name: string, error: unknown) => void) {
    this.#onError = onError
  }

  /** What was opened is released before everything that was opened earlier. */
  async open<T>(
    name: string,
    open: () => Promise<T> | T,
    release: (opened: T) => Promise<void> | void,
  ): Promise<T> {
    if (this.#stopping) throw new Error(`${name}: stopping`)
    const opened = await open()
    if (this.#stopping) await release(opened)
    else this.#releases.push({ name, release: () => release(opened) })
    return opened
  }

  /** Every release runs, whatever the others do; the first error is thrown at the end. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
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

/** Runs `stop` on the first SIGINT or SIGTERM and exits with its outcome; a second signal exits at once. */
export function stopOnSignals(stop: (signal: string) => Promise<void>): void {
  let asked = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(130)
      asked = true
      stop(signal).then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
}
