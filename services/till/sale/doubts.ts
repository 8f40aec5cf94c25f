/** The purchases without a known outcome, by whoever has brought them about. */
import type { Purchase } from '../ledger/purchase.ts'

const namesLimit = 10_000

export class Doubts {
  readonly #of = new Map<string, Set<Purchase>>()

  add(name: string, purchase: Purchase): void {
    const all = this.#of.get(name) ?? new Set()
    this.#of.delete(name)
    this.#of.set(name, all.add(purchase))
    for (const oldest of this.#of.keys()) {
      if (this.#of.size <= namesLimit) break
      this.#of.delete(oldest)
    }
  }

  /** Those that are unknown still. */
  count(name: string): number {
    const all = this.#of.get(name)
    if (!all) return 0
    for (const purchase of all) if (purchase.state !== 'open') all.delete(purchase)
    if (all.size === 0) this.#of.delete(name)
    return all.size
  }
}
