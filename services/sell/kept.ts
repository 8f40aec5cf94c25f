/** The answers of one operation that are sold again for a while. */
import canonicalize from 'canonicalize'
import { Bounded } from '../../pipelines/rails/bounded.ts'
import type { Question } from './template.ts'

const mostKept = 1_000
const mostKeptBytes = 8 << 20

export class KeptAnswers {
  readonly #keepMs: number | undefined
  readonly #now: () => number
  readonly #kept = new Bounded<{ json: string; until: number }>({
    most: mostKept,
    mostWeight: mostKeptBytes,
    weigh: ({ json }) => 2 * json.length,
  })

  /** Keeps nothing if `keepMs` is undefined. */
  constructor(keepMs: number | undefined, now: () => number) {
    this.#keepMs = keepMs
    this.#now = now
  }

  of(question: Question): string | undefined {
    if (this.#keepMs === undefined) return undefined
    const kept = this.#kept.ask(nameOf(question))
    return kept && this.#now() < kept.until ? kept.json : undefined
  }

  /** `at` is the time of the fetch. */
  keep(question: Question, json: string, at: number): void {
    if (this.#keepMs !== undefined) this.#kept.set(nameOf(question), { json, until: at + this.#keepMs })
  }
}

const nameOf = (question: Question): string => canonicalize(question) ?? ''
