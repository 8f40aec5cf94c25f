/** One payment on its way to an EVM chain. It has one answer, and that answer is true whatever happens to it later. */
import type { SignedTransfer } from '../../../pipelines/domains/payments/evm/transfer-calls.ts'
import type { EvmTrace } from '../../../schemas/till-promises.ts'
import { reasons, type Settled } from './settler.ts'

/** The till waits 45 s for a facilitator. */
const patienceMs = 40_000

export class Rider {
  readonly transfer: SignedTransfer
  readonly trace: EvmTrace
  readonly payer: string
  /** Its payer has code, which may burn the gas of all that go with it. */
  alone: boolean
  readonly arrivedAt = performance.now()
  readonly ended: Promise<Settled>
  /** Tries that the chain took and that did not move the money. */
  misses = 0
  readonly #end: (settled: Settled) => void
  readonly #timer: NodeJS.Timeout
  /** The transaction that may carry it. From the first one on nobody may say that it moves no money. */
  #tx = ''
  #isOver = false

  constructor(transfer: SignedTransfer, trace: EvmTrace, alone: boolean) {
    this.transfer = transfer
    this.trace = trace
    this.payer = trace.from
    this.alone = alone
    const { promise, resolve } = Promise.withResolvers<Settled>()
    this.ended = promise
    this.#end = resolve
    this.#timer = setTimeout(() => this.fail(this.#tx ? reasons.pending : reasons.notSent), patienceMs)
  }

  /** Its caller has the answer. What was sent before is still brought to its end. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Another authorization of its own chain seconds is left. */
  isAlive(nowMs: number): boolean {
    return this.trace.valid_before * 1000 > nowMs + leastLifeMs
  }

  /** False if its caller was told that nothing was sent: then it must not be sent any more. */
  mayBeSent(): boolean {
    return !this.#isOver || this.#tx !== ''
  }

  /** Says before the transaction leaves that it may carry this payment. Returns what takes the word back if no node took it. */
  sentAs(tx: string): () => void {
    const before = this.#tx
    this.#tx = tx
    return () => {
      this.#tx = before
    }
  }

  settle(transaction: string): void {
    this.#answer({ success: true, transaction })
  }

  /** With a transaction that may carry it, the failure is not sure, and its reader knows it by the transaction. */
  fail(errorReason: string): void {
    this.#answer({ success: false, transaction: this.#tx, errorReason })
  }

  #answer(settled: Settled): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#end(settled)
  }
}

/** A transaction needs a block or two. */
const leastLifeMs = 6000
