/** What a deployment needs for subscriptions. */
import type { Rhythm } from './rounds.ts'
import type { Seal } from './seal.ts'

export interface Watch {
  seal: Seal
  /** The address of the origin. */
  origin: string
  /** How often endpoints are checked. Only tests and the sandbox cannot wait. */
  rhythm?: Rhythm | undefined
}
