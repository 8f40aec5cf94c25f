/** The caps, and the spending. */
import { atomsOf, usdOf } from './quote.ts'

/** Counts the spending of a UTC day such as 2026-11-22. Amounts are in USDC's smallest unit. */
export interface Purse {
  /** Adds `atoms`, unless the day would then hold more than `most`. No other process may come in between. */
  take(day: string, atoms: bigint, most: bigint): Taken | Promise<Taken>
  /** Subtracts an amount that was taken and never signed. */
  giveBack(day: string, atoms: bigint): void | Promise<void>
}

export interface Taken {
  taken: boolean
  /** The sum of the day before this amount. */
  spent: bigint
}

export interface Caps {
  /** US dollars. 1 if absent. */
  maxUsdPerCall?: string | number | undefined
  /** US dollars a UTC day. 5 if absent. */
  maxUsdPerDay?: string | number | undefined
}

/** Counts for one process, while it lives. */
export function purseInMemory(): Purse {
  const days = new Map<string, bigint>()
  const add = (day: string, atoms: bigint) => days.set(day, (days.get(day) ?? 0n) + atoms)
  return {
    take(day, atoms, most) {
      const spent = days.get(day) ?? 0n
      const taken = spent + atoms <= most
      if (taken) add(day, atoms)
      return { taken, spent }
    },
    giveBack: (day, atoms) => void add(day, -atoms),
  }
}

export class Budget {
  readonly #purse: Purse
  readonly #perCall: bigint
  readonly #perDay: bigint

  constructor({ maxUsdPerCall = 1, maxUsdPerDay = 5 }: Caps, purse: Purse) {
    this.#perCall = atomsOf(maxUsdPerCall)
    this.#perDay = atomsOf(maxUsdPerDay)
    this.#purse = purse
  }

  /**
   * Takes the amount from the day's budget before anything is signed. Returns the reason if it may not be spent. `giveBack` is for
   * an amount that was never signed: the holder of a signature can take the money, whatever he says.
   */
  async take(atoms: bigint): Promise<{ giveBack(): Promise<void> } | string> {
    const day = new Date().toISOString().slice(0, 10)
    if (atoms > this.#perCall)
      return `it costs ${usdOf(atoms)} USDC, and maxUsdPerCall is ${usdOf(this.#perCall)}`
    const { taken, spent } = await this.#purse.take(day, atoms, this.#perDay)
    if (!taken)
      return `it costs ${usdOf(atoms)} USDC, ${usdOf(spent)} were spent today, and maxUsdPerDay is ${usdOf(this.#perDay)}`
    return { giveBack: async () => this.#purse.giveBack(day, atoms) }
  }
}
