/**
 * What is true of a payment that somebody presents: by the memory of the ledger, which holds every payment that may still
 * move, and for older ones by the chain. So a purchase that was forgotten is never called "not charged".
 */
import { Remembered } from '../../../pipelines/chain/remembered.ts'
import type { Word } from '../../errors.ts'
import { isObject } from '../header.ts'
import { marginMs, type Purchase } from '../ledger/purchases.ts'
import type { Ledger } from '../ledger.ts'
import { spendIdOf } from '../payment.ts'
import type { Past, Scheme, Schemes } from '../schemes/scheme.ts'
import type { Presented } from '../till.ts'
import type { Recovery } from './recovery.ts'

interface RecallParts {
  ledger: Ledger
  schemes: Schemes
  recovery: Recovery
}

/** Strangers may present what they like, and each look costs calls of a node. */
const mostAtOnce = 8
const mostWords = 10_000

export class Recall {
  readonly #parts: RecallParts
  /** What the chain has said for good. */
  readonly #words = new Remembered<Word>(mostWords)
  #underWay = 0

  constructor(parts: RecallParts) {
    this.#parts = parts
  }

  owes(presented: Presented): boolean {
    const spendId = spendIdOf(presented, this.#parts.schemes)
    return spendId !== undefined && this.#parts.ledger.purchases.owed(spendId)
  }

  /** By the memory alone. */
  word(presented: Presented): Word {
    const spendId = spendIdOf(presented, this.#parts.schemes)
    return spendId === undefined ? false : this.#parts.ledger.purchases.word(spendId)
  }

  /** As `word`. Asks the chain about a payment that is older than the memory; null while it does not say. */
  async recalled(presented: Presented): Promise<Word> {
    const { schemes } = this.#parts
    const spendId = spendIdOf(presented, schemes)
    const word = this.word(presented)
    const { accepted, payload } = presented.json
    const kept = spendId === undefined ? undefined : this.#parts.ledger.purchases.of(spendId)
    if (kept?.state === 'refused') return this.#refused(kept)
    if (spendId === undefined || word !== false || !isObject(payload) || !isObject(accepted)) return word
    const scheme = schemes.get(String(accepted.network))
    const past = scheme?.past(payload)
    if (!scheme || !past || this.#isRemembered(past)) return false
    const known = this.#words.get(spendId)
    if (known !== undefined) return known
    if (this.#underWay >= mostAtOnce) return null
    this.#underWay++
    try {
      return await this.#asked(spendId, scheme, past)
    } finally {
      this.#underWay--
    }
  }

  /** Its money may have moved since the chain was last asked. */
  async #refused(purchase: Purchase): Promise<Word> {
    const { ledger, recovery } = this.#parts
    if (this.#underWay >= mostAtOnce) return null
    this.#underWay++
    try {
      const seen = await recovery.look(purchase)
      return seen ? ledger.purchases.word(purchase.spendId) : null
    } finally {
      this.#underWay--
    }
  }

  /** The memory holds it if it was promised. Our clock may be wrong, so the log's last record counts too. */
  #isRemembered({ deadAt }: Past): boolean {
    const { ledger } = this.#parts
    return deadAt !== undefined && deadAt + marginMs > Math.max(ledger.logNow(), ledger.heardAt)
  }

  async #asked(spendId: string, scheme: Scheme, { trace, sinceMs }: Past): Promise<Word> {
    // What the chain still takes is younger than the memory.
    if (await scheme.isLive?.(trace).catch(() => false)) return false
    const found = await this.#parts.recovery.find(trace, sinceMs)
    if (!found || (!found.found && !found.final)) return null
    const word = found.found ? { tx: found.tx } : (false as const)
    this.#words.set(spendId, word)
    return word
  }
}
