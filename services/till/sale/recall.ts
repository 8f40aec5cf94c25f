/**
 * The truth about a payment that somebody presents. The memory of the ledger holds every payment that may still move; older ones
 * are looked up on the chain. So a forgotten purchase is never called "not charged".
 */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import type { Word } from '../../offer/errors.ts'
import type { PaidWallet } from '../../offer/tariff.ts'
import type { Purchase } from '../ledger/purchase.ts'
import { marginMs } from '../ledger/purchases.ts'
import type { Ledger } from '../ledger.ts'
import type { Past, Scheme } from '../schemes/scheme.ts'
import type { Spends } from '../spends.ts'
import type { Presented } from '../till.ts'
import { Looks } from './looks.ts'
import type { Recovery } from './recovery.ts'

interface RecallParts {
  ledger: Ledger
  spends: Spends
  recovery: Recovery
  /** Everybody whom our quotes have named. */
  payees: () => Iterable<PaidWallet>
  now: () => number
}

const mostWords = 10_000
/** The looks of one caller, at once, at payments that the memory does not hold. */
const forgottenAtOnce = 1
const forgottenAMinute = 10
/** Nothing is owed for as long. An older payment costs a node a long search, whoever has signed it. */
const oldestMs = 30 * 24 * 60 * 60_000

export class Recall {
  readonly #parts: RecallParts
  /** The chain's final words. */
  readonly #words = new Bounded<Word>({ most: mostWords })
  readonly #forgotten: Looks

  constructor(parts: RecallParts) {
    this.#parts = parts
    this.#forgotten = new Looks(parts.now, { atOnce: forgottenAtOnce, aMinute: forgottenAMinute })
  }

  owes(presented: Presented): boolean {
    const { ledger, spends } = this.#parts
    return spends.known(presented, id => ledger.purchases.owed(id)) !== undefined
  }

  /** The word from the memory alone. */
  word(presented: Presented): Word {
    const spendId = this.#known(presented)
    return spendId === undefined ? false : this.#parts.ledger.purchases.word(spendId)
  }

  #known(presented: Presented): string | undefined {
    const { purchases } = this.#parts.ledger
    return this.#parts.spends.known(
      presented,
      id => purchases.of(id) !== undefined || purchases.word(id) !== false,
    )
  }

  /**
   * As `word`, but asks the chain about a payment that is older than the memory. Null while the chain does not say. A stranger may
   * present anything, so the chain is asked only about payments that the payer has signed for us, and not often. Null, too, while
   * another instance may know of a charge.
   */
  async recalled(presented: Presented, caller: string): Promise<Word> {
    const hasHeardAll = await this.#hasHeardAll(presented)
    const word = await this.#recalled(presented, caller)
    return word === false && !hasHeardAll ? null : word
  }

  /** Another instance may have taken the payment a moment ago. What nobody has signed, no instance has taken. */
  async #hasHeardAll(presented: Presented): Promise<boolean> {
    const { ledger, spends } = this.#parts
    if (ledger.isAlone || this.word(presented) !== false) return true
    const isSigned = spends.pasts(presented).some(({ past }) => past.isSigned() !== false)
    return !isSigned || ledger.hasHeardAll()
  }

  async #recalled(presented: Presented, caller: string): Promise<Word> {
    const { ledger, spends } = this.#parts
    const spent = this.#known(presented)
    const kept = spent === undefined ? undefined : ledger.purchases.of(spent)
    if (kept?.state === 'refused') return this.#again(kept, caller)
    if (spent !== undefined) return ledger.purchases.word(spent)
    const pasts = spends.pasts(presented)
    const named = pasts[0]
    if (!named || this.#isRemembered(named)) return false
    const { spendId, scheme, past } = pasts.find(each => each.past.isSigned()) ?? named
    const known = this.#words.ask(spendId)
    if (known !== undefined) return known
    const signed = past.isSigned()
    // An unsigned payment was never taken. For a contract's signature no key can tell.
    if (!signed) return signed === undefined ? null : false
    if (past.deadAt !== undefined && past.deadAt < ledger.logNow() - oldestMs) return null
    return this.#forgotten.look(caller, () => this.#asked(spendId, scheme, past))
  }

  /** Asks the chain again, because the money may have moved since. */
  async #again(purchase: Purchase, caller: string): Promise<Word> {
    const { ledger, recovery } = this.#parts
    const seen = await recovery.lookFor(caller, purchase)
    return seen ? ledger.purchases.word(purchase.spendId) : null
  }

  /**
   * Would the memory still hold it, if it was promised? Our clock may be wrong, so the time of the log's last record counts, too.
   */
  #isRemembered({ spendId, past: { deadAt } }: { spendId: string; past: Past }): boolean {
    const { ledger } = this.#parts
    if (deadAt === undefined || ledger.purchases.mayHaveForgotten(deadAt, spendId)) return false
    return deadAt + marginMs > Math.max(ledger.logNow(), ledger.heardAt)
  }

  async #asked(spendId: string, scheme: Scheme, past: Past): Promise<Word> {
    const { trace, sinceMs } = past
    const { ledger } = this.#parts
    // A payment that the chain still takes is younger than the memory, unless a clock was wrong.
    const isWhole = !ledger.purchases.mayHaveForgotten(ledger.logNow(), spendId)
    if (isWhole && (await scheme.isLive?.(trace).catch(() => false))) return false
    // Nobody knows the seller's earlier addresses.
    if (!this.#isForUs(past)) return null
    const found = await this.#parts.recovery.find(trace, sinceMs)
    if (!found || (!found.found && !found.final)) return null
    const word = found.found ? { tx: found.tx } : (false as const)
    this.#words.set(spendId, word)
    return word
  }

  #isForUs({ trace, pays }: Past): boolean {
    return [...this.#parts.payees()].some(
      ({ name, address }) => networks[name].caip2 === trace.network && pays(address),
    )
  }
}
