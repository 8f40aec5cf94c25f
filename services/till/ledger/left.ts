/**
 * What has left the memory while it may still live, known by a few bits: strangers can have any number of payments refused, and a
 * bit takes less than a purchase. Only a payment that is known here asks the chain. A new one looks known by chance once in
 * thousands, and then asks the chain for nothing. A start knows no bits: it asks the chain about every payment that is not dead before
 * all of these are, a look more for a sale until then, for 70 minutes at most (starting-place.ts).
 */

/** Of each of the two halves, 4 MB. With a million payments in it, one new payment in 6,000 looks known. */
const bits = 1 << 25
const looks = 4
const digits = 8

/** The places of a payment: a spend id is a hash. */
function* placesOf(spendId: string): Generator<number> {
  for (let nth = 0; nth < looks; nth++)
    yield Number.parseInt(spendId.slice(nth * digits, (nth + 1) * digits), 16) & (bits - 1)
}

export class Left {
  readonly #uptime: () => number
  readonly #livesMs: number
  #young: Uint8Array | undefined
  #old: Uint8Array | undefined
  #turnedAt = 0

  /** No payment lives for longer than `livesMs`. `uptime` is a clock that nobody can set. */
  constructor(uptime: () => number, livesMs: number) {
    this.#uptime = uptime
    this.#livesMs = livesMs
  }

  add(spendId: string): void {
    this.#turn()
    this.#young ??= new Uint8Array(bits >> 3)
    for (const place of placesOf(spendId))
      this.#young[place >> 3] = (this.#young[place >> 3] ?? 0) | (1 << (place & 7))
  }

  /** True of all that were added, for as long as they may live. */
  mayHave(spendId: string): boolean {
    if (!this.#young && !this.#old) return false
    this.#turn()
    return isIn(this.#young, spendId) || isIn(this.#old, spendId)
  }

  #turn(): void {
    const now = this.#uptime()
    if (now - this.#turnedAt < this.#livesMs) return
    this.#old = now - this.#turnedAt < 2 * this.#livesMs ? this.#young : undefined
    this.#young = undefined
    this.#turnedAt = now
  }
}

function isIn(half: Uint8Array | undefined, spendId: string): boolean {
  if (!half) return false
  for (const place of placesOf(spendId)) if (!((half[place >> 3] ?? 0) & (1 << (place & 7)))) return false
  return true
}
