/** Decides who is served at once. Memory bounds the sales under way, and a share of it each payer, each caller and each network. */
import { getHeapStatistics } from 'node:v8'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { Tally } from '../../../pipelines/rails/tally.ts'
import type { Purchase } from '../ledger/purchase.ts'
import { busy } from '../payment-failures.ts'
import { nobody, type Payment } from '../till.ts'
import { around } from './around.ts'
import { Doubts } from './doubts.ts'
import { type Place, SalesMemory } from './sales-memory.ts'
import { Undelivered } from './undelivered.ts'

/** The memory that a waiting sale takes, with its connections at both ends: measured (test/bench/README.md). */
export const saleBytes = 64 << 10
/** Without SALES_MB, sales under way may hold this part of the memory that the process may use. */
const usualPart = 8
/** A network may hold so many times what is free, so that a slow one leaves room for the others. */
const timesOfNetwork = 2
/** A caller may hold so many times what is left to his network, because many payers may share an address. */
const timesOfCaller = 2
/** The same for a payer, and for all payments together whose signature only the facilitator can judge. */
const timesOfPayer = 1
/** The places of one caller among these, so that a forger does not shut out the smart wallets of others. */
const unprovenOfCaller = 4
/** With this many unknown outcomes a payer buys nothing more until the chain has decided one. */
const mostUnknown = 16
/**
 * The same for a caller, because wallets cost nothing: what he leaves open takes a tenth of the memory for answers. The networks
 * around him count as a few callers.
 */
const mostUnknownOfCaller = 64
/**
 * The calls that wait for an outcome: all together, and those of one payer. A further call learns at once that the outcome is
 * unknown.
 */
const mostWaiting = 256
const mostWaitingOfOne = mostUnknown

export class Places {
  readonly #undelivered = new Undelivered()
  readonly #memory: SalesMemory
  readonly #unproven = new Tally()
  readonly #waiting = new Tally()
  readonly #unknownOfPayers = new Doubts()
  readonly #unknownOfCallers = new Doubts()
  readonly #unknownOfNetworks = new Doubts()
  #waited = 0

  /** `bytes`: what all sales together may hold. */
  constructor(bytes: number) {
    this.#memory = new SalesMemory(bytes)
    metrics.salesBytesLimit.set(bytes)
    metrics.salesBytes.set(0)
  }

  /** Throws a free 503 where payer or caller has left too much behind. A sale asks again before its promise. */
  admit(payer: string, caller: string): void {
    this.#undelivered.admit(payer, caller)
    if (this.#unknownOfPayers.count(payer) >= mostUnknown) throw busy('5')
    if (this.#unknownOfCallers.count(caller) >= mostUnknownOfCaller) throw busy('5')
    for (const { name, times } of around(caller))
      if (this.#unknownOfNetworks.count(name) >= times * mostUnknownOfCaller) throw busy('5')
  }

  /** Takes a place. Throws a free 503 if the memory is spent, or a share of it. `bytes`: its texts. */
  take(payment: Payment, caller: string, bytes = 0): Place {
    const { payer, proven } = payment
    this.admit(payer, caller)
    if (!proven && this.#unproven.of(caller) >= unprovenOfCaller) throw busy('1')
    const held = this.#memory.take(sharesOf(payment, caller), saleBytes + bytes)
    if (!held) throw busy('1')
    if (!proven) this.#unproven.add(caller)
    metrics.salesBytes.set(this.#memory.held)
    return {
      grow: held.grow,
      free: once(() => {
        held.free()
        metrics.salesBytes.set(this.#memory.held)
        if (!proven) this.#unproven.add(caller, -1)
      }),
    }
  }

  /** Counts the answer of a purchase against its payer and its caller until it is delivered. */
  promised(purchase: Purchase, caller: string): void {
    this.#undelivered.add(purchase, caller)
  }

  /** Lets a call wait for an outcome. Undefined if too many wait. */
  wait(payer: string): (() => void) | undefined {
    if (this.#waited >= mostWaiting || this.#waiting.of(payer) >= mostWaitingOfOne) return undefined
    this.#waited++
    this.#waiting.add(payer)
    return once(() => {
      this.#waited--
      this.#waiting.add(payer, -1)
    })
  }

  /** Counts a purchase without a known outcome against its payer and its caller, until the outcome is known. */
  doubt(purchase: Purchase, caller: string): void {
    this.#unknownOfPayers.add(purchase.promised.payer, purchase)
    this.#unknownOfCallers.add(caller, purchase)
    for (const { name } of around(caller)) this.#unknownOfNetworks.add(name, purchase)
  }
}

/** The memory that sales may hold if SALES_MB is unset. */
export function usualSalesBytes(): number {
  // A process without a bound is told 0, or more than any machine has.
  const contained = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return Math.floor(Math.min(getHeapStatistics().heap_size_limit, contained) / usualPart)
}

/** Callers whom nobody can tell apart have no share together. */
const sharesOf = ({ payer, proven, network }: Payment, caller: string) => ({
  network: { name: `network ${network}`, times: timesOfNetwork },
  within: [
    { name: proven ? `payer ${payer}` : 'unproven', times: timesOfPayer },
    ...(caller === nobody ? [] : [{ name: `caller ${caller}`, times: timesOfCaller }]),
  ],
})

function once(free: () => void): () => void {
  let isFree = false
  return () => {
    if (isFree) return
    isFree = true
    free()
  }
}
