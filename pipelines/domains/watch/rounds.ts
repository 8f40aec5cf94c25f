/**
 * Tells which endpoints are due. Each has its own second of the round, so that the load is even and a restart keeps
 * the rhythm. A missed slot is checked once, later.
 */
import type { Part } from '../../rails/process.ts'

export interface Rhythm {
  everyMs: number
  /** After this time a failed check is repeated. */
  againMs: number
}

export const usualRhythm: Rhythm = { everyMs: 15 * 60_000, againMs: 30_000 }
/** Only tests and the sandbox use another rhythm. */
export const watchRhythm: Part<Rhythm> = { name: 'rhythm of checks', open: () => usualRhythm }

const secondMs = 1000

export class Rounds {
  readonly #everyMs: number
  readonly #seconds: Set<string>[]
  readonly #outOfTurn = new Map<string, { at: number; isAgain: boolean }>()
  #doneAt: number

  constructor({ everyMs }: Rhythm, now: number) {
    this.#everyMs = everyMs
    this.#seconds = Array.from({ length: Math.max(1, Math.round(everyMs / secondMs)) }, () => new Set())
    this.#doneAt = now
  }

  /** `checkedAt` is the time of its last check, in ms. Absent if there was none. */
  add(endpoint: string, checkedAt = Number.NEGATIVE_INFINITY): void {
    this.#secondOf(endpoint).add(endpoint)
    // Its slot passed while no process checked.
    if (checkedAt < nextSlot(endpoint, this.#doneAt, this.#everyMs) - this.#everyMs)
      this.#outOfTurn.set(endpoint, { at: this.#doneAt, isAgain: false })
  }

  drop(endpoint: string): void {
    this.#secondOf(endpoint).delete(endpoint)
    this.#outOfTurn.delete(endpoint)
  }

  /** Adds one more check, outside of the rhythm. */
  again(endpoint: string, at: number): void {
    if (this.#secondOf(endpoint).has(endpoint)) this.#outOfTurn.set(endpoint, { at, isAgain: true })
  }

  /** The endpoints whose slot has passed since the last call, each once. */
  due(now: number): { endpoint: string; isAgain: boolean }[] {
    const due = new Map<string, boolean>()
    for (const [endpoint, { at, isAgain }] of this.#outOfTurn)
      if (at <= now) {
        due.set(endpoint, isAgain)
        this.#outOfTurn.delete(endpoint)
      }
    const seconds = this.#seconds.length
    const from = Math.max(Math.floor(this.#doneAt / secondMs) + 1, Math.floor(now / secondMs) - seconds + 1)
    for (let second = from; second <= Math.floor(now / secondMs); second++)
      for (const endpoint of this.#seconds[second % seconds] ?? [])
        if (!due.has(endpoint)) due.set(endpoint, false)
    this.#doneAt = Math.max(now, this.#doneAt)
    return [...due].map(([endpoint, isAgain]) => ({ endpoint, isAgain }))
  }

  #secondOf(endpoint: string): Set<string> {
    return this.#seconds[secondOf(endpoint, this.#seconds.length)] as Set<string>
  }
}

/** `endpoint` is a hash, so its first digits spread evenly. */
const secondOf = (endpoint: string, seconds: number): number =>
  Number.parseInt(endpoint.slice(0, 12), 16) % seconds

export function nextSlot(endpoint: string, now: number, everyMs = usualRhythm.everyMs): number {
  const offset = secondOf(endpoint, Math.max(1, Math.round(everyMs / secondMs))) * secondMs
  const passed = (((now - offset) % everyMs) + everyMs) % everyMs
  return now - passed + everyMs
}
