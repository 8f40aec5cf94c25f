/** Decides who is served at once. A payer has a share of the places, so no wallet stops the sales of all others. */
import { Failure } from '../../offer/errors.ts'
import type { Purchase } from '../ledger/purchase.ts'
import type { Payment } from '../till.ts'
import { Doubts } from './doubts.ts'
import { Undelivered } from './undelivered.ts'

/** A wallet may take this fraction of all places. */
const shares = 4
/** Payments whose signature only the facilitator can judge share one part, because anybody can write another's address. */
const unprovenShares = 2
/** The places of one caller among these, so that a forger does not shut out the smart wallets of others. */
const unprovenOfCaller = 4
/** With this many unknown outcomes a payer buys nothing more until the chain has decided one. */
const mostUnknown = 16
/** The same for a caller, because wallets cost nothing: what he leaves open takes a tenth of the memory for answers. */
const mostUnknownOfCaller = 64
/**
 * The calls that wait for an outcome: all together, and those of one payer. A further call learns at once that the outcome is
 * unknown.
 */
const mostWaiting = 256
const mostWaitingOfOne = mostUnknown

export class Places {
  readonly #undelivered = new Undelivered()
  readonly #sales: number
  readonly #selling = new Map<string, number>()
  readonly #unproven = new Map<string, number>()
  readonly #waiting = new Map<string, number>()
  readonly #unknownOfPayers = new Doubts()
  readonly #unknownOfCallers = new Doubts()
  #sold = 0
  #waited = 0

  constructor(sales: number) {
    this.#sales = sales
  }

  /** Takes a place, and returns the function that frees it. Throws a free 503 if all places are taken, or all of this payer. */
  take({ payer, proven }: Payment, caller: string): () => void {
    this.#undelivered.admit(payer, caller)
    const key = proven ? payer : ''
    const share = Math.max(1, Math.floor(this.#sales / (proven ? shares : unprovenShares)))
    const own = this.#selling.get(key) ?? 0
    if (this.#sold >= this.#sales || own >= share) throw busy('1')
    const ofCaller = this.#unproven.get(caller) ?? 0
    if (!proven && ofCaller >= unprovenOfCaller) throw busy('1')
    if (this.#unknownOfPayers.count(payer) >= mostUnknown) throw busy('5')
    if (this.#unknownOfCallers.count(caller) >= mostUnknownOfCaller) throw busy('5')
    if (!proven) this.#unproven.set(caller, ofCaller + 1)
    this.#sold++
    this.#selling.set(key, own + 1)
    return once(() => {
      this.#sold--
      less(this.#selling, key)
      if (!proven) less(this.#unproven, caller)
    })
  }

  /** Its answer is on its way, and counts against payer and caller until it is delivered. */
  promised(purchase: Purchase, caller: string): void {
    this.#undelivered.add(purchase, caller)
  }

  /** Lets a call wait for an outcome. Undefined if too many wait. */
  wait(payer: string): (() => void) | undefined {
    const own = this.#waiting.get(payer) ?? 0
    if (this.#waited >= mostWaiting || own >= mostWaitingOfOne) return undefined
    this.#waited++
    this.#waiting.set(payer, own + 1)
    return once(() => {
      this.#waited--
      less(this.#waiting, payer)
    })
  }

  /** Its outcome is unknown, and counts against its payer and its caller until it is known. */
  doubt(purchase: Purchase, caller: string): void {
    this.#unknownOfPayers.add(purchase.promised.payer, purchase)
    this.#unknownOfCallers.add(caller, purchase)
  }
}

const busy = (seconds: string): Failure => new Failure('busy', undefined, { 'Retry-After': seconds })

function once(free: () => void): () => void {
  let isFree = false
  return () => {
    if (isFree) return
    isFree = true
    free()
  }
}

function less(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}
