/** Counts the bytes that strangers make a process hold at once: all of them together, and each caller. */

import { Tally } from './tally.ts'

interface Share {
  /** Counts these bytes too. Returns false if they are too many, for this caller or for all. */
  take(bytes: number): boolean
  /** Releases all of its bytes. */
  end(): void
}

export interface InHandBounds {
  mostBytes: number
  mostBytesOfCaller: number
}

export class InHand {
  readonly #bounds: InHandBounds
  readonly #callers = new Tally()
  #bytes = 0

  constructor(bounds: InHandBounds) {
    this.#bounds = bounds
  }

  get bytes(): number {
    return this.#bytes
  }

  shareOf(caller: string): Share {
    let own = 0
    const count = (bytes: number): void => {
      own += bytes
      this.#bytes += bytes
      this.#callers.add(caller, bytes)
    }
    return {
      take: bytes => {
        count(bytes)
        return !this.isFull(caller)
      },
      end: () => {
        count(-own)
        own = 0
      },
    }
  }

  /** The empty caller is our own work: the watch and the market have their own bounds. */
  isFull(caller: string): boolean {
    const { mostBytes, mostBytesOfCaller } = this.#bounds
    if (this.#bytes > mostBytes) return true
    return this.#bytes > mostBytesOfCaller && caller !== '' && this.#callers.of(caller) > mostBytesOfCaller
  }
}
