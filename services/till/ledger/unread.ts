/**
 * Records of the till that cannot be read. Any of them may have been a promise. So the payment that it names waits until
 * the chain has spoken, and every other payment goes on.
 */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import type { Received } from '../../../pipelines/rails/log/log.ts'
import type { Reject } from '../../../pipelines/rails/log/rejection.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'

/** Whatever a record hid has ended by then. */
const keepMs = 60 * 60_000

type Unreadable = Pick<Received, 'topic' | 'partition' | 'offset' | 'at' | 'key'> & { value: string }

const spendId = /^[0-9a-f]{64}$/
const named = /"spend_id":"([0-9a-f]{64})"/
/** Where an answer begins: it belongs to its payer, so no reject holds it. */
const answer = '"answer"'
/** One takes about 150 bytes. */
const most = 100_000

export class Unread {
  readonly #reject: Reject
  /** The time of the first such record of each payment, by the log's clock. */
  readonly #payments = new Bounded<number>({ most })

  constructor(reject: Reject) {
    this.#reject = reject
    metrics.paymentsUnread.set(0)
  }

  /** Tells the operator of a record that is no step, and lets the payment wait that it names. */
  hear(record: Unreadable, reason: string): void {
    const { key, value, at } = record
    this.#reject(record, reason, value.split(answer, 1)[0] as string)
    const spend = spendId.test(key) ? key : named.exec(value)?.[1]
    if (spend === undefined || this.#payments.peek(spend) !== undefined) return
    this.#payments.set(spend, at)
    this.#count()
  }

  /** Since when the payment waits. Undefined: it does not. */
  since(spend: string): number | undefined {
    return this.#payments.peek(spend)
  }

  /** It is known now that the payment has moved no money and never will, unless it is promised anew. */
  clear(spend: string): void {
    this.#payments.delete(spend)
    this.#count()
  }

  /** A payment lives for two minutes. After an hour the chain says of every one how it ended. */
  forget(now: number): void {
    for (const [spend, at] of this.#payments) if (now - at > keepMs) this.clear(spend)
  }

  #count(): void {
    metrics.paymentsUnread.set(this.#payments.size)
  }
}
