/** The truth about payments in a body whose messages are not answered. */

import type { Word } from '../../offer/errors.ts'
import { isObject } from '../../till/header.ts'
import type { Presented, Till } from '../../till/till.ts'
import { mayHidePayment } from '../truth.ts'
import { paymentIn, paymentKey } from './payment.ts'
import { straysIn } from './strays.ts'

/** The most payments to look up. For a body with more, nobody can tell. */
const mostPayments = 8

/**
 * One word for all payments of a body. It is null if they differ, because one word would be false for some. It is undefined if the
 * body was not read.
 */
export async function wordOf(body: unknown, caller: string, till: Till): Promise<Word | undefined> {
  if (body === undefined) return undefined
  const payments = [body]
    .flat()
    .flatMap(message => [
      ...paymentsIn(message, till),
      ...straysIn(message).flatMap(stray => readIn(stray, '', till)),
    ])
  if (payments.length > mostPayments || payments.includes(null)) return null
  const taken = new Map<string | undefined, Word>()
  for (const payment of payments) {
    const word = payment && (await till.recalled(payment, caller))
    if (word !== false) taken.set(word?.tx, word)
  }
  const [first = false] = taken.values()
  return taken.size > 1 ? null : first
}

export const presentedIn = (message: unknown, till: Till): Presented[] =>
  paymentsIn(message, till).filter(payment => payment !== null)

/** Null: a payment may be there, and it cannot be read. */
function paymentsIn(message: unknown, till: Till): (Presented | null)[] {
  const params = isObject(message) ? message.params : undefined
  if (!isObject(params)) return isOdd(params) ? [null] : []
  const { arguments: asked, _meta: beside } = params
  const given = isObject(asked) ? asked.payment : undefined
  const meta = isObject(beside) ? beside[paymentKey] : undefined
  // If the two differ, each of them may have been taken.
  const tool = typeof params.name === 'string' ? params.name : ''
  const found = [given, meta].flatMap(payment => readIn(payment, tool, till))
  return [asked, beside].some(part => !isObject(part) && isOdd(part)) ? [...found, null] : found
}

function readIn(payment: unknown, tool: string, till: Till): (Presented | null)[] {
  try {
    const read = paymentIn(payment, undefined, tool, till)
    return read ? [read] : []
  } catch {
    return isOdd(payment) ? [null] : []
  }
}

const isOdd = (part: unknown): boolean => part !== undefined && mayHidePayment(JSON.stringify(part))
