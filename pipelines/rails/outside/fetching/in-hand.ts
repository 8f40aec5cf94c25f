/** Counts the bytes that all visits of a process, and those of one caller, receive from strangers at once. */
import { VisitFailed } from './visit-failures.ts'

export interface Share {
  /** Throws if there is no room for this many more bytes. */
  take(bytes: number): void
  /** Releases all of its bytes. */
  end(): void
}

export interface InHandBounds {
  mostBytes: number
  mostBytesOfCaller: number
}

export const usualBounds: InHandBounds = { mostBytes: 256 << 20, mostBytesOfCaller: 64 << 20 }

export class InHand {
  readonly #bounds: InHandBounds
  readonly #callers = new Map<string, number>()
  #bytes = 0

  constructor(bounds: InHandBounds) {
    this.#bounds = bounds
  }

  shareOf(caller: string): Share {
    const { mostBytes, mostBytesOfCaller } = this.#bounds
    let own = 0
    const count = (bytes: number): void => {
      own += bytes
      this.#bytes += bytes
      const his = (this.#callers.get(caller) ?? 0) + bytes
      if (his > 0) this.#callers.set(caller, his)
      else this.#callers.delete(caller)
    }
    return {
      take: bytes => {
        count(bytes)
        // The empty caller is our own work: the watch and the market have their own bounds.
        const isHis = caller !== '' && (this.#callers.get(caller) ?? 0) > mostBytesOfCaller
        if (isHis || this.#bytes > mostBytes)
          throw new VisitFailed('crowded', 'the service receives too much at the moment')
      },
      end: () => count(-own),
    }
  }
}
