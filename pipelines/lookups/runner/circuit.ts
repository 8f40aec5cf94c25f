/**
 * Whether an upstream is left alone for a while. A stranger's question may be what makes it fail, so failures count by caller: one
 * caller shuts it for himself alone. For all it shuts where it cannot be reached. Where several callers fail, a few others may
 * still try in each second, and one answer opens it. Those who were answered before have tries of their own. Newcomers draw lots:
 * whoever comes with many addresses has more of them, and never all.
 */
import { createHash, randomUUID } from 'node:crypto'
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
/** Of callers who have not failed, while it is shut. A try counts for this second, however long it takes. */
const triesInSecond = 3
const secondMs = 1000

/** The newcomers who may draw in a second. */
const mostNewcomers = 10_000

/** Those who have asked in a second, and in the one before it. A lot counts for the whole of its second. */
interface Newcomers {
  since: number
  /** Whether each is drawn. */
  asked: Map<string, boolean>
  before: number
  salt: string
}

/** Of all callers: failures in a row, without an answer to anybody between them. Of one caller: without an answer to him. */
interface Failing {
  failures: number
  failedAt: number
  /** The answers to anybody until then. One more, and nobody rests. */
  answers: number
}

/** A request from the moment when it begins to wait for its turn. */
export interface Attempt {
  /** Asked when its turn has come: others may have failed meanwhile. */
  mayAsk(): boolean
  answered(): void
  failed(error: unknown): void
  over(): void
}

export class Circuit {
  readonly #options: Patience['circuit']
  readonly #now: () => number
  #all = nothing()
  /** An answer to somebody else does not clear them: whoever fails again at once could shut it again at once. */
  readonly #callers = new Bounded<Failing>({ most: mostCallers })
  /** The failures of an upstream that cannot be reached. */
  #away = 0
  #answers = 0
  /** Callers who try while it is shut, one request each. */
  readonly #trying = new Set<string>()
  /** Whose last question was answered. */
  readonly #known = new Bounded<true>({ most: mostCallers })
  /** When the last tries began: of the known, and of newcomers. */
  #tries = noTries()
  #newcomers: Newcomers = { since: 0, asked: new Map(), before: 0, salt: '' }
  readonly #saltOf: () => string

  constructor(options: Patience['circuit'], now: () => number, saltOf: () => string = randomUUID) {
    this.#options = options
    this.#now = now
    this.#saltOf = saltOf
  }

  isShutTo(caller: string): boolean {
    const own = this.#callers.peek(caller)
    const isForAll = this.#isFailing(this.#all)
    const isForHim = own !== undefined && this.#isFailing(own)
    if (!isForAll && !isForHim) return false
    if (this.#trying.has(caller) || (isForHim && this.#rests(own))) return true
    return isForAll && this.#isShutToOthers(caller, own)
  }

  begin(caller: string): Attempt {
    const own = this.#callers.peek(caller)
    const isTry = this.#isFailing(this.#all)
    const goesFirst = isTry || (own !== undefined && this.#isFailing(own))
    if (isTry) {
      const kind = this.#kindOf(caller)
      this.#tries[kind] = [...this.#tries[kind], this.#now()].slice(-triesInSecond)
    }
    if (goesFirst) this.#trying.add(caller)
    let answersBefore = this.#answers
    return {
      mayAsk: () => {
        answersBefore = this.#answers
        return goesFirst || !this.isShutTo(caller)
      },
      answered: () => this.#answered(caller),
      failed: error => {
        // It has answered others meanwhile.
        if (isOfUpstream(error) && this.#answers === answersBefore) this.#failed(caller, error, isTry)
      },
      over: () => {
        if (goesFirst) this.#trying.delete(caller)
      },
    }
  }

  /** Whoever has failed waits, and where it cannot be reached everybody does. */
  #isShutToOthers(caller: string, own: Failing | undefined): boolean {
    const isAway = this.#away >= this.#options.failures
    const failing = isAway ? this.#all : own
    if (failing && this.#rests(failing)) return true
    const kind = this.#kindOf(caller)
    // Whoever comes too late is counted too: his lot may be drawn in the next second.
    const isDrawn = kind === 'known' || this.#isDrawn(caller)
    const begun = this.#tries[kind].filter(at => this.#isWithin(secondMs, at)).length
    return !isDrawn || begun >= (isAway ? 1 : triesInSecond)
  }

  /** Whoever asks twice in a second has one lot, and as many come through as have tries. */
  #isDrawn(caller: string): boolean {
    const now = this.#now()
    const { since, asked } = this.#newcomers
    if (!this.#isWithin(secondMs, since)) {
      const before = this.#isWithin(2 * secondMs, since) ? asked.size : 0
      this.#newcomers = { since: now, asked: new Map(), before, salt: this.#saltOf() }
    }
    const { asked: all, before, salt } = this.#newcomers
    const known = all.get(caller)
    if (known !== undefined || all.size >= mostNewcomers) return known === true
    const lot = createHash('sha256').update(salt).update(caller).digest().readUInt32BE(0) / 2 ** 32
    const isDrawn = lot * before < triesInSecond
    all.set(caller, isDrawn)
    return isDrawn
  }

  #answered(caller: string): void {
    this.#answers += 1
    this.#known.set(caller, true)
    if (this.#callers.size === 0) return
    this.#callers.delete(caller)
    this.#all = nothing()
    this.#away = 0
    this.#tries = noTries()
  }

  #failed(caller: string, error: unknown, isTry: boolean): void {
    const own = this.#callers.peek(caller) ?? nothing()
    this.#callers.set(caller, own)
    this.#known.delete(caller)
    this.#count(own)
    const isAway = error instanceof UpstreamAway
    // A try that has reached it shows that it is there again, however it ends.
    if (isAway) this.#away += 1
    else if (isTry) this.#away = 0
    if (isAway || isTry || own.failures <= this.#options.failures * shareOfOne) this.#count(this.#all)
  }

  #kindOf(caller: string): keyof ReturnType<typeof noTries> {
    return this.#known.peek(caller) ? 'known' : 'newcomer'
  }

  #count(failing: Failing): void {
    failing.failures += 1
    failing.failedAt = this.#now()
    failing.answers = this.#answers
  }

  #isFailing({ failures }: Failing): boolean {
    return failures >= this.#options.failures
  }

  #rests({ failedAt, answers }: Failing): boolean {
    return answers === this.#answers && this.#isWithin(this.#options.openMs, failedAt)
  }

  /** A clock that is turned back ends it as well. */
  #isWithin(ms: number, at: number): boolean {
    return Math.abs(this.#now() - at) < ms
  }
}

const noTries = (): { known: number[]; newcomer: number[] } => ({ known: [], newcomer: [] })
const nothing = (): Failing => ({ failures: 0, failedAt: 0, answers: 0 })
