/**
 * The memory for sales under way. A network may hold a multiple of what is still free, and each of its payers a multiple of what is left
 * to the network. Whoever is alone gets most of it, and less beside others, and nobody takes the last of it from whoever comes next.
 */
import { Tally } from '../../../pipelines/rails/tally.ts'

interface Share {
  name: string
  times: number
}

interface Shares {
  network: Share
  within: readonly Share[]
}

/** What one sale holds. */
export interface Place {
  /** Takes more, whatever its shares are, because its work is done. False, and nothing is taken, if that is more than is free. */
  grow(bytes: number): boolean
  free(): void
}

export class SalesMemory {
  readonly #held = new Tally()
  readonly #bytes: number
  #free: number

  constructor(bytes: number) {
    this.#bytes = bytes
    this.#free = bytes
  }

  get held(): number {
    return this.#bytes - this.#free
  }

  /** Undefined, and nothing is taken, if it is more than one of the shares. */
  take(shares: Shares, bytes: number): Place | undefined {
    if (!this.#fits(shares, bytes)) return undefined
    let held = bytes
    this.#move(shares, bytes)
    return {
      grow: more => {
        if (more > this.#free) return false
        held += more
        this.#move(shares, more)
        return true
      },
      free: () => {
        this.#move(shares, -held)
        held = 0
      },
    }
  }

  #fits({ network, within }: Shares, bytes: number): boolean {
    const room = network.times * this.#free - this.#held.of(network.name)
    return (
      bytes <= Math.min(this.#free, room) &&
      within.every(({ name, times }) => this.#held.of(name) + bytes <= times * room)
    )
  }

  #move({ network, within }: Shares, bytes: number): void {
    this.#free -= bytes
    for (const { name } of [network, ...within]) this.#held.add(name, bytes)
  }
}
