/** A purchase, and how long the till keeps what it has bought. */
import type { Promised } from '../../../schemas/till-promises.ts'

export interface Purchase {
  spendId: string
  requestId: string
  /** The keys that replay its answer. */
  keys: readonly string[]
  promised: Promised
  /** The signed payment, until the log is sure to have it. Null: it is not kept. */
  paying: string | null
  /**
   * refused: the facilitator says that it refused before it sent anything. The chain is watched until the payment can move no
   * money.
   */
  state: 'open' | 'settled' | 'failed' | 'refused'
  /** The facilitator that refused it, as far as this run knows. */
  refusedBy: string | undefined
  tx: string | undefined
  /** The place of its own transfer. Undefined if a facilitator says that it settled and the chain was not asked. */
  position: number | undefined
  /** By the log's clock. */
  settledAt: number
  delivered: boolean
  /** By the log's clock. */
  deliveredAt: number
  /** True if money may have moved for it without anybody knowing. */
  doubted: boolean
  /** The run that works on it. Undefined if any run may. */
  holder: string | undefined
  /** The time of the promise, by the log's clock. */
  writtenAt: number
  /** True if the log is sure to have the promise. */
  isWritten: boolean
  /** True if analysts have its intent. */
  isTold: boolean
  /** The last renewal of the kept answer. */
  renewedAt: number
  /** The memory keeps it until then, by the clock that nobody can set, whatever the date says. */
  heldUntil: number
}

type Opening = Pick<
  Purchase,
  'spendId' | 'requestId' | 'keys' | 'promised' | 'holder' | 'writtenAt' | 'isWritten'
> &
  Partial<Pick<Purchase, 'paying'>>

export const openPurchase = (opening: Opening): Purchase => ({
  paying: null,
  ...opening,
  state: 'open',
  refusedBy: undefined,
  tx: undefined,
  position: undefined,
  settledAt: 0,
  delivered: false,
  deliveredAt: 0,
  doubted: false,
  isTold: false,
  renewedAt: opening.writtenAt,
  heldUntil: 0,
})

/** A payment of our quotes lives this long at most. */
export const quotedLifeMs = 3 * 60_000
/** Clients of others sign for longer. Such a payment is remembered until it is dead, by every start, too. */
export const outlastsQuote = (lifeMs: number): boolean => lifeMs > quotedLifeMs

/** No payment that is taken lives longer. */
export const longestLifeMs = 70 * 60_000

/** The till keeps an undelivered answer for this time after its settlement. */
export const owedMs = 7 * 24 * 60 * 60_000
/** A key replays its answer for this time. */
export const replayMs = 10 * 60_000
/**
 * The till keeps a delivered answer for this time after its delivery. "Delivered" means that the kernel took the answer, not that
 * it arrived. A key has the same time, so every start reads these answers from the log anyway.
 */
export const keptMs = 10 * 60_000
/** For this time after the settlement, the first caller is recognised by his address. */
export const callerMs = 2 * 60_000
