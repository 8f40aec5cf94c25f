/** Knows which spend each transfer has paid for. A transfer is credited once. */
export interface Credited {
  tx: string
  /** The place of the transfer, as in `chain_payments`. Undefined if a facilitator named only the transaction. */
  position: number | undefined
}

interface Credit {
  spendId: string
  position: number | undefined
}

/** The newest transactions only. A transfer on the chain needs no memory: each use of a nonce has one transfer of its own. */
const transactionsLimit = 100_000
/** One transaction may settle several payments. */
const creditsLimit = 64

export class Credits {
  readonly #byTransaction = new Map<string, Credit[]>()

  /** A transaction without a place counts for the first spend only. For another spend the chain must show the place. */
  isTaken(network: string, { tx, position }: Credited, spendId: string): boolean {
    const others =
      this.#byTransaction.get(keyOf(network, tx))?.filter(credit => credit.spendId !== spendId) ?? []
    if (position === undefined) return others.length > 0
    return others.some(credit => credit.position === position)
  }

  take(network: string, { tx, position }: Credited, spendId: string): void {
    const key = keyOf(network, tx)
    const known = this.#byTransaction.get(key)
    const others = known?.filter(credit => credit.spendId !== spendId).slice(-creditsLimit + 1) ?? []
    this.#byTransaction.set(key, others.concat({ spendId, position }))
    for (const oldest of this.#byTransaction.keys()) {
      if (this.#byTransaction.size <= transactionsLimit) break
      this.#byTransaction.delete(oldest)
    }
  }
}

/** A hash is the same in either case. A signature on Solana is not. */
const keyOf = (network: string, tx: string): string =>
  `${network} ${tx.startsWith('0x') ? tx.toLowerCase() : tx}`
