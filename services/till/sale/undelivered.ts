/** The answers in memory that are on their way. A payer and a caller have a share, so that what one leaves stops only his own sales. */
import type { Purchase } from '../ledger/purchase.ts'
import { busy } from '../payment-failures.ts'
import { nobody } from '../till.ts'

/** The characters that one payer, or one caller, may leave: a quarter of what all together may leave. */
const shareLimit = 16 << 20
const mostNames = 10_000
/** The purchases that are counted for one name. */
const mostOfOne = 5000
/** A name's purchases are gone through when there are twice as many as the last time, and so many more. */
const leastWalk = 8

interface Left {
  purchases: Set<Purchase>
  /** Their answers as they were the last time, and all that came since. They have no more. */
  atMost: number
  /** With so many purchases they are gone through again. */
  walkAt: number
}

export class Undelivered {
  readonly #ofPayers = new Map<string, Left>()
  readonly #ofCallers = new Map<string, Left>()

  /** Throws a free 503 where the payer or the caller has left too much. */
  admit(payer: string, caller: string): void {
    if (lengthOf(this.#ofPayers, payer) > shareLimit) throw busy('5')
    if (lengthOf(this.#ofCallers, caller) > shareLimit) throw busy('5')
  }

  add(purchase: Purchase, caller: string): void {
    add(purchase, this.#ofPayers, purchase.promised.payer)
    // Callers whom nobody can tell apart have no share together.
    if (caller !== nobody) add(purchase, this.#ofCallers, caller)
  }
}

function add(purchase: Purchase, all: Map<string, Left>, name: string): void {
  const left = all.get(name) ?? { purchases: new Set(), atMost: 0, walkAt: leastWalk }
  all.delete(name)
  all.set(name, left)
  left.purchases.add(purchase)
  left.atMost += purchase.promised.answer.length
  dropOldest(left.purchases, mostOfOne)
  dropOldest(all, mostNames)
}

/** To go through thousands for each sale would take longer than the sale. */
function lengthOf(all: Map<string, Left>, name: string): number {
  const left = all.get(name)
  if (!left) return 0
  const { purchases } = left
  if (left.atMost <= shareLimit && purchases.size < left.walkAt) return left.atMost
  left.atMost = 0
  for (const purchase of purchases) {
    const { delivered, state, promised } = purchase
    if (delivered || state === 'failed' || state === 'refused' || !promised.answer) purchases.delete(purchase)
    else left.atMost += promised.answer.length
  }
  left.walkAt = 2 * purchases.size + leastWalk
  if (purchases.size === 0) all.delete(name)
  return left.atMost
}

function dropOldest(all: Set<unknown> | Map<unknown, unknown>, most: number): void {
  for (const oldest of all.keys()) {
    if (all.size <= most) break
    all.delete(oldest)
  }
}
