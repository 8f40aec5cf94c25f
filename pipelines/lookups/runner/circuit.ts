/**
 * Whether an upstream is left alone for a while. A stranger's question may be what makes it fail, so failures count by caller: one
 * caller shuts it for himself alone. For all it shuts where it cannot be reached, and where several callers fail.
 */
import { Bounded } from '../../rails/bounded.ts'
import { AnsweredElse, UpstreamAway, UpstreamRefused } from '../../rails/failures.ts'
import type { Patience } from '../../rails/outside/upstreams/upstream.ts'

/** An upstream that is overloaded may refuse with one of these, whatever the question. */
const ofUpstream: ReadonlySet<number> = new Set([408, 425, 429])

/** A question may be one that an upstream refuses. That says nothing of the questions of others, so it shuts nothing. */
const isOfUpstream = (error: unknown): boolean =>
  error instanceof UpstreamRefused
    ? error.status >= 500 || ofUpstream.has(error.status)
    : !(error instanceof AnsweredElse)

/** What one caller brings to a circuit that shuts for all. It takes three of them. */
const shareOfOne = 0.4
const mostCallers = 1000

/** Failures in a row, without an answer to anybody between them. */
interface Failing {
  failures: number
  shutUntil: number
  /** One request goes first. */
  isTried: boolean
}

interface Attempt {
  answered(): void
  failed(error: unknown): void
  over(): void
}

export class Circuit {
  readonly #options: Patience['circuit']
  readonly #now: () => number
  #all = nothing()
  #callers = new Bounded<Failing>({ most: mostCallers })
  /** The failures of an upstream that cannot be reached. */
  #away = 0
  #answers = 0

  constructor(options: Patience['circuit'], now: () => number) {
    this.#options = options
    this.#now = now
  }

  /** Where only questions fail, a caller who has not failed may try at once. */
  isShutTo(caller: string): boolean {
    const own = this.#callers.peek(caller)
    if (own && this.#isShut(own)) return true
    if (!this.#isShut(this.#all)) return false
    return own !== undefined || this.#all.isTried || this.#away >= this.#options.failures
  }

  begin(caller: string): Attempt {
    const answersBefore = this.#answers
    const own = this.#callers.peek(caller)
    const trying = [own, this.#all].filter(failing => failing && this.#isFailing(failing)) as Failing[]
    for (const failing of trying) failing.isTried = true
    return {
      answered: () => this.#answered(),
      failed: error => {
        // It has answered others meanwhile.
        if (isOfUpstream(error) && this.#answers === answersBefore)
          this.#failed(caller, error, trying.includes(this.#all))
      },
      over: () => {
        for (const failing of trying) failing.isTried = false
      },
    }
  }

  #answered(): void {
    this.#answers += 1
    if (this.#callers.size === 0) return
    this.#all = nothing()
    this.#callers = new Bounded<Failing>({ most: mostCallers })
    this.#away = 0
  }

  #failed(caller: string, error: unknown, wasTried: boolean): void {
    const own = this.#callers.peek(caller) ?? nothing()
    this.#callers.set(caller, own)
    this.#count(own)
    const isAway = error instanceof UpstreamAway
    if (isAway) this.#away += 1
    if (isAway || wasTried || own.failures <= this.#options.failures * shareOfOne) this.#count(this.#all)
  }

  #count(failing: Failing): void {
    failing.failures += 1
    if (this.#isFailing(failing)) failing.shutUntil = this.#now() + this.#options.openMs
  }

  #isFailing({ failures }: Failing): boolean {
    return failures >= this.#options.failures
  }

  #isShut(failing: Failing): boolean {
    return this.#isFailing(failing) && (failing.isTried || this.#now() < failing.shutUntil)
  }
}

const nothing = (): Failing => ({ failures: 0, shutUntil: 0, isTried: false })
