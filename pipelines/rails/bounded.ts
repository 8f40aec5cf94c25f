/** A memory with bounds in count and weight. It drops the least recently used value first. */

interface Bounds<Value> {
  most: number
  /**
   * The bound on the weight of all values together, in the unit of `weigh`: bytes or rows. If absent, only the count
   * is bounded.
   */
  mostWeight?: number
  weigh?(value: Value): number
  /**
   * Says whether a value is still in use, such as a reading in progress. A value in use is not dropped. If absent, no
   * value is in use.
   */
  stays?(value: Value): boolean
}

interface Held<Value> {
  value: Value
  weight: number
}

export class Bounded<Value> {
  readonly #bounds: Bounds<Value>
  /** The least recently used value comes first. */
  readonly #held = new Map<string, Held<Value>>()
  #weight = 0

  constructor(bounds: Bounds<Value>) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#held.size
  }

  get weight(): number {
    return this.#weight
  }

  /** Finds a value, and does not change the order. */
  peek(name: string): Value | undefined {
    return this.#held.get(name)?.value
  }

  /** Finds a value and makes it the most recently used one. */
  ask(name: string): Value | undefined {
    const held = this.#held.get(name)
    if (!held) return undefined
    this.#held.delete(name)
    this.#held.set(name, held)
    return held.value
  }

  set(name: string, value: Value): void {
    this.delete(name)
    this.#held.set(name, { value, weight: 0 })
    this.weigh(name)
  }

  /** Must be called when a value has become heavier or lighter, or is no longer in use. */
  weigh(name: string): void {
    const held = this.#held.get(name)
    if (!held) return
    const weight = this.#bounds.weigh?.(held.value) ?? 0
    this.#weight += weight - held.weight
    held.weight = weight
    this.#makeRoom()
  }

  delete(name: string): void {
    this.#weight -= this.#held.get(name)?.weight ?? 0
    this.#held.delete(name)
  }

  *[Symbol.iterator](): Generator<[name: string, value: Value]> {
    for (const [name, { value }] of this.#held) yield [name, value]
  }

  #makeRoom(): void {
    const { most, mostWeight = Number.POSITIVE_INFINITY, stays } = this.#bounds
    for (const [name, { value }] of this.#held) {
      if (this.#held.size <= most && this.#weight <= mostWeight) return
      if (!stays?.(value)) this.delete(name)
    }
  }
}
