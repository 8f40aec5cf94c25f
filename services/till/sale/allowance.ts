/** Limits calls that never pay: they must use neither our upstreams nor the facilitator for free. */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { steady } from '../../../pipelines/rails/outside/upstreams/steady.ts'
import { Failure } from '../../offer/errors.ts'
import { refusalsAMinute as most, standingOf } from '../../offer/rate.ts'
import type { Payment } from '../till.ts'
import { type Around, around } from './around.ts'

const windowMs = 60_000
/** The answers of more than 2,048 characters that one caller gets again in a minute: each is unpacked, and sent whole. */
const longReplaysAMinute = 60
/** The bound of each table. */
export const mostNames = 50_000

/** The payer and the caller of a call. */
interface Asker {
  caller: string
  payment: Pick<Payment, 'payer' | 'proven'>
}

export class Allowance {
  readonly #now: () => number
  // Wallets cost nothing. So each kind of name has a table of its own, and a crowd of wallets pushes no caller out.
  readonly #payers = new Map<string, number[]>()
  readonly #callers = new Map<string, number[]>()
  readonly #networks = new Map<string, number[]>()
  readonly #replays = new Map<string, number[]>()

  /** The payers whose last payment was good. */
  readonly #paid = new Bounded<true>({ most: mostNames })

  constructor(now: () => number) {
    this.#now = steady(now)
  }

  /** Throws a free 429 after too many in the last minute. */
  admit({ caller, payment }: Asker): void {
    this.#admit(
      this.#payers,
      payment.payer,
      `More than ${most} requests to upstreams in a minute were for calls of this payer that were refused`,
    )
    this.#admit(this.#callers, caller, `More than ${most} of your payments in a minute could not be taken`)
    for (const { name, times } of around(caller)) {
      const limit = times * most
      this.#admit(this.#networks, name, `More than ${limit} payments of ${name} could not be taken`, limit)
    }
  }

  /** Counts a long answer that a caller gets again. Throws a free 429 after too many in the last minute. */
  admitReplay(caller: string): void {
    const message = `More than ${longReplaysAMinute} long answers in a minute were asked for again`
    this.#admit(this.#replays, caller, message, longReplaysAMinute)
    this.#count(this.#replays, caller, 1, longReplaysAMinute)
  }

  paid(payer: string): void {
    this.#paid.set(payer, true)
  }

  hasPaid(payer: string): boolean {
    return this.#paid.ask(payer) === true
  }

  /** The refusals that a caller has left. */
  leftOf(caller: string): number {
    return most - this.#recent(this.#callers, caller).length
  }

  /** Those that a network around callers has left. */
  leftAround({ name, times }: Around): number {
    return times * most - this.#recent(this.#networks, name).length
  }

  /** Counts a refusal by its cost. Returns the header that shows the payer how much is left. */
  count({ caller, payment }: Asker, asks: number): Record<string, string> {
    return payment.proven ? this.#count(this.#payers, payment.payer, asks) : this.#countCaller(caller, asks)
  }

  /** Counts a payment that the facilitator does not take. Anybody can write another payer's address. */
  countUnpaid({ caller, payment }: Asker, isCounted = false): Record<string, string> {
    if (payment.proven) this.#paid.delete(payment.payer)
    const ofCaller = this.#countCaller(caller, isCounted ? 0 : 1)
    return payment.proven ? this.#count(this.#payers, payment.payer, 1) : ofCaller
  }

  /** Counts an outcome that nobody knows yet. Of one payer there are few anyway. */
  countUnknown(caller: string): void {
    this.#countCaller(caller, 1)
  }

  #countCaller(caller: string, times: number): Record<string, string> {
    for (const network of around(caller))
      this.#count(this.#networks, network.name, times, network.times * most)
    return this.#count(this.#callers, caller, times)
  }

  #admit(table: Map<string, number[]>, name: string, message: string, limit = most): void {
    const recent = this.#recent(table, name)
    if (recent.length < limit) return
    const waitMs = (recent[0] as number) + windowMs - this.#now()
    throw new Failure('too_many_requests', message, {
      'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
      ratelimit: standingOf('refusals', 0, waitMs),
    })
  }

  #count(table: Map<string, number[]>, name: string, times: number, limit = most): Record<string, string> {
    const counted = Array<number>(Math.min(times, most)).fill(this.#now())
    const recent = [...this.#recent(table, name), ...counted].slice(-limit)
    table.delete(name)
    table.set(name, recent)
    for (const oldest of table.keys()) {
      if (table.size <= mostNames) break
      table.delete(oldest)
    }
    return { ratelimit: standingOf('refusals', limit - recent.length, windowMs) }
  }

  #recent(table: Map<string, number[]>, name: string): number[] {
    const after = this.#now() - windowMs
    return (table.get(name) ?? []).filter(at => at > after)
  }
}
