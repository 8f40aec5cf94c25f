/** The place where a start begins to read the promises, and what it must call forgotten there: a record of `till.open`. */
import type { Entry, Log } from '../../../pipelines/rails/log/log.ts'
import { type TillOpen, tillOpen } from '../../../schemas/till-open.ts'
import { instant } from '../../../schemas/values/values.ts'
import { keptMs } from './purchase.ts'
import type { Purchases } from './purchases.ts'

/** By then nearly every promise has its outcome. */
export const afterMs = 60_000
/** A start reads at most this much of the log, and one mark more, because answers and keys live for ten minutes. */
const checkpointMs = keptMs + afterMs
const markEveryMs = 30_000
const place = 'checkpoint'

interface Mark {
  at: number
  /** The offset after all earlier records. */
  next: bigint
  /** By the clock that nobody can set. */
  markedAt: number
  /** By then, all payments of earlier promises were dead. */
  deadAt: number
}

export interface StartingPlaceParts {
  log: Log
  logNow: () => number
  /** A clock that nobody can set. */
  uptime: () => number
  purchases: Purchases
}

export class StartingPlace {
  readonly #parts: StartingPlaceParts
  #marks: Mark[] = []
  #from: bigint | undefined
  /** What a start must call forgotten, by the word of any instance, and what the newest record says of it. */
  #forgotten = 0
  #said = 0

  constructor(parts: StartingPlaceParts) {
    this.#parts = parts
  }

  get from(): bigint | undefined {
    return this.#from
  }

  get forgotten(): number {
    return this.#forgotten
  }

  hear(key: string, { position, forgotten }: TillOpen): void {
    if (key !== place) return
    if (position !== null) this.#from = BigInt(position)
    this.#hearForgotten(Date.parse(forgotten ?? '') || 0)
  }

  /** Notes that the log's end was at `next` at this time. */
  mark(at: number, next: bigint): void {
    const { uptime, purchases } = this.#parts
    const last = this.#marks.at(-1)
    if (last && at - last.at < markEveryMs) return
    this.#marks.push({ at, next, markedAt: uptime(), deadAt: purchases.latestDeadAt })
  }

  /** A start knows no bits of what has left the memory. So it hears of that before the purchase is carried no longer. */
  async sayForgotten(): Promise<void> {
    const forgotten = Math.max(this.#parts.purchases.leftTo, this.#forgotten)
    if (forgotten > this.#said) await this.#write(this.#from, forgotten)
  }

  /** Moves it. All that matters still of what is before it is carried. */
  async move(): Promise<void> {
    const { logNow, uptime, purchases } = this.#parts
    const [before, upBefore] = [logNow() - checkpointMs, uptime() - checkpointMs]
    // A clock that jumps ahead must not make a minute look like an hour.
    const old = this.#marks.filter(({ at, markedAt }) => at < before && markedAt < upBefore)
    const newest = old.at(-1)
    if (!newest) return
    this.#marks = this.#marks.slice(old.length)
    if (newest.next <= (this.#from ?? 1n)) return
    await this.#write(newest.next, Math.max(newest.deadAt, purchases.leftTo, this.#forgotten))
  }

  async #write(from: bigint | undefined, forgotten: number): Promise<void> {
    const position = from === undefined ? null : String(from)
    const said = forgotten > 0 ? instant(forgotten) : null
    await this.#parts.log.append(tillOpen.topic, [
      carriedEntry({ place, position, forgotten: said, purchase: null }),
    ])
    this.#from = from
    this.#hearForgotten(forgotten)
  }

  #hearForgotten(forgotten: number): void {
    this.#said = forgotten
    this.#forgotten = Math.max(this.#forgotten, forgotten)
  }
}

export const carriedEntry = (event: TillOpen): Entry => ({ key: event.place, value: JSON.stringify(event) })
