/** Lets one call at a time work on a payment or key in this process. The others wait in a short line, for a limited time. */
export type Free = () => void

const longestLine = 32

export class Turns {
  readonly #lines = new Map<string, Free[]>()

  isTaken(thing: string): boolean {
    return this.#lines.has(thing)
  }

  /**
   * Gives the function that ends the turn, at once if nobody works on the thing. Undefined if the line is too long, or the wait is
   * over.
   */
  take(thing: string, waitMs: number): Free | Promise<Free | undefined> {
    const line = this.#lines.get(thing)
    if (!line) {
      this.#lines.set(thing, [])
      return this.#turn(thing)
    }
    if (line.length >= longestLine || waitMs <= 0) return Promise.resolve(undefined)
    return new Promise(resolve => {
      const begin = () => {
        clearTimeout(timer)
        resolve(this.#turn(thing))
      }
      const timer = setTimeout(() => {
        line.splice(line.indexOf(begin), 1)
        resolve(undefined)
      }, waitMs)
      line.push(begin)
    })
  }

  #turn(thing: string): Free {
    let over = false
    return () => {
      if (over) return
      over = true
      const next = this.#lines.get(thing)?.shift()
      if (next) next()
      else this.#lines.delete(thing)
    }
  }
}
