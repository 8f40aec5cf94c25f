/** What is to know of a page before it is an answer. */
import { challengeIn } from '../web/challenge.ts'
import { isThin } from './thin.ts'

export interface Looked {
  /** Who challenges in place of the page. */
  challenge: string | undefined
  /** Whether it says little without its scripts. */
  isThin: boolean
}

export const lookAt = (text: string, isMarkup: boolean): Looked => ({
  challenge: challengeIn(text),
  isThin: isMarkup && isThin(text),
})
