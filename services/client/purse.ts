/** The caps, and the spending. */
import { checkedPolicy, type Policy, type Purpose, rulesFor } from './policy.ts'
import { atomsOf, usdOf } from './quote.ts'

/**
 * Counts the spending of a UTC day such as 2026-11-22, or of a part of it that a policy caps, such as 2026-11-22.1f0c…. Amounts are in
 * USDC's smallest unit.
 */
export interface Purse {
  /**
   * Adds `atoms`, unless the day would then hold more than `most`. No other process may come in between. With 0 atoms it only tells
   * the sum.
   */
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
  /** Caps by host, operation and payee, too. All caps hold that are given, here and there. */
  policy?: Policy | undefined
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

/** Where several caps are given, all of them hold. */
function least(given: Record<string, string | number | undefined>, usual: number): bigint {
  const caps = Object.entries(given).flatMap(([name, cap]) => (cap === undefined ? [] : [capIn(name, cap)]))
  return caps.length ? caps.reduce((a, b) => (a < b ? a : b)) : atomsOf(usual)
}

function capIn(name: string, usd: string | number): bigint {
  try {
    return atomsOf(usd)
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
}

interface Count {
  key: string
  most: bigint
  /** The cap in words. */
  cap: string
}

export class Budget {
  readonly #purse: Purse
  readonly #perCall: bigint
  readonly #perDay: bigint
  readonly #policy: Policy

  constructor({ maxUsdPerCall, maxUsdPerDay, policy = {} }: Caps, purse: Purse) {
    this.#policy = checkedPolicy(policy)
    const { max_usd_per_call, max_usd_per_day } = this.#policy
    this.#perCall = least({ maxUsdPerCall, max_usd_per_call }, 1)
    this.#perDay = least({ maxUsdPerDay, max_usd_per_day }, 5)
    this.#purse = purse
  }

  /**
   * Takes the amount from the day's budget before anything is signed. Returns the reason if it may not be spent. `giveBack` is for
   * an amount that was never signed: the holder of a signature can take the money, whatever he says. `beside` is what the same call
   * has signed before: all that it signs counts as its price.
   */
  async take(atoms: bigint, purpose: Purpose, beside = 0n): Promise<{ giveBack(): Promise<void> } | string> {
    const counts = this.#countsOf(atoms, purpose, beside)
    if (typeof counts === 'string') return counts
    const held: string[] = []
    // Each once, also where it is called again because one of them has failed.
    const giveBack = async () => {
      for (let key = held.pop(); key !== undefined; key = held.pop()) await this.#purse.giveBack(key, atoms)
    }
    // From every count, or from none.
    for (const count of counts) {
      const { taken, spent } = await this.#purse.take(count.key, atoms, count.most)
      if (!taken) {
        await giveBack()
        return over(count, atoms, spent)
      }
      held.push(count.key)
    }
    return { giveBack }
  }

  /** The reason why the amount may not be spent now. It takes nothing, so there is nothing to give back. */
  async refusalOf(atoms: bigint, purpose: Purpose): Promise<string | undefined> {
    const counts = this.#countsOf(atoms, purpose, 0n)
    if (typeof counts === 'string') return counts
    for (const count of counts) {
      const { spent } = await this.#purse.take(count.key, 0n, count.most)
      if (spent + atoms > count.most) return over(count, atoms, spent)
    }
    return undefined
  }

  /** The sums of the day that must have room for the amount, or the cap of a call that it is above. */
  #countsOf(atoms: bigint, purpose: Purpose, beside: bigint): Count[] | string {
    const day = new Date().toISOString().slice(0, 10)
    const call = atoms + beside
    const costs = beside
      ? `${costOf(atoms)}, ${usdOf(beside)} were signed before in this call`
      : costOf(atoms)
    if (call > this.#perCall) return `${costs}, and maxUsdPerCall is ${usdOf(this.#perCall)}`
    const rules = rulesFor(this.#policy, purpose)
    if (typeof rules === 'string') return rules
    const dear = rules.find(({ perCall }) => perCall !== undefined && call > perCall)
    if (dear) return `${costs}, and the policy caps a call of ${dear.of} at ${usdOf(dear.perCall ?? 0n)}`
    const ofRules = rules.flatMap(({ of, perDay, scope }) =>
      perDay === undefined
        ? []
        : [{ key: `${day}.${scope}`, most: perDay, cap: `the policy caps a day of ${of} at` }],
    )
    return [{ key: day, most: this.#perDay, cap: 'maxUsdPerDay is' }, ...ofRules]
  }
}

const costOf = (atoms: bigint) => `it costs ${usdOf(atoms)} USDC`

const over = ({ most, cap }: Count, atoms: bigint, spent: bigint): string =>
  `${costOf(atoms)}, ${usdOf(spent)} were spent today, and ${cap} ${usdOf(most)}`
