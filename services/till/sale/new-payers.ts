/**
 * Sales to wallets that have paid nothing here yet. Whether one can pay is known at the end, so each counts from its beginning: one
 * caller has as many at once as he has refusals left. The others wait until one of them ends. Who has paid waits no more, and is
 * trusted in a few calls at once, where the operation trusts him.
 */
import { Tally } from '../../../pipelines/rails/tally.ts'
import { busy } from '../payment-failures.ts'
import type { Payment, SaleItem } from '../till.ts'
import type { Allowance } from './allowance.ts'
import { around } from './around.ts'

interface Tried {
  caller: string
  payment: Pick<Payment, 'payer' | 'proven'> & Partial<Pick<Payment, 'settlesSurely'>>
  product?: Pick<SaleItem, 'trusts'>
}

export interface Trying {
  /** The work may begin before the payment is verified. */
  isTrusted: boolean
  /** The money has moved. */
  paid(): void
  end(): void
}

/** Of a payer who needs none. */
const free: Trying = { isTrusted: false, paid: () => {}, end: () => {} }
/** The calls of one payer that are trusted at once. If he cannot pay any more, the work of so many was for nothing. */
const mostTrusted = 8

const namesOf = (caller: string): string[] => [caller, ...around(caller).map(({ name }) => name)]

interface Waiting {
  payer: string
  goOn(): void
}

export class NewPayers {
  readonly #allowance: Allowance
  /** Trials under way, by caller and by the networks around him. */
  readonly #underWay = new Tally()
  /** Trusted calls under way, by payer, by caller and by the networks around him. */
  readonly #trusted = new Tally()
  /** Each of them is a sale under way, so they are as many at most. */
  readonly #waiting = new Map<string, Set<Waiting>>()

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  /** Throws a free 429 if the caller or the payer has no refusals left, and a free 503 after this wait. */
  begin(sale: Tried, waitMs: number): Trying | Promise<Trying> {
    return this.#isNew(sale) ? this.#begin(sale, waitMs) : this.#known(sale)
  }

  /** A caller has few payments at once that only the facilitator can judge, and anybody can write the payer's name into them. */
  #isNew({ payment }: Tried): boolean {
    return payment.proven && !this.#allowance.hasPaid(payment.payer)
  }

  async #begin(sale: Tried, waitMs: number): Promise<Trying> {
    const { caller, payment } = sale
    const deadline = performance.now() + waitMs
    try {
      while (this.#isNew(sale)) {
        this.#allowance.admit(sale)
        if (this.#isCrowded(caller, this.#underWay)) throw busy('5')
        if (this.#left(caller) > 0) return this.#trial(sale)
        if (!(await this.#anEnd(sale, deadline - performance.now()))) throw busy('1')
      }
    } catch (error) {
      // Another one may begin in its place.
      this.#wake(caller, payment.payer)
      throw error
    }
    return this.#known(sale)
  }

  #known({ caller, payment, product }: Tried): Trying {
    const { payer, settlesSurely } = payment
    if (!product?.trusts || !settlesSurely || this.#trusted.of(payer) >= mostTrusted) return free
    if (this.#allowance.leftOf(caller) <= this.#trusted.of(caller)) return free
    if (this.#isCrowded(caller, this.#trusted)) return free
    return { isTrusted: true, paid: () => {}, end: this.#counted(this.#trusted, [payer, ...namesOf(caller)]) }
  }

  #left(caller: string): number {
    return this.#allowance.leftOf(caller) - this.#underWay.of(caller)
  }

  /** Has a network around him as many of these under way as it has refusals left? */
  #isCrowded(caller: string, underWay: Tally): boolean {
    return around(caller).some(each => this.#allowance.leftAround(each) <= underWay.of(each.name))
  }

  #trial({ caller, payment }: Tried): Trying {
    const end = this.#counted(this.#underWay, namesOf(caller), () => this.#wake(caller, payment.payer))
    return { isTrusted: false, paid: () => this.#allowance.paid(payment.payer), end }
  }

  /** Counts from now until what it gives is called, which counts once. */
  #counted(tally: Tally, names: readonly string[], ended = (): void => {}): () => void {
    for (const name of names) tally.add(name)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      for (const name of names) tally.add(name, -1)
      ended()
    }
  }

  /** Resolves with false if the wait is over before. */
  #anEnd({ caller, payment }: Tried, waitMs: number): Promise<boolean> {
    return new Promise(resolve => {
      const own = this.#waiting.get(caller) ?? new Set()
      const goOn = (isInTime: boolean) => {
        clearTimeout(timer)
        own.delete(waiting)
        if (own.size === 0) this.#waiting.delete(caller)
        resolve(isInTime)
      }
      const timer = setTimeout(() => goOn(false), Math.max(0, waitMs))
      const waiting = { payer: payment.payer, goOn: () => goOn(true) }
      this.#waiting.set(caller, own.add(waiting))
    })
  }

  /** Calls of a payer who has paid go on at once, and of the others as many as may be under way. With no refusals left, all get the 429. */
  #wake(caller: string, payer: string): void {
    const isSpent = this.#allowance.leftOf(caller) <= 0
    const hasPaid = this.#allowance.hasPaid(payer)
    let left = this.#left(caller)
    for (const waiting of [...(this.#waiting.get(caller) ?? [])]) {
      if (!isSpent && !(hasPaid && waiting.payer === payer) && left-- <= 0) {
        if (!hasPaid) return
        continue
      }
      waiting.goOn()
    }
  }
}
