/** How much may be spent, and what was. */
import { atomsOf, usdOf } from './quote.ts'

/** Keeps what was spent on a day. Give one of your own to count over several processes. */
export interface Purse {
  spent(day: string): bigint | Promise<bigint>
  add(day: string, atoms: bigint): void | Promise<void>
}

export interface Caps {
  /** US dollars. 1 where nothing is said. */
  maxUsdPerCall?: string | number | undefined
  /** US dollars a UTC day. 5 where nothing is said. */
  maxUsdPerDay?: string | number | undefined
}

export function purseInMemory(): Purse {
  const days = new Map<string, bigint>()
  return {
    spent: day => days.get(day) ?? 0n,
    add: (day, atoms) => void days.set(day, (days.get(day) ?? 0n) + atoms),
  }
}

export class Budget {
  readonly #purse: Purse
  readonly #perCall: bigint
  readonly #perDay: bigint
  /** Calls under way are counted before they are known to be charged. */
  #line: Promise<unknown> = Promise.resolve()

  constructor({ maxUsdPerCall = 1, maxUsdPerDay = 5 }: Caps, purse: Purse) {
    this.#perCall = atomsOf(maxUsdPerCall)
    this.#perDay = atomsOf(maxUsdPerDay)
    this.#purse = purse
  }

  /** Takes the amount out of the day's budget; `giveBack` puts it in again. Gives the reason where it may not be spent. */
  take(atoms: bigint): Promise<{ giveBack(): Promise<void> } | string> {
    const taken = this.#line.then(() => this.#take(atoms))
    this.#line = taken.catch(() => {})
    return taken
  }

  async #take(atoms: bigint) {
    const day = new Date().toISOString().slice(0, 10)
    if (atoms > this.#perCall)
      return `it costs ${usdOf(atoms)} USDC, and maxUsdPerCall is ${usdOf(this.#perCall)}`
    const spent = await this.#purse.spent(day)
    if (spent + atoms > this.#perDay)
      return `it costs ${usdOf(atoms)} USDC, ${usdOf(spent)} were spent today, and maxUsdPerDay is ${usdOf(this.#perDay)}`
    await this.#purse.add(day, atoms)
    return { giveBack: async () => this.#purse.add(day, -atoms) }
  }
}
