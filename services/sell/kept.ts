/** The answers of one operation that are sold again for a while. */
import canonicalize from 'canonicalize'
import { Bounded } from '../../pipelines/rails/bounded.ts'
import { sha256 } from '../../pipelines/rails/signing/sha256.ts'
import type { SoldValue } from './source.ts'
import type { Question } from './template.ts'

const mostKept = 1_000
/** All operations of a file share it. */
export const mostKeptBytes = 64 << 20

export class KeptAnswers {
  readonly #keepMs: number | undefined
  readonly #now: () => number
  readonly #kept: Bounded<{ json: string; until: number }>

  /** Keeps nothing if `keepMs` is undefined. */
  constructor(keepMs: number | undefined, now: () => number, mostBytes: number) {
    this.#keepMs = keepMs
    this.#now = now
    this.#kept = new Bounded({ most: mostKept, mostWeight: mostBytes, weigh: ({ json }) => 2 * json.length })
  }

  of(question: Question): SoldValue | undefined {
    if (this.#keepMs === undefined) return undefined
    const kept = this.#kept.ask(nameOf(question))
    return kept && this.#now() < kept.until ? { json: kept.json } : undefined
  }

  /** `at` is the time of the fetch. */
  keep(question: Question, json: string, at: number): void {
    if (this.#keepMs !== undefined) this.#kept.set(nameOf(question), { json, until: at + this.#keepMs })
  }
}

/** A question may be long, and its digest is not. */
const nameOf = (question: Question): string => sha256(canonicalize(question) ?? '')
