/**
 * Unreadable records of the till. Each may have been a promise. So the payment that a record names waits for the chain's word, and
 * every other payment goes on.
 */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import type { Received } from '../../../pipelines/rails/log/log.ts'
import type { Reject } from '../../../pipelines/rails/log/rejection.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'

/** By then every payment in an unreadable record has ended. */
const keepMs = 2 * 60 * 60_000

type Unreadable = Pick<Received, 'topic' | 'partition' | 'offset' | 'at' | 'key'> & { value: string }

const spendId = /^[0-9a-f]{64}$/
const named = /"spend_id":"([0-9a-f]{64})"/
const readCharacters = 100_000
const mostFields = 20
/**
 * The fields that a reject shows. Rejects are kept for longer than promises, and the rest of a record may tell who asked what, or
 * hold an answer.
 */
const shown =
  /"(by|step|spend_id|request_id|at|place|payment_tx|operation|network|dead_at)":"([\w:.-]{1,128})"/g

/** The record stays in its topic, at the place that the reject names. */
function publicPartOf(value: string): string {
  const fields = [...value.slice(0, readCharacters).matchAll(shown)].map(([, name, said]) => [name, said])
  return JSON.stringify({ ...Object.fromEntries(fields.slice(0, mostFields)), characters: value.length })
}
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
    this.#reject(record, reason, publicPartOf(value))
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

  /** A payment lives for 65 minutes at most. After two hours the chain can say of every payment how it ended. */
  forget(now: number): void {
    for (const [spend, at] of this.#payments) if (now - at > keepMs) this.clear(spend)
  }

  #count(): void {
    metrics.paymentsUnread.set(this.#payments.size)
  }
}
