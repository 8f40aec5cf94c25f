/**
 * The memory for sales under way. A network may hold a multiple of what is still free, and each of its payers a multiple of what is left
 * to the network. Whoever is alone gets most of it, and less beside others, and nobody takes the last of it from whoever comes next.
 */
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
  /** One entry for each name that holds something. */
  readonly #held = new Map<string, number>()
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
    const room = network.times * this.#free - this.#heldBy(network)
    return (
      bytes <= Math.min(this.#free, room) &&
      within.every(share => this.#heldBy(share) + bytes <= share.times * room)
    )
  }

  #heldBy({ name }: Share): number {
    return this.#held.get(name) ?? 0
  }

  #move({ network, within }: Shares, bytes: number): void {
    this.#free -= bytes
    for (const share of [network, ...within]) {
      const held = this.#heldBy(share) + bytes
      if (held > 0) this.#held.set(share.name, held)
      else this.#held.delete(share.name)
    }
  }
}
