/** One day of a wallet of ours: what is asked about it, and what was found. */
import type { BookDay } from '../../../schemas/book-days.ts'
import type { BookDifference } from '../../../schemas/book-differences.ts'
import type { Coverage } from './coverage.ts'
import type { OwnWallet } from './facts.ts'

/** What differs, without its network and its place in the log. */
export type Differing = Omit<BookDifference, 'network' | 'state' | 'at'>
type DaySums = Omit<BookDay, 'network' | 'pay_to' | 'since' | 'begun_at' | 'at' | 'state' | 'through'>

export interface DayFound {
  sums: DaySums
  differences: readonly Differing[]
  /** Transfers that nobody can judge: their sales may stand before the books, or on a chain that is gone. They are in no sum. */
  leftOut: { count: number; usdc: string }
}

export interface DayWanted extends OwnWallet {
  /** YYYY-MM-DD, in UTC. */
  day: string
  /** Nothing before this time is in the books. */
  sinceMs: number
  /** Final blocks were read up to here. */
  throughMs: number
  /** What nobody can read any more. */
  lost: Coverage['lost']
  nowMs: number
  /** What is younger may find its other side yet. */
  graceMs: number
  /** Since when the accounts that pay refunds are read. */
  readSinceMs: number
}
