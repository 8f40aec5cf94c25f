/**
 * What calls have shown of one facilitator. It decides who is asked first, and refuses nothing: a stranger can make calls fail, and
 * the last one that is left is asked however it fares.
 */

/** Failures in a row after which a facilitator is left out for a while on a network. */
const mostFaults = 3
const firstOutMs = 5000
const longestOutMs = 60_000
/** The longest pause that a facilitator can cause by one reply. */
const longestQuietMs = 60_000
/** One whose word the chain has denied is asked after the others for so long. */
const distrustedMs = 24 * 60 * 60_000

export type MoneyCall = 'verify' | 'settle'
const calls: readonly MoneyCall[] = ['verify', 'settle']

interface Breaker {
  faults: number
  outMs: number
  /** By this process's monotonic clock, as all times here. */
  outUntil: number
}

export class Health {
  /** By network and call: one that verifies well may still settle nothing. */
  readonly #breakers = new Map<string, Breaker>()
  #quietUntil = 0
  #distrustedUntil = 0

  /** Is it left out on this network? After its time, one call at a time tries it again. */
  isOut(network: string): boolean {
    return this.#of(network).some(({ outUntil }) => performance.now() < outUntil)
  }

  /** Has it failed, and not answered such a call since? */
  hasFailed(network: string): boolean {
    return this.#of(network).some(hasFailed)
  }

  get isQuiet(): boolean {
    return performance.now() < this.#quietUntil
  }

  get isDistrusted(): boolean {
    return performance.now() < this.#distrustedUntil
  }

  /** A call begins. While it tries one that has failed, the others go elsewhere, and for longer after each try. */
  begin(network: string, call: MoneyCall): void {
    const breaker = this.#breakers.get(nameOf(network, call))
    if (!breaker || !hasFailed(breaker) || performance.now() < breaker.outUntil) return
    breaker.outMs = Math.min(2 * breaker.outMs, longestOutMs)
    breaker.outUntil = performance.now() + breaker.outMs
  }

  /** It has told something of a payment, whatever it was. */
  answered(network: string, call: MoneyCall): void {
    this.#breakers.delete(nameOf(network, call))
  }

  /** It has not, or nothing that makes sense. `isSure`: nobody listens there. */
  failed(network: string, call: MoneyCall, isSure = false): void {
    const name = nameOf(network, call)
    const before = this.#breakers.get(name)
    if (before && hasFailed(before)) return
    const faults = isSure ? mostFaults : (before?.faults ?? 0) + 1
    const outUntil = faults >= mostFaults ? performance.now() + firstOutMs : 0
    this.#breakers.set(name, { faults, outMs: firstOutMs, outUntil })
  }

  #of(network: string): Breaker[] {
    if (this.#breakers.size === 0) return []
    return calls.flatMap(call => this.#breakers.get(nameOf(network, call)) ?? [])
  }

  /** It asks for a pause. */
  quiet(ms: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, performance.now() + Math.min(ms, longestQuietMs))
  }

  distrust(): void {
    this.#distrustedUntil = performance.now() + distrustedMs
  }
}

const nameOf = (network: string, call: MoneyCall): string => `${network} ${call}`

const hasFailed = ({ faults }: Breaker): boolean => faults >= mostFaults
