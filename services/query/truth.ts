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
  if (presented === undefined || failureOf(error).charged !== false) return error
  return truthOf(error, await till.recalled(presented, caller), till.knows(presented))
}

/** What the error must say where this is true of the payment beside it. */
export function truthOf(error: unknown, word: Word, isKnown: boolean): unknown {
  const failure = failureOf(error)
  if (word === false || failure.charged !== false) return error
  return new Told(asked(failure, word, isKnown), error)
}

const forgotten = 'The payment was taken before, and what it has bought is not kept here any more'

/** A 402 asks for a payment, and this one was taken, or may have been. So what the 402 says of it is beside the point. */
function asked(failure: ErrorAnswer, charged: Exclude<Word, false>, isKnown: boolean): ErrorAnswer {
  const { code, status, message, headers } = failure
  if (status !== 402) return { code, status, message, headers, charged }
  const known = charged === null ? 'payment_unknown' : 'payment_already_used'
  const [itsStatus, usual] = errors[known]
  const why = charged === null || isKnown ? usual : (charged.bought ?? forgotten)
  return { code: known, status: itsStatus, message: why, headers, charged }
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
