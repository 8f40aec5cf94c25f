/** How many bytes of strangers are being received at once, by all visits of a process and by those of one caller. */
import { VisitFailed } from './visit-failures.ts'

export interface Share {
  /** Throws where there is no room for so many more. */
  take(bytes: number): void
  /** Gives all of it back. */
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
        // Nobody is our own work: the watch and the market have bounds of their own.
        const isHis = caller !== '' && (this.#callers.get(caller) ?? 0) > mostBytesOfCaller
        if (isHis || this.#bytes > mostBytes)
          throw new VisitFailed('crowded', 'too much is being received at the moment')
      },
      end: () => count(-own),
    }
  }
}
