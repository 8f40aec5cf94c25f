/** What became of what a settled payment has bought, in words that are true when nothing is kept any more. */
import { instant } from '../../../schemas/values/values.ts'

interface Bought {
  delivered: boolean
  deliveredAt: number
  promised: { answer: string }
}

/** Delivered, and there is no answer left to give again. */
export const isGone = ({ delivered, promised }: Bought): boolean => delivered && promised.answer === ''

/** `isOver`: the memory forgets it now. Nothing is said of an answer that can still be had. */
export function boughtBy(purchase: Bought, { isOver = isGone(purchase) } = {}): { bought?: string } {
  if (!isOver) return {}
  return {
    bought: purchase.delivered
      ? `The payment has bought an answer, which was delivered at ${instant(purchase.deliveredAt)} and is kept no longer`
      : 'The payment has bought an answer, which nobody has fetched in time: ask the seller for the money',
  }
}
