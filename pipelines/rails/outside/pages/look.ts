/** What we must know about a page before it becomes an answer. */

import type { Fresh } from '../browser/render.ts'
import { challengeIn } from './challenge.ts'
import { refreshOf } from './refresh.ts'
import { isThin } from './thin.ts'

/** The document is too large or too complex for our bounds. */
export interface Unreadable {
  unreadable: string
}

export const isUnreadable = (found: unknown): found is Unreadable =>
  typeof found === 'object' && found !== null && 'unreadable' in found

export interface Looked {
  /** The sender of a challenge that came in place of the page. */
  challenge: string | undefined
  /** Whether the page has little text without its scripts. */
  isThin: boolean
  /** The address that a page without a text forwards its reader to. */
  refresh: string | undefined
}

export const lookAt = (text: string, isMarkup: boolean): Looked => ({
  challenge: challengeIn(text),
  isThin: isMarkup && isThin(text),
  refresh: isMarkup ? refreshOf(text) : undefined,
})

/** Looks at a page where a slow look harms nobody. */
export interface Looking {
  look(page: Fresh): Promise<Looked | Unreadable>
}
