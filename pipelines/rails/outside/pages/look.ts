/** What is to know of a page before it is an answer. */

import type { Fresh } from '../browser/render.ts'
import { challengeIn } from './challenge.ts'
import { refreshOf } from './refresh.ts'
import { isThin } from './thin.ts'

/** The document is too large or too intricate to be read within our bounds. */
export interface Unreadable {
  unreadable: string
}

export const isUnreadable = (found: unknown): found is Unreadable =>
  typeof found === 'object' && found !== null && 'unreadable' in found

export interface Looked {
  /** Who challenges in place of the page. */
  challenge: string | undefined
  /** Whether it says little without its scripts. */
  isThin: boolean
  /** Where it sends its reader in place of a text. */
  refresh: string | undefined
}

export const lookAt = (text: string, isMarkup: boolean): Looked => ({
  challenge: challengeIn(text),
  isThin: isMarkup && isThin(text),
  refresh: isMarkup ? refreshOf(text) : undefined,
})

/** Looks at a page where it may take long without harm. */
export interface Looking {
  look(page: Fresh): Promise<Looked | Unreadable>
}
