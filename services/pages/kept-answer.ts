/** An answer of the store for pages: asked once at a time, kept for a minute, and the last one while the store is away. */
import { inTime } from '../roles/patience.ts'

const keptMs = 60_000

export interface KeptAnswer<T> {
  /** Waits for the store, but not long. */
  fresh(): Promise<{ value: T | undefined; isOld: boolean }>
  /** What is known now. What is old is asked anew meanwhile. */
  known(): T | undefined
}

export function keptAnswer<T>(ask: () => Promise<T> | undefined, now: () => number): KeptAnswer<T> {
  let kept: { value: T; at: number } | undefined
  let asking: Promise<void> | undefined
  const isFresh = () => kept !== undefined && now() < kept.at + keptMs
  /** Its answer is kept even if nobody waits for it any more. */
  const renew = (): Promise<void> => {
    asking ??= Promise.resolve(ask())
      .then(value => {
        if (value !== undefined) kept = { value, at: now() }
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  return {
    fresh: async () => {
      if (!isFresh()) await inTime(renew()).catch(() => {})
      return { value: kept?.value, isOld: !isFresh() }
    },
    known: () => {
      if (!isFresh()) renew().catch(() => {})
      return kept?.value
    },
  }
}
