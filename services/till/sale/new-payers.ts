/**
 * Sales to wallets that have paid nothing here yet. Whether one can pay is known at the end, so each counts from its beginning: one
 * caller has as many at once as he has refusals left. The others wait until one of them ends. Who has paid waits no more.
 */
import { Tally } from '../../../pipelines/rails/tally.ts'
import { busy } from '../payment-failures.ts'
import type { Payment } from '../till.ts'
import type { Allowance } from './allowance.ts'
import { around } from './around.ts'

interface Tried {
  caller: string
  payment: Pick<Payment, 'payer' | 'proven'>
}

export interface Trying {
  /** The money has moved. */
  paid(): void
  end(): void
}

/** Of a payer who needs none. */
const free: Trying = { paid: () => {}, end: () => {} }

interface Waiting {
  payer: string
  goOn(): void
}

export class NewPayers {
  readonly #allowance: Allowance
  /** Trials under way, by caller and by the networks around him. */
  readonly #underWay = new Tally()
  /** Each of them is a sale under way, so they are as many at most. */
  readonly #waiting = new Map<string, Set<Waiting>>()

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  /** Throws a free 429 if the caller or the payer has no refusals left, and a free 503 after this wait. */
  begin(sale: Tried, waitMs: number): Trying | Promise<Trying> {
    return this.#isNew(sale) ? this.#begin(sale, waitMs) : free
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
        if (this.#isCrowded(caller)) throw busy('5')
        if (this.#left(caller) > 0) return this.#trial(sale)
        if (!(await this.#anEnd(sale, deadline - performance.now()))) throw busy('1')
      }
    } catch (error) {
      // Another one may begin in its place.
      this.#wake(caller, payment.payer)
      throw error
    }
    return free
  }

  #left(caller: string): number {
    return this.#allowance.leftOf(caller) - this.#underWay.of(caller)
  }

  /** Has a network around him as many trials under way as it has refusals left? */
  #isCrowded(caller: string): boolean {
    return around(caller).some(each => this.#allowance.leftAround(each) <= this.#underWay.of(each.name))
  }

  #trial({ caller, payment }: Tried): Trying {
    const names = [caller, ...around(caller).map(({ name }) => name)]
    for (const name of names) this.#underWay.add(name)
    let isOver = false
    return {
      paid: () => this.#allowance.paid(payment.payer),
      end: () => {
        if (isOver) return
        isOver = true
        for (const name of names) this.#underWay.add(name, -1)
        this.#wake(caller, payment.payer)
      },
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
