/** A purchase, and how long the till keeps what it has bought. */
import type { Promised } from '../../../schemas/till-promises.ts'

export interface Purchase {
  spendId: string
  requestId: string
  /** The keys that replay its answer. */
  keys: readonly string[]
  promised: Promised
  /** refused: before anything was sent, says the facilitator. The chain is watched until it cannot move money any more. */
  state: 'open' | 'settled' | 'failed' | 'refused'
  tx: string | undefined
  /** The place of its own transfer. Undefined: a facilitator says that it settled, and the chain was not asked. */
  position: number | undefined
  /** By the log's clock. */
  settledAt: number
  delivered: boolean
  /** By the log's clock. */
  deliveredAt: number
  /** Whether money may have moved for it without anybody knowing. */
  doubted: boolean
  /** The run that works on it. Undefined: any run may. */
  holder: string | undefined
  /** The time of the promise, by the log's clock. */
  writtenAt: number
  /** Whether the log surely has the promise. */
  isWritten: boolean
  /** Whether analysts have its intent. */
  isTold: boolean
  /** The last time that the till renewed the kept answer. */
  renewedAt: number
  /** By the clock that nobody turns: it is kept until then, whatever the date says meanwhile. */
  heldUntil: number
}

type Opening = Pick<
  Purchase,
  'spendId' | 'requestId' | 'keys' | 'promised' | 'holder' | 'writtenAt' | 'isWritten'
>

export const openPurchase = (opening: Opening): Purchase => ({
  ...opening,
  state: 'open',
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

/** The till keeps an undelivered answer for this time after its settlement. */
export const owedMs = 7 * 24 * 60 * 60_000
/** A key replays its answer for this time. */
export const replayMs = 10 * 60_000
/**
 * The till keeps a delivered answer for this time after its delivery, because "delivered" is what the kernel took and not what
 * arrived. It is the time of a key, so every start reads these answers from the log anyway.
 */
export const keptMs = 10 * 60_000
/** The first caller is known by his address for this time after the settlement. */
export const callerMs = 2 * 60_000
