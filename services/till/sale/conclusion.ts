/** Brings a promised purchase to a sure end: the money has moved, or it has not and never will. */
import { Tally } from '../../../pipelines/rails/tally.ts'
import type { ErrorCode, Failure } from '../../offer/errors.ts'
import type { Facilitators, SettleWord, Turn } from '../facilitator/facilitators.ts'
import type { Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { unknownOutcome } from '../payment-failures.ts'
import type { Payment, Sale } from '../till.ts'
import type { Allowance } from './allowance.ts'
import type { Places } from './places.ts'
import type { Recovery } from './recovery.ts'
import type { Retries } from './retries.ts'
import { at } from './steps.ts'
import type { Unpaid } from './unpaid.ts'

export interface ConclusionParts {
  ledger: Ledger
  facilitators: Facilitators
  recovery: Recovery
  retries: Retries
  places: Places
  allowance: Allowance
  unpaid: Unpaid
  step(step: 'settled'): void
  aside(work: Promise<unknown>): void
}

const isFree = ({ state }: Purchase): boolean => state === 'failed' || state === 'refused'

/** After this silence a facilitator may have sent the money, so the chain is asked as well. */
const besideMs = 1500
/** For so many sales of a network at once. Further ones wait, because a node that is asked by thousands answers nobody. */
const mostLooking = 64

interface Concluding {
  /** By this process's monotonic clock. */
  deadline: number
  /** The turn for a connection, which its settlement ends. */
  turn: Turn
  /** Frees the place of the sale, because a call waits for an unknown outcome without one. */
  leave(): void
}

export class Conclusion {
  readonly #parts: ConclusionParts
  /** The looks under way without a place to wait, by network. */
  readonly #looking = new Tally()

  constructor(parts: ConclusionParts) {
    this.#parts = parts
  }

  /** Tries until the deadline to learn the outcome of a purchase that an earlier call may have settled. */
  async concludeAgain(purchase: Purchase, payment: Payment, deadline: number): Promise<void> {
    const { places, recovery, facilitators } = this.#parts
    const { network } = payment
    const leave = places.wait(payment.payer)
    const until = Math.min(deadline, performance.now() + payment.patienceMs)
    const settling = {
      isQuiet: () => facilitators.choice.isQuiet(payment),
      again: (timeoutMs: number) => facilitators.settleAgain(payment, timeoutMs),
    }
    const look = () => recovery.conclude(purchase, leave ? until : 0, settling)
    try {
      // Without a place to wait there is time for one look, and for none while many look: a sweep will.
      await at('outcome', network, async () => (leave ? look() : this.#lookIfFew(network, look)))
    } finally {
      leave?.()
    }
  }

  /** Looks, unless too many of the network do. Undefined if they do. */
  #lookIfFew(network: string, look: () => Promise<void>): Promise<void> | undefined {
    if (this.#looking.of(network) >= mostLooking) return undefined
    this.#looking.add(network)
    return look().finally(() => this.#looking.add(network, -1))
  }

  /** The facilitator's reply. Undefined if the chain has shown the end before it. */
  async #settled(purchase: Purchase, payment: Payment, turn: Turn): Promise<SettleWord | undefined> {
    const ended = Promise.withResolvers<SettleWord | undefined>()
    this.#parts.facilitators.settle(payment, turn).then(ended.resolve, ended.reject)
    let heard: AbortController | undefined
    const look = () => {
      heard ??= new AbortController()
      if (!this.#lookBeside(purchase, heard.signal, ended.resolve)) timer = setTimeout(look, besideMs)
    }
    let timer = setTimeout(look, besideMs)
    try {
      return await ended.promise
    } finally {
      clearTimeout(timer)
      heard?.abort()
    }
  }

  /** Asks the chain until the facilitator is heard. False if too many do. */
  #lookBeside(purchase: Purchase, heard: AbortSignal, ended: (nothing: undefined) => void): boolean {
    const { aside, recovery } = this.#parts
    const look = () => recovery.conclude(purchase, Number.POSITIVE_INFINITY, undefined, heard)
    const looked = this.#lookIfFew(purchase.promised.network, look)
    if (looked) aside(looked.then(() => purchase.state !== 'open' && ended(undefined)))
    return looked !== undefined
  }

  /** Settles. Returns only if the money has moved. Says "not charged" only if it has not and never will. */
  async conclude(purchase: Purchase, sale: Sale, { deadline, turn, leave }: Concluding): Promise<void> {
    const { ledger, recovery, places, allowance, step } = this.#parts
    const { payment } = sale
    const reply = await at('settle', payment.network, () => this.#settled(purchase, payment, turn))
    step('settled')
    if (reply?.outcome !== 'settled') await this.#concludeUnsettled(purchase, sale, reply)
    else if (!recovery.believe(purchase, reply, false)) ledger.recordDoubt(purchase, 'transaction_known')
    const isUnknown = purchase.state === 'open'
    if (isUnknown) {
      places.doubt(purchase, sale.caller)
      allowance.countUnknown(sale.caller)
      leave()
      await this.concludeAgain(purchase, payment, deadline)
    }
    if (purchase.state === 'open') throw unknownOutcome()
    if (purchase.state === 'failed') throw await this.#notCharged(sale, 'payment_rejected', isUnknown)
    if (purchase.state !== 'settled') throw unknownOutcome()
  }

  async #concludeUnsettled(
    purchase: Purchase,
    sale: Sale,
    reply: Exclude<SettleWord, { outcome: 'settled' }> | undefined,
  ): Promise<void> {
    const { aside, facilitators, ledger, retries } = this.#parts
    // The chain has overtaken it. It may be down: then the next calls are refused at once.
    if (!reply) aside(facilitators.ask())
    if (!reply || purchase.state !== 'open') return
    if (reply.outcome === 'failed') await this.#refuse(purchase, reply)
    if (isFree(purchase)) throw await this.#notCharged(sale, (reply as { code: ErrorCode }).code)
    if (purchase.state !== 'open') return
    retries.hear(purchase)
    ledger.recordDoubt(purchase, reply.reason)
  }

  /** Believes a facilitator that it has sent nothing, if the chain shows nothing. Later transfers are watched for. */
  async #refuse(
    purchase: Purchase,
    { reason, by, isUnsent }: Extract<SettleWord, { outcome: 'failed' }>,
  ): Promise<void> {
    const { ledger, recovery } = this.#parts
    const seen = await recovery.look(purchase)
    if (seen?.found !== false || seen.reason !== 'not_seen') return
    // It never had this try. An earlier one was handed to it, and may be sent still.
    const isOver = isUnsent && purchase.promised.since === null
    await (isOver ? ledger.recordFailed(purchase, reason, false) : ledger.recordRefused(purchase, reason, by))
  }

  /** For a purchase that the chain has shown to be unpaid. A call counts once, also where its outcome was unknown at first. */
  async #notCharged(sale: Sale, code: ErrorCode, isCounted = false): Promise<Failure> {
    if (code !== 'facilitator_unavailable') this.#parts.allowance.countUnpaid(sale, isCounted)
    const failure = await this.#parts.unpaid(sale, code)
    return Object.assign(failure, { hasAskedChain: true })
  }
}
