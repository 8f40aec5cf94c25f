/**
 * Unreadable records of the till. Each may have been a promise. So the payment that a record names waits for the chain's word, and
 * every other payment goes on.
 */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import type { Received } from '../../../pipelines/rails/log/log.ts'
import type { Reject } from '../../../pipelines/rails/log/rejection.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'

/** By then every payment in an unreadable record has ended. */
const keepMs = 60 * 60_000

type Unreadable = Pick<Received, 'topic' | 'partition' | 'offset' | 'at' | 'key'> & { value: string }

const spendId = /^[0-9a-f]{64}$/
const named = /"spend_id":"([0-9a-f]{64})"/
/** The beginning of an answer. The answer belongs to its payer, so no reject contains it. */
const answer = '"answer"'
/** Each takes about 150 bytes. */
const most = 100_000

export class Unread {
  readonly #reject: Reject
  /** The time of the first such record of each payment, by the log's clock. */
  readonly #payments = new Bounded<number>({ most })

  constructor(reject: Reject) {
    this.#reject = reject
    metrics.paymentsUnread.set(0)
  }

  /** Reports a record that is no step to the operator, and makes the payment in it wait. */
  hear(record: Unreadable, reason: string): void {
    const { key, value, at } = record
    this.#reject(record, reason, value.split(answer, 1)[0] as string)
    const spend = spendId.test(key) ? key : named.exec(value)?.[1]
    if (spend === undefined || this.#payments.peek(spend) !== undefined) return
    this.#payments.set(spend, at)
    this.#count()
  }

  /** The time since which the payment waits. Undefined if it does not wait. */
  since(spend: string): number | undefined {
    return this.#payments.peek(spend)
  }

  /** Ends the wait: the payment has moved no money, and never will unless it is promised anew. */
  clear(spend: string): void {
    this.#payments.delete(spend)
    this.#count()
  }

  /** A payment lives for two minutes. After an hour the chain can say of every payment how it ended. */
  forget(now: number): void {
    for (const [spend, at] of this.#payments) if (now - at > keepMs) this.clear(spend)
  }

  #count(): void {
    metrics.paymentsUnread.set(this.#payments.size)
  }
}
