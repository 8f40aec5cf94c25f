/** Reads a log that instances share up to its end, for all calls that wait for that. A log that does not answer holds nobody up. */
import { setTimeout as sleep } from 'node:timers/promises'

/** The longest wait of a call. */
const longestMs = 3000

export class Latest {
  readonly #catchUp: () => Promise<void>
  #reading: Promise<boolean> | undefined
  #next: Promise<boolean> | undefined

  constructor(catchUp: () => Promise<void>) {
    this.#catchUp = catchUp
  }

  /** Resolves with true once everything that was written before this call is known. One reading serves all who come before it begins. */
  ask(): Promise<boolean> {
    if (!this.#reading) return this.#read()
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined
      return this.#read()
    })
    return this.#next
  }

  #read(): Promise<boolean> {
    const waiting = new AbortController()
    const late = sleep(longestMs, false, { signal: waiting.signal, ref: false }).catch(() => false)
    const heard = this.#catchUp().then(
      () => true,
      // Without its brokers an instance cannot tell what another one has done.
      () => false,
    )
    const reading = Promise.race([heard, late]).finally(() => {
      waiting.abort()
      if (this.#reading === reading) this.#reading = undefined
    })
    this.#reading = reading
    return reading
  }
}
