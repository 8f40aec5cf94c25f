/** What an error may say of a charge. No error says that nothing was charged where the till knows better. */
import { errors, type Word } from '../offer/errors.ts'
import type { Presented, Till } from '../till/till.ts'
import { type ErrorAnswer, failureOf, Told } from './failures.ts'

/** Also of a purchase that was forgotten: the chain is asked first. */
export async function wholeTruthOf(
  error: unknown,
  presented: Presented | undefined,
  caller: string,
  { till }: { till: Till },
): Promise<unknown> {
  if (presented === undefined) return error
  const failure = failureOf(error)
  const word = failure.charged === false && (await till.recalled(presented, caller))
  return word === false ? error : new Told(asked(failure, word), error)
}

/** A 402 asks for a payment, and this one was taken, or may have been. */
function asked({ code, status, message, headers }: ErrorAnswer, charged: Exclude<Word, false>): ErrorAnswer {
  if (status !== 402) return { code, status, message, headers, charged }
  const known = charged === null ? 'payment_unknown' : 'payment_already_used'
  return { code: known, status: errors[known][0], message, headers, charged }
}

/** The payment in a header that nobody has read yet. */
export function presentedIn(header: string | string[] | undefined, till: Till): Presented | undefined {
  if (header === undefined) return undefined
  try {
    return till.decode(header.toString())
  } catch {
    // A stranger wrote it. What cannot be read was never taken.
    return undefined
  }
}
