/** How an answer is made again for its payer: as it was sold, and of the same facts as they are known now. */
import type { Tools } from './operation.ts'

export interface Correction {
  /** When we learned of it, or the day of the filing. */
  at: string
  what: string
}

export interface Version {
  /** An answer that may be the one that was sold. Its payer's receipt tells. */
  sold: unknown
  /** The facts of that answer, and no others, as they are known now; and what corrected them. */
  now(): Promise<{ now: unknown; why: readonly Correction[] }>
}

/** The likeliest first. `issuedMs`: when the receipt was signed, which is after the sale. */
export type Versions = (question: unknown, tools: Tools, issuedMs: number) => AsyncIterable<Version>
