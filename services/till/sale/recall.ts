/**
 * What is true of a payment that somebody presents: by the memory of the ledger, which holds every payment that may still
 * move, and for older ones by the chain. So a purchase that was forgotten is never called "not charged".
 */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import type { Word } from '../../offer/errors.ts'
import { isObject } from '../header.ts'
import { marginMs, type Purchase } from '../ledger/purchases.ts'
import type { Ledger } from '../ledger.ts'
import { spendIdOf } from '../payment.ts'
import type { Past, Scheme, Schemes } from '../schemes/scheme.ts'
import type { Presented } from '../till.ts'
import { Looks } from './looks.ts'
import type { Recovery } from './recovery.ts'

interface RecallParts {
  ledger: Ledger
  schemes: Schemes
  recovery: Recovery
  payTo: readonly { name: NetworkName; address: string }[]
  now: () => number
}

const mostWords = 10_000
/** The looks of one caller at payments that the memory does not hold. */
const forgottenAtOnce = 1
const forgottenAMinute = 10
/** The same at refused ones, which the facilitator has seen: a caller may have more of them. */
const refusedAtOnce = 4
const refusedAMinute = 60

export class Recall {
  readonly #parts: RecallParts
  /** What the chain has said for good. */
  readonly #words = new Bounded<Word>({ most: mostWords })
  readonly #forgotten: Looks
  readonly #refused: Looks

  constructor(parts: RecallParts) {
    this.#parts = parts
    this.#forgotten = new Looks(parts.now, { atOnce: forgottenAtOnce, aMinute: forgottenAMinute })
    this.#refused = new Looks(parts.now, { atOnce: refusedAtOnce, aMinute: refusedAMinute })
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

  /**
   * As `word`. Asks the chain about a payment that is older than the memory; null while it does not say. A stranger may
   * present what he likes, so the chain is asked only about what its payer has signed for us, and not often.
   */
  async recalled(presented: Presented, caller: string): Promise<Word> {
    const { schemes } = this.#parts
    const spendId = spendIdOf(presented, schemes)
    const word = this.word(presented)
    const { accepted, payload } = presented.json
    const kept = spendId === undefined ? undefined : this.#parts.ledger.purchases.of(spendId)
    if (kept?.state === 'refused') return this.#refused.look(caller, () => this.#again(kept))
    if (spendId === undefined || word !== false || !isObject(payload) || !isObject(accepted)) return word
    const scheme = schemes.get(String(accepted.network))
    const past = scheme?.past(payload)
    if (!scheme || !past || this.#isRemembered(past)) return false
    const known = this.#words.ask(spendId)
    if (known !== undefined) return known
    const signed = past.isSigned()
    // What nobody has signed was never taken. Of a contract's signature no key tells anything.
    if (!signed) return signed === undefined ? null : false
    return this.#forgotten.look(caller, () => this.#asked(spendId, scheme, past))
  }

  /** Its money may have moved since the chain was last asked. */
  async #again(purchase: Purchase): Promise<Word> {
    const { ledger, recovery } = this.#parts
    const seen = await recovery.look(purchase)
    return seen ? ledger.purchases.word(purchase.spendId) : null
  }

  /** The memory holds it if it was promised. Our clock may be wrong, so the log's last record counts too. */
  #isRemembered({ deadAt }: Past): boolean {
    const { ledger } = this.#parts
    if (deadAt === undefined || ledger.purchases.mayHaveForgotten(deadAt)) return false
    return deadAt + marginMs > Math.max(ledger.logNow(), ledger.heardAt)
  }

  async #asked(spendId: string, scheme: Scheme, past: Past): Promise<Word> {
    const { trace, sinceMs } = past
    const { ledger } = this.#parts
    // What the chain still takes is younger than the memory, unless a clock was wrong.
    const isWhole = !ledger.purchases.mayHaveForgotten(ledger.logNow())
    if (isWhole && (await scheme.isLive?.(trace).catch(() => false))) return false
    // Nobody knows whom the seller named before.
    if (!this.#isForUs(past)) return null
    const found = await this.#parts.recovery.find(trace, sinceMs)
    if (!found || (!found.found && !found.final)) return null
    const word = found.found ? { tx: found.tx } : (false as const)
    this.#words.set(spendId, word)
    return word
  }

  #isForUs({ trace, pays }: Past): boolean {
    return this.#parts.payTo.some(
      ({ name, address }) => networks[name].caip2 === trace.network && pays(address),
    )
  }
}
