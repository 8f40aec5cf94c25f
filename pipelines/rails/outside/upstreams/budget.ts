/**
 * The request budget of a rate. Upstreams with the same rate share one budget, and every request to them waits for
 * its turn.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { instant } from '../../../../schemas/values/values.ts'
import { UpstreamFailed, UpstreamRefused } from '../../failures.ts'
import { steady } from './steady.ts'
import type { UpstreamRate } from './upstream.ts'

interface Turn {
  /** A caller waits for this request, so it goes before requests that only keep data up to date. */
  urgent?: boolean | undefined
}

interface Waiting {
  signal: AbortSignal
  go(): void
  fail(error: unknown): void
}

export class Budget {
  readonly #rate: UpstreamRate
  readonly #gapMs: number
  /** The time from a clock that never runs backwards. */
  readonly #now: () => number
  readonly #steady: () => number
  readonly #sleep: (ms: number) => Promise<unknown>
  readonly #urgent: Waiting[] = []
  readonly #patient: Waiting[] = []
  #nextAt = 0
  #shutUntil = 0
  #serving = false

  constructor(
    rate: UpstreamRate,
    perSecond: number,
    now: () => number,
    wait: (ms: number) => Promise<unknown> = sleep,
  ) {
    this.#rate = rate
    this.#gapMs = 1000 / perSecond
    this.#now = now
    this.#steady = steady(now)
    this.#sleep = wait
  }

  /** Makes a request in its turn. After the upstream has said "too much", it makes none for a while. */
  async spend<T>(request: () => Promise<T>, signal: AbortSignal, turn?: Turn): Promise<T> {
    await this.turn(signal, turn)
    try {
      return await request()
    } catch (error) {
      if (error instanceof UpstreamRefused) this.#heed(error)
      throw error
    }
  }

  /** Resolves when one request may be made. Rejects at once during the pause after "too much". */
  async turn(signal: AbortSignal, { urgent }: Turn = {}): Promise<void> {
    signal.throwIfAborted()
    this.#checkOpen()
    const turn = new Promise<void>((go, fail) =>
      (urgent ? this.#urgent : this.#patient).push({ signal, go, fail }),
    )
    if (!this.#serving) void this.#serve()
    await turn
  }

  #heed({ status, body, retryAfter }: UpstreamRefused): void {
    const { isTooMuch, forgivenAfterMs } = this.#rate
    if (status !== 429 && !isTooMuch(status, body)) return
    const asked = status === 429 ? waitOf(retryAfter, this.#now()) : undefined
    this.#shutUntil = Math.max(this.#shutUntil, this.#steady() + (asked ?? forgivenAfterMs))
  }

  #checkOpen(): void {
    const shutMs = this.#shutUntil - this.#steady()
    if (shutMs > 0)
      throw new UpstreamFailed(`${this.#rate.of} is left alone until ${instant(this.#now() + shutMs)}`)
  }

  /** Spreads requests evenly, so that any period of one second holds no more of them than the rate allows. */
  async #serve(): Promise<void> {
    this.#serving = true
    for (;;) {
      const waitMs = this.#nextAt - this.#steady()
      if (waitMs > 0) await this.#sleep(Math.ceil(waitMs))
      const next = this.#urgent.shift() ?? this.#patient.shift()
      if (!next) break
      if (next.signal.aborted) {
        next.fail(next.signal.reason)
        continue
      }
      try {
        this.#checkOpen()
      } catch (error) {
        next.fail(error)
        continue
      }
      this.#nextAt = Math.max(this.#steady(), this.#nextAt) + this.#gapMs
      next.go()
    }
    this.#serving = false
  }
}

function waitOf(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return Number.isNaN(ms) || ms < 0 ? undefined : ms
}
