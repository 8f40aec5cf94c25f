/** A chain's word on sales that it has shown: do their transfers still stand, and are they final? */

/** A settled sale, as far as its chain is asked about it. */
export interface Paid {
  spendId: string
  tx: string
  payer: string
  payTo: string
  /** In the smallest unit. */
  amount: bigint
  /** When it was settled, in ms. */
  atMs: number
}

/**
 * How sure it is that a transfer stays. safe: on an EVM chain its block is behind the safe head, on Solana it is confirmed. final: behind
 * the finalized head, or finalized.
 */
export type Depth = 'safe' | 'final'

interface Seen {
  /** The time of the newest final block. */
  finalMs: number
  /** The same of the newest safe one, which is never older. */
  safeMs: number
  /** Blocks from this time on are not those that the last look saw. */
  undoneMs: number | undefined
}

export interface StandsAt {
  tx: string
  /** The time of its block, in ms. */
  atMs: number
  isFinal: boolean
}

export interface Standing {
  /** A payment is dead so long after its sale. */
  lifeMs: number
  /** Sales that one question may be about. */
  mostAtOnce: number
  /** Rejects if no node tells. */
  look(signal: AbortSignal): Promise<Seen>
  /** Those whose transfers stand where their sales said, in few questions. One that is not among them may stand elsewhere. */
  standing(sales: readonly Paid[], upTo: Depth | 'latest', signal: AbortSignal): Promise<Set<Paid>>
  /** Where they stand, wherever that is, in few questions. One that is not among them may stand all the same. */
  placesOf(sales: readonly Paid[], signal: AbortSignal): Promise<ReadonlyMap<Paid, StandsAt>>
  /** Those that stand nowhere, surely, in few questions. Others may stand nowhere all the same. */
  gone(sales: readonly Paid[], signal: AbortSignal): Promise<ReadonlySet<Paid>>
  /** Where the transfer of one stands. Undefined: nowhere. */
  placeOf(sale: Paid, signal: AbortSignal): Promise<StandsAt | undefined>
}
