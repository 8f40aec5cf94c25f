/** Says what became of the answer of a settled purchase, in words that stay true when the answer is gone. */
import { instant } from '../../../schemas/values/values.ts'

interface Bought {
  delivered: boolean
  deliveredAt: number
  promised: { answer: string }
}

/** The answer was delivered and can no longer be given again. */
export const isGone = ({ delivered, promised }: Bought): boolean => delivered && promised.answer === ''

/** `isOver`: the memory forgets the purchase now. While the answer can still be had, the result is empty. */
export function boughtBy(purchase: Bought, { isOver = isGone(purchase) } = {}): { bought?: string } {
  if (!isOver) return {}
  return {
    bought: purchase.delivered
      ? `The payment has bought an answer, which was delivered at ${instant(purchase.deliveredAt)} and is kept no longer`
      : 'The payment has bought an answer, which nobody has fetched in time: ask the seller for the money',
  }
}
