/**
 * The memory for sales under way. Each name may hold a multiple of what is still free: alone it gets most of it, beside others less,
 * and nobody takes the last of it from whoever comes next.
 */
interface Share {
  name: string
  /** It holds at most this many times what is free. */
  times: number
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
  take(shares: readonly Share[], bytes: number): Place | undefined {
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

  #fits(shares: readonly Share[], bytes: number): boolean {
    const isFree = ({ name, times }: Share) => (this.#held.get(name) ?? 0) + bytes <= times * this.#free
    return bytes <= this.#free && shares.every(isFree)
  }

  #move(shares: readonly Share[], bytes: number): void {
    this.#free -= bytes
    for (const { name } of shares) {
      const held = (this.#held.get(name) ?? 0) + bytes
      if (held > 0) this.#held.set(name, held)
      else this.#held.delete(name)
    }
  }
}
