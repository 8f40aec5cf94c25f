/** A payment in the headers of a request, in either protocol, before it is read. */
import type { IncomingMessage } from 'node:http'
import { Failure } from '../../offer/errors.ts'
import { unreadOfVersion1 } from '../../till/payment-failures.ts'
import type { Presented, Till } from '../../till/till.ts'
import { credentialIn, readCredential } from './credential.ts'

export interface SentPayment {
  protocol: 'x402' | 'x402 of version 1' | 'mpp'
  text: string
}

/** A client that sends both pays through x402, because a proxy may set Authorization. */
export function sentIn(request: IncomingMessage): SentPayment | undefined {
  const { 'payment-signature': paid, 'x-payment': former, authorization } = request.headers
  if (paid !== undefined) return { protocol: 'x402', text: paid.toString() }
  if (former !== undefined) return { protocol: 'x402 of version 1', text: former.toString() }
  // Node keeps the first of several. A payment may stand in another one.
  const text = authorization === undefined ? undefined : credentialIn(request.headersDistinct.authorization)
  return text === undefined ? undefined : { protocol: 'mpp', text }
}

export function decoded({ protocol, text }: SentPayment, till: Pick<Till, 'decode'>): Presented {
  if (protocol === 'mpp') return readCredential(text)
  try {
    return till.decode(text)
  } catch (error) {
    const isUnread = error instanceof Failure && error.code === 'invalid_payment_header'
    throw isUnread && protocol === 'x402 of version 1' ? unreadOfVersion1() : error
  }
}
