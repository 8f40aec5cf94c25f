/** Adds the truth about a charge to an error. No error says that nothing was charged if the till knows better. */
import type { IncomingMessage } from 'node:http'
import { errors, Failure, type Word } from '../offer/errors.ts'
import type { Presented, Till } from '../till/till.ts'
import { type ErrorAnswer, failureOf, Told } from './call-failures.ts'
import { decoded, sentIn } from './mpp/sent.ts'

/** Includes forgotten purchases: the chain is asked first. */
export async function wholeTruthOf(
  error: unknown,
  presented: Presented | undefined,
  caller: string,
  { till }: { till: Till },
): Promise<unknown> {
  if (presented === undefined || failureOf(error).charged !== false) return error
  // All callers share the looks of nodes. A caller whose payment was just looked at must not need one that others have used up.
  if (error instanceof Failure && error.hasAskedChain) return error
  return truthOf(error, await till.recalled(presented, caller), till.knows(presented))
}

/** Changes an error to fit this truth about the payment beside it. */
export function truthOf(error: unknown, word: Word, isKnown: boolean): unknown {
  const failure = failureOf(error)
  if (word === false || failure.charged !== false) return error
  return new Told(asked(failure, word, isKnown), error)
}

const forgotten = 'The payment was taken before, and what it has bought is not kept here any more'

/** A 402 asks for a payment, but this payment was taken or may have been. So another code replaces that of the 402. */
function asked(failure: ErrorAnswer, charged: Exclude<Word, false>, isKnown: boolean): ErrorAnswer {
  const { code, status, message, headers } = failure
  if (status !== 402) return { code, status, message, headers, charged }
  const known = charged === null ? 'payment_unknown' : 'payment_already_used'
  const [itsStatus, usual] = errors[known]
  const why = charged === null || isKnown ? usual : (charged.bought ?? forgotten)
  return { code: known, status: itsStatus, message: why, headers, charged }
}

/** Every payment holds a signature of 64 bytes as text, and more. */
const shortestPayment = 128

/** Whether a payment may be in a text that cannot be read: doubled, in quotes, padded. Then nobody knows what became of it. */
export const mayHidePayment = (text: string): boolean => text.length >= shortestPayment

/** Finds the payment in headers that no route has read yet. Null: one may be there, and it cannot be read. */
export function presentedIn(request: IncomingMessage, till: Till): Presented | null | undefined {
  const sent = sentIn(request)
  if (sent === undefined) return undefined
  try {
    return decoded(sent, till)
  } catch {
    return mayHidePayment(sent.text) ? null : undefined
  }
}
