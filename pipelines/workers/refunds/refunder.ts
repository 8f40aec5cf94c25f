/**
 * Pays what is ordered, one after another. A try is in the log before anything of it is sent, and another try begins only after the
 * chain has shown that the last one is dead.
 */
import { type RefundStep, refunds } from '../../../schemas/refunds.ts'
import { isSameName, type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { atomsOf } from '../../domains/payments/atoms.ts'
import {
  type RefundChain,
  type RefundEnd,
  type RefundObstacle,
  type RefundTrace,
  signedRefund,
} from '../../domains/payments/refund.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'
import { metrics } from '../../rails/metrics.ts'
import type { Store } from '../../rails/store/store.ts'
import { creditOf, type Refund, type RefundBook } from './book.ts'
import type { Limit } from './gauges.ts'
import type { RefundOrder } from './orders.ts'
import type { RefundRule } from './rules.ts'
import { type SaleFound, saleOf } from './sale.ts'

interface RefunderOptions {
  log: Log
  book: RefundBook
  store: () => Promise<Store>
  /** By the name of the network in receipts. */
  chains: ReadonlyMap<string, { name: NetworkName; chain: RefundChain; payTo: string | undefined }>
  aDay: bigint
  rules: readonly RefundRule[]
  signerKey: string | undefined
  /** Resolves when the book has read what the log holds now. */
  caughtUp(): Promise<void>
  now: () => number
  onFailed(name: string, error: unknown): void
}

/** The store may be behind the sale for so long. */
const unknownMs = 60_000
/** A transaction that no node shows for so long was taken back. */
const pendingMs = 2 * 60 * 60_000
/** What waits is looked at again after this time, and so many in one round: nodes and the store are others' too. */
const pauseMs = 5000
/** The same for what waits for another day. */
const longPauseMs = 5 * 60_000
/** The same for what is paid, until its chain calls it final. */
const finalPauseMs = 60_000
const mostAtOnce = 20
/** A node may have lost what it was sent. */
const againMs = 10_000

interface Look {
  atMs: number
  pauseMs: number
  /** What it waits for, so that the operator is told once. */
  why?: string
  /** Of the day, if it waits for that. */
  limit?: Limit | undefined
  /** Since when the chain does not show its payment. */
  pendingSince?: number | undefined
}

const words: Record<RefundObstacle, string> = {
  balance: 'the refund account holds too little USDC',
  gas: 'gas costs too much, or the refund account has too little for it',
  'no account': 'the payer has closed, or given away, the account that USDC could go to',
  unread: 'the chain is still searched for a refund of before',
  other: 'the chain does not take the transfer',
}

const usedUp: Record<Limit, string> = {
  day_spent: 'what may be paid back today is used up',
  rule_spent: 'what its rule may pay back today is used up',
  payer_spent: 'its payer has got as many today as its rule allows',
}

const nothingYet = {
  network: 'none' as const,
  ...{ amount_usdc: '0', payer: '', refunded_by: '', payment_tx: null },
  ...{ payment_position: null, refund_tx: null, trace: null, receipt: null, fee_coins: null },
} satisfies Partial<RefundStep>

export const orderOf = (
  { requestId, reason }: RefundOrder,
  last: RefundStep | undefined,
  nowMs: number,
  cause: RefundStep['cause'] = 'command',
): RefundStep => ({
  ...{ ...nothingYet, request_id: requestId, step: 'ordered', attempt: (last?.attempt ?? -1) + 1 },
  ...{ at: instant(nowMs), cause, reason },
})

/** In coins. No transaction costs thousands of them, and what a node makes up must not end the books. */
const plausibleFee = /^\d{1,3}(?:\.\d{1,18})?$/

export class Refunder {
  readonly #options: RefunderOptions
  readonly #sentAt = new Map<string, number>()
  /** Those that wait. */
  readonly #looks = new Map<string, Look>()

  constructor(options: RefunderOptions) {
    this.#options = options
  }

  /** A rule orders a refund once. An operator may order again what was refused. */
  async orderByRule(requestId: string, cause: RefundStep['cause'], reason: string): Promise<void> {
    if (!this.#options.book.of(requestId)) await this.order(requestId, cause, reason)
  }

  /** An order for what is under way or paid changes nothing. */
  async order(requestId: string, cause: RefundStep['cause'], reason: string | null): Promise<void> {
    const known = this.#options.book.of(requestId)
    if (known && known.state !== 'refused') return
    await this.#say(orderOf({ requestId, reason }, known?.last, this.#options.now(), cause))
  }

  async work(signal: AbortSignal): Promise<void> {
    const { book, now, onFailed } = this.#options
    const isDue = ({ requestId, state }: Refund) => {
      const look = this.#looks.get(requestId)
      const isUnderWay = state === 'intended' && look?.why === undefined
      return isUnderWay || !look || !(Math.abs(now() - look.atMs) < look.pauseMs)
    }
    for (const refund of book.next(mostAtOnce, isDue)) {
      if (signal.aborted) return
      book.later(refund)
      const { requestId, state } = refund
      this.#looks.set(requestId, { ...this.#looks.get(requestId), atMs: now(), pauseMs })
      try {
        await this.#step(refund)
      } catch (error) {
        // The world fails: the next round tries again, and what is in the log decides.
        onFailed(`refund ${requestId}`, error)
      }
      // What is done is forgotten, and what was dropped begins again at once.
      if (refund.state !== state) this.#looks.delete(requestId)
    }
  }

  #step(refund: Refund): Promise<void> {
    if (refund.state === 'paid') return this.#settle(refund)
    return refund.state === 'intended' ? this.#follow(refund) : this.#begin(refund)
  }

  async #begin(refund: Refund): Promise<void> {
    const { store, now, chains } = this.#options
    const sale = await saleOf(await store(), refund.requestId)
    if (sale === undefined) {
      // A rule has read of the sale, so the store is behind.
      if (refund.cause !== 'command') return this.#wait(refund, 'the store has not got the sale yet')
      const isLate = now() - refund.orderedAt > unknownMs
      return isLate ? this.#refuse(refund, 'no sale has this request') : undefined
    }
    if (typeof sale === 'string') return this.#refuse(refund, sale)
    const payer = chains.get(sale.network)
    if (!payer) return this.#refuse(refund, `no key pays refunds on ${sale.network}`)
    const { chain, payTo = '' } = payer
    if (!this.#mayReturn(refund, sale, payTo))
      return this.#refuse(refund, 'it was paid to an address that its rule does not name')
    if (isSameName(chain.address, sale.payTo)) return this.#refuse(refund, 'the key is that of the payee')
    const limit = this.#limitFor(refund, sale)
    if (limit) return this.#wait(refund, usedUp[limit], { pauseMs: longPauseMs, limit })
    if (refund.cause !== 'command' && !this.#ruleOf(refund))
      return this.#wait(refund, 'the rule that ordered it is gone', { pauseMs: longPauseMs })
    const payment = await chain.payment(sale)
    if (payment === 'unpaid') return this.#refuse(refund, 'the chain shows no such payment')
    if (payment === 'pending' || payment === 'several') {
      // A node that is behind for a moment says so, too, of a refund that has waited for days.
      const pendingSince = this.#looks.get(refund.requestId)?.pendingSince ?? now()
      const isLate = now() - pendingSince > pendingMs
      if (isLate) return this.#refuse(refund, 'the chain does not show the payment')
      return this.#wait(refund, 'the payment is not final yet', { pauseMs, pendingSince })
    }
    await this.#intend(refund, { ...sale, position: payment.position }, chain)
  }

  async #intend(refund: Refund, sale: SaleFound & { position: number }, chain: RefundChain): Promise<void> {
    const { book } = this.#options
    const terms = {
      network: sale.network,
      amount_usdc: sale.amountUsdc,
      payer: sale.payer,
      refunded_by: chain.address,
      payment_tx: sale.tx,
      payment_position: sale.position,
    }
    const taken = book.takenBy(creditOf(terms))
    if (taken !== undefined && taken !== refund.requestId)
      return this.#refuse(refund, 'another refund has this payment')
    const prepared = await chain.prepare(sale)
    if ('obstacle' in prepared) {
      const { obstacle } = prepared
      return obstacle === 'no account'
        ? this.#refuse(refund, words[obstacle])
        : this.#wait(refund, words[obstacle])
    }
    const attempt = refund.last.attempt + 1
    await this.#say({
      ...{ ...nothingYet, ...terms, request_id: refund.requestId, step: 'intended', attempt },
      ...{ cause: refund.cause, reason: null, trace: JSON.stringify(prepared) },
    })
    if (refund.state === 'intended') await this.#follow(refund)
  }

  /** An operator sees whom he pays back. A payee who buys of himself must not get by a rule what we never had. */
  #mayReturn(refund: Refund, sale: SaleFound, payTo: string): boolean {
    if (refund.cause === 'command') return true
    const named = this.#ruleOf(refund)?.payees ?? []
    return [payTo, ...named].some(own => isSameName(own, sale.payTo))
  }

  #ruleOf({ cause }: Refund): RefundRule | undefined {
    return this.#options.rules.find(({ because }) => because === cause)
  }

  /** Why it is not paid today. */
  #limitFor(refund: Refund, { amount, payer }: SaleFound): Limit | undefined {
    const { book, aDay, now } = this.#options
    const { cause } = refund
    const today = instant(now()).slice(0, 10)
    if (book.spentOn(today).atoms + amount > aDay) return 'day_spent'
    const rule = this.#ruleOf(refund)
    if (!rule) return undefined
    if (book.spentOn(today, { cause }).atoms + amount > rule.usdc_a_day) return 'rule_spent'
    return book.spentOn(today, { cause, payer }).count < rule.a_payer_a_day ? undefined : 'payer_spent'
  }

  /** The limit of the day for which it waits. */
  limitOf(requestId: string): Limit | undefined {
    return this.#looks.get(requestId)?.limit
  }

  async #follow(refund: Refund): Promise<void> {
    const { chains } = this.#options
    const { last } = refund
    const payer = chains.get(last.network)
    if (!payer) return this.#wait(refund, `no key pays refunds on ${last.network} any more`)
    const { chain, name } = payer
    const { trace, end } = await this.#endOf(refund, chain)
    const { request_id } = last
    if (end !== 'open') this.#sentAt.delete(request_id)
    if (end === 'dead')
      return this.#say({ ...last, step: 'dropped', reason: 'it moved nothing and never will', trace: null })
    if (end !== 'open') {
      const receipt = this.#receipt(last, name, end.tx)
      await this.#say({ ...last, step: 'paid', refund_tx: end.tx, receipt })
      return
    }
    // Nothing is sent by another account than the one that the try names.
    if (!isSameName(chain.address, last.refunded_by))
      return this.#wait(refund, 'the key has changed while this refund was under way')
    const sentAt = this.#sentAt.get(request_id) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - sentAt < againMs) return
    this.#sentAt.set(request_id, performance.now())
    await this.#send(chain, last, trace)
  }

  async #send(chain: RefundChain, { network }: RefundStep, trace: RefundTrace): Promise<void> {
    await chain.send(trace)
    metrics.refundSteps.inc({ network, step: 'sent' })
  }

  /** A refund is paid with the first block that has it. Until a final one has it, a reorganisation may take it back. */
  async #settle(refund: Refund): Promise<void> {
    const { chains, now } = this.#options
    const { last, requestId } = refund
    const payer = chains.get(last.network)
    this.#looks.set(requestId, { atMs: now(), pauseMs: finalPauseMs })
    if (!payer) return
    const { chain, name } = payer
    const { trace, end } = await this.#endOf(refund, chain)
    if (end === 'dead')
      return this.#say({ ...last, step: 'dropped', reason: 'its chain has taken it back', trace: null })
    if (end === 'open')
      return isSameName(chain.address, last.refunded_by) ? this.#send(chain, last, trace) : undefined
    if (!(await chain.isFinal(end.tx))) return
    const isMoved = end.tx !== last.refund_tx
    const receipt = isMoved ? this.#receipt(last, name, end.tx) : last.receipt
    // It is final whether or not a node says what it has cost.
    const told = (await chain.feeOf(end.tx).catch(() => undefined)) ?? ''
    const fee_coins = plausibleFee.test(told) ? told : null
    await this.#say({ ...last, step: 'final', refund_tx: end.tx, trace: null, receipt, fee_coins })
  }

  async #endOf(
    { last, intendedAt = 0, triedAt }: Refund,
    chain: RefundChain,
  ): Promise<{ trace: RefundTrace; end: RefundEnd }> {
    const trace = JSON.parse(last.trace ?? '{}') as RefundTrace | { landed?: string }
    // The log had forgotten it, or a version before this one has written it.
    const landed = 'landed' in trace ? trace.landed : last.trace === null ? last.refund_tx : undefined
    const tries = { firstMs: intendedAt, thisMs: Date.parse(triedAt) }
    const known = trace as RefundTrace
    return { trace: known, end: landed ? { tx: landed } : await chain.endOf(known, tries) }
  }

  #receipt(step: RefundStep, name: NetworkName, tx: string): string | null {
    const { signerKey, now } = this.#options
    if (!signerKey) return null
    const { caip2, asset } = networks[name]
    const payload = {
      ...{ version: 1, requestId: step.request_id, network: caip2, asset },
      ...{ amount: String(atomsOf(step.amount_usdc)), payer: step.payer, payment: step.payment_tx ?? '' },
      ...{ transaction: tx, issuedAt: Math.floor(now() / 1000) },
    }
    return JSON.stringify(signedRefund(payload, signerKey))
  }

  #refuse({ requestId, last, cause }: Refund, reason: string): Promise<void> {
    return this.#say({
      ...{ ...nothingYet, request_id: requestId, step: 'refused', attempt: last.attempt },
      ...{ cause, reason },
    })
  }

  #wait({ requestId }: Refund, why: string, look: Partial<Look> = {}): void {
    const before = this.#looks.get(requestId)?.why
    this.#looks.set(requestId, { atMs: this.#options.now(), pauseMs, ...look, why })
    if (before === why) return
    this.#options.onFailed(`refund ${requestId}`, new Error(`it waits: ${why}`))
  }

  /**
   * The book learns of it from the log alone. Of several tries that were written at once, by whichever processes, all take the same
   * one: the first. So the others are never sent.
   */
  async #say(step: Omit<RefundStep, 'at'>): Promise<void> {
    const { log, now, caughtUp } = this.#options
    await log.append(refunds.topic, [entryOf(refunds, { ...step, at: instant(now()) })])
    metrics.refundSteps.inc({ network: step.network, step: step.step })
    await caughtUp()
  }
}
