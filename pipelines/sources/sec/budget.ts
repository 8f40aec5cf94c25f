/** The one gate through which every request to the SEC goes, whoever makes it and whichever of its hosts it is for. */
import { setTimeout as sleep } from 'node:timers/promises'
import { instant } from '../../../schemas/values.ts'
import { UpstreamFailed } from '../../failures.ts'
import type { Outside } from '../../outside/outside.ts'

/** After which the SEC forgives an address that asked too much. */
export const forgivenMs = 600_000

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
  readonly #gapMs: number
  readonly #now: () => number
  readonly #sleep: (ms: number) => Promise<unknown>
  readonly #urgent: Waiting[] = []
  readonly #patient: Waiting[] = []
  #nextAt = 0
  #shutUntil = 0
  #serving = false

  constructor(perSecond: number, now: () => number, wait: (ms: number) => Promise<unknown> = sleep) {
    this.#gapMs = 1000 / perSecond
    this.#now = now
    this.#sleep = wait
  }

  /** Resolves when one request may be made; rejects at once while the SEC wants none. */
  async turn(signal: AbortSignal, { urgent }: Turn = {}): Promise<void> {
    signal.throwIfAborted()
    this.#checkOpen()
    const turn = new Promise<void>((go, fail) =>
      (urgent ? this.#urgent : this.#patient).push({ signal, go, fail }),
    )
    if (!this.#serving) void this.#serve()
    await turn
  }

  /** No request at all for so long. */
  shut(ms: number): void {
    this.#shutUntil = Math.max(this.#shutUntil, this.#now() + ms)
  }

  #checkOpen(): void {
    if (this.#now() < this.#shutUntil)
      throw new UpstreamFailed(`the SEC is left alone until ${instant(this.#shutUntil)}`)
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

/** One for everything that shares a share of the rate, and with it a process. */
const budgets = new WeakMap<object, Budget>()

export function budgetOf({ rates, now }: Pick<Outside, 'rates' | 'now'>): Budget {
  let budget = budgets.get(rates)
  if (!budget) {
    budget = new Budget(rates.SEC, now)
    budgets.set(rates, budget)
  }
  return budget
}
