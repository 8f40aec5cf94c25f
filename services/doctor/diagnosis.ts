/** What the doctor says of one thing, and what he needs to look at it. */
import type { Config } from '../config/config.ts'

/** watch: nothing is broken yet. unseen: it was not looked at, and the words say why. */
export type State = 'well' | 'watch' | 'wrong' | 'unseen'

export interface Diagnosis {
  part: string
  state: State
  words: string
}

/** The deployment, as one process sees it. */
export interface Patient {
  config: Config
  /** The variables that are set. */
  set: Readonly<Record<string, string | undefined>>
  now: () => number
  /** By how many milliseconds this clock is ahead of that of each host that told its own. */
  ahead: Map<string, number>
  /** How long he waits for an answer. */
  patienceMs: number
  /** Where its Prometheus answers. */
  prometheus?: string | undefined
}

export type Look = (patient: Patient) => Promise<Diagnosis[]>

export const says = (part: string) => (state: State, words: string) => ({ part, state, words })

/** What fetch says itself is of no use; its cause is. */
export const reasonOf = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } }
  if (message && message !== 'fetch failed') return message
  return cause?.code ?? cause?.message ?? message ?? String(error)
}
