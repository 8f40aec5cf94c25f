/** The line for the connections to a facilitator. Payers take turns, so that a crowd of one delays nobody else. */
export type Leave = () => void

export class ConnectionLine {
  #free: number
  /** The waiting calls of each payer, the next payer first. Each call is a sale under way, and these have a bound. */
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(connections: number) {
    this.#free = connections
  }

  /** Gives the function that ends the turn, at once if a connection is free. Undefined if the wait is over before. */
  take(payer: string, waitMs: number): Leave | Promise<Leave | undefined> {
    if (this.#free > 0) {
      this.#free--
      return this.#turn()
    }
    if (waitMs <= 0) return Promise.resolve(undefined)
    return new Promise(resolve => {
      const own = this.#waiting.get(payer) ?? new Set()
      const begin = () => {
        clearTimeout(timer)
        resolve(this.#turn())
      }
      const timer = setTimeout(() => {
        own.delete(begin)
        if (own.size === 0) this.#waiting.delete(payer)
        resolve(undefined)
      }, waitMs)
      this.#waiting.set(payer, own.add(begin))
    })
  }

  #turn(): Leave {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#next()
    }
  }

  #next(): void {
    for (const [payer, own] of this.#waiting) {
      const [begin] = own
      if (begin) own.delete(begin)
      this.#waiting.delete(payer)
      if (own.size > 0) this.#waiting.set(payer, own)
      begin?.()
      return
    }
    this.#free++
  }
}
