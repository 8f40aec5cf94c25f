/** Recognises when the failure is ours: half of all hosts fail within a minute. */

const spanMs = 60_000
/** A smaller number of hosts may really all be down. */
const leastHosts = 4

export class Trouble {
  /** The hosts of the last minute. A bound by number would drop some of them, and their failures would not count. */
  readonly #seen = new Map<string, { at: number; failed: boolean }>()
  #failing = 0

  hear(host: string, failed: boolean, now: number): void {
    this.#forget(now)
    this.#drop(host)
    this.#seen.set(host, { at: now, failed })
    if (failed) this.#failing++
  }

  isOurs(now: number): boolean {
    this.#forget(now)
    return this.#seen.size >= leastHosts && this.#failing * 2 >= this.#seen.size
  }

  /** The oldest come first, because each repeated host goes to the end. */
  #forget(now: number): void {
    for (const [host, { at }] of this.#seen) {
      if (now - at < spanMs) return
      this.#drop(host)
    }
  }

  #drop(host: string): void {
    if (this.#seen.get(host)?.failed) this.#failing--
    this.#seen.delete(host)
  }
}
