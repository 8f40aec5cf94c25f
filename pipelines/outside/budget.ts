/** The one gate through which every request of a rate goes, whoever makes it and whichever of its upstreams it is for. */
import { setTimeout as sleep } from 'node:timers/promises'
import { instant } from '../../schemas/values.ts'
import { UpstreamFailed, UpstreamRefused } from '../failures.ts'
import type { Rate } from './upstream.ts'

export interface Turn {
  /** A caller waits for it: it goes before what is only kept up to date. */
  urgent?: boolean | undefined
}

interface Waiting {
  signal: AbortSignal
  go(): void
  fail(error: unknown): void
}

export class Budget {
  readonly #rate: Rate
  readonly #gapMs: number
  readonly #now: () => number
  readonly #sleep: (ms: number) => Promise<unknown>
  readonly #urgent: Waiting[] = []
  readonly #patient: Waiting[] = []
  #nextAt = 0
  #shutUntil = 0
  #serving = false

  constructor(
    rate: Rate,
    perSecond: number,
    now: () => number,
    wait: (ms: number) => Promise<unknown> = sleep,
  ) {
    this.#rate = rate
    this.#gapMs = 1000 / perSecond
    this.#now = now
    this.#sleep = wait
  }

  /** Makes one request in its turn, and none for a while once one was too much. */
  async spend<T>(request: () => Promise<T>, signal: AbortSignal, turn?: Turn): Promise<T> {
    await this.turn(signal, turn)
    try {
      return await request()
    } catch (error) {
      if (error instanceof UpstreamRefused) this.#heed(error)
      throw error
    }
  }

  /** Resolves when one request may be made; rejects at once while none is wanted. */
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
    this.#shutUntil = Math.max(this.#shutUntil, this.#now() + (asked ?? forgivenAfterMs))
  }

  #checkOpen(): void {
    if (this.#now() < this.#shutUntil)
      throw new UpstreamFailed(`${this.#rate.of} is left alone until ${instant(this.#shutUntil)}`)
  }

  /** Requests are spread evenly, so that no second, wherever it begins, sees more of them than a second may. */
  async #serve(): Promise<void> {
    this.#serving = true
    for (;;) {
      const waitMs = this.#nextAt - this.#now()
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
      this.#nextAt = Math.max(this.#now(), this.#nextAt) + this.#gapMs
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
