/** The answers in memory that are on their way. A payer and a caller have a share, so that what one leaves stops only his own sales. */
import { Failure } from '../../offer/errors.ts'
import type { Purchase } from '../ledger/purchase.ts'
import { nobody } from '../till.ts'

/** Of one payer, and of one caller, in characters: a quarter of what all may have. */
const shareLimit = 16 << 20
const mostNames = 10_000
/** The purchases that are counted for one name. */
const mostOfOne = 5000

export class Undelivered {
  readonly #ofOne = new Map<string, Set<Purchase>>()

  /** Throws a free 503 where the payer or the caller has left too much. */
  admit(payer: string, caller: string): void {
    for (const name of namesOf(payer, caller))
      if (this.#lengthOf(name) > shareLimit) throw new Failure('busy', undefined, { 'Retry-After': '5' })
  }

  add(purchase: Purchase, caller: string): void {
    for (const name of namesOf(purchase.promised.payer, caller)) {
      const all = this.#ofOne.get(name) ?? new Set()
      this.#ofOne.delete(name)
      this.#ofOne.set(name, all.add(purchase))
      dropOldest(all, mostOfOne)
      dropOldest(this.#ofOne, mostNames)
    }
  }

  #lengthOf(name: string): number {
    const all = this.#ofOne.get(name)
    let length = 0
    for (const purchase of all ?? []) {
      const { delivered, state, promised } = purchase
      if (delivered || state === 'failed' || state === 'refused' || !promised.answer) all?.delete(purchase)
      else length += promised.answer.length
    }
    if (all?.size === 0) this.#ofOne.delete(name)
    return length
  }
}

/** Callers whom nobody can tell apart have no share together. */
const namesOf = (payer: string, caller: string): string[] => [
  `payer ${payer}`,
  ...(caller === nobody ? [] : [`caller ${caller}`]),
]

function dropOldest(all: Set<unknown> | Map<unknown, unknown>, most: number): void {
  for (const oldest of all.keys()) {
    if (all.size <= most) break
    all.delete(oldest)
  }
}
