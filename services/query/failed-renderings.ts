/** Limits failed renderings. Each payer and each caller may cause a few, because a browser works on them for nothing. */
import { Bounded } from '../../pipelines/rails/bounded.ts'
import { steady } from '../../pipelines/rails/outside/upstreams/steady.ts'
import { Failure } from '../offer/errors.ts'

const windowMs = 10 * 60_000
const most = 20
const mostNames = 50_000

/** The limit on failed renderings for one call. */
export interface Renderings {
  /** Throws a free 429 after too many. */
  admit(): void
  count(): void
}

export class FailedRenderings {
  readonly #failed = new Bounded<number[]>({ most: mostNames })
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = steady(now)
  }

  /** Checks and counts for every name behind the call. */
  of(...names: readonly string[]): Renderings {
    return {
      admit: () => {
        for (const name of names) this.#admit(name)
      },
      count: () => {
        for (const name of names) this.#count(name)
      },
    }
  }

  #admit(name: string): void {
    const recent = this.#recent(name)
    if (recent.length < most) return
    const waitMs = (recent[0] as number) + windowMs - this.#now()
    throw new Failure(
      'too_many_requests',
      `More than ${most} pages in ten minutes were rendered for calls of yours that were refused`,
      { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
    )
  }

  #count(name: string): void {
    this.#failed.set(name, [...this.#recent(name), this.#now()].slice(-most))
  }

  #recent(name: string): number[] {
    const after = this.#now() - windowMs
    return (this.#failed.peek(name) ?? []).filter(at => at > after)
  }
}
