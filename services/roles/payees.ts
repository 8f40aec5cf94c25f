/** The wallets that files name as payees: chains are read for them, and books are kept of them. One that leaves its file may be paid yet. */
import type { NamedPayee } from '../../pipelines/rails/process.ts'
import { plainAddress } from '../../schemas/tables/stablecoins.ts'
import type { PaidWallet } from '../offer/tariff.ts'

export class Payees {
  readonly #now: () => number
  readonly #known = new Map<string, NamedPayee>()

  constructor(now: () => number) {
    this.#now = now
  }

  take(named: readonly PaidWallet[]): void {
    for (const { name: network, address } of named) {
      const key = `${network} ${plainAddress(address)}`
      if (!this.#known.has(key)) this.#known.set(key, { network, address, sinceMs: this.#now() })
    }
  }

  list(): readonly NamedPayee[] {
    return [...this.#known.values()]
  }
}
