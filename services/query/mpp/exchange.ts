/** What MPP says of a sale: its receipt, and its refusals as problem details (RFC 9457). */
import { Failure } from '../../offer/errors.ts'
import type { Presented, Sold } from '../../till/till.ts'
import type { Challenges } from './challenges.ts'
import { mismatchIn, namespace } from './credential.ts'

export const problemType = 'application/problem+json'

/** Throws if a credential does not answer a challenge of ours. A payment of x402 answers none. */
export function checkCredential(presented: Presented, challenges: Challenges | undefined): void {
  const { credential } = presented
  if (!credential) return
  if (!challenges?.isOurs(credential.challenge))
    throw new InvalidChallenge('The challenge is not one of ours, or it was changed')
  if (challenges.hasExpired(credential.challenge)) throw new InvalidChallenge('The challenge has expired')
  const mismatch = mismatchIn(presented)
  if (mismatch !== undefined) throw new Failure('invalid_payment', mismatch)
}

/** A fresh challenge can be paid. */
class InvalidChallenge extends Failure {
  constructor(why: string) {
    super('invalid_payment', why)
  }
}

const titles = {
  'payment-expired': 'Payment Expired',
  'payment-insufficient': 'Payment Insufficient',
  'invalid-challenge': 'Invalid Challenge',
  'verification-failed': 'Verification Failed',
}

const typeOf = (thrown: unknown, code: string): keyof typeof titles =>
  thrown instanceof InvalidChallenge
    ? 'invalid-challenge'
    : code === 'payment_expired'
      ? 'payment-expired'
      : code === 'insufficient_funds'
        ? 'payment-insufficient'
        : 'verification-failed'

/** The body of a 402, with the fields of a problem before its own. */
export function problem(body: string, thrown: unknown, { code, message }: { code: string; message: string }) {
  const type = typeOf(thrown, code)
  const told = {
    type: `https://paymentauth.org/problems/${type}`,
    title: titles[type],
    status: 402,
    detail: message,
  }
  return `${JSON.stringify(told).slice(0, -1)},${body.slice(1)}`
}

/** The header of a sale that a credential has paid. */
export function receiptFor(
  presented: Presented,
  { headers, settledAt }: Sold,
  challenges: Challenges | undefined,
): Record<string, string> {
  const { credential } = presented
  const response = headers['PAYMENT-RESPONSE']
  if (!credential || response === undefined) return {}
  // An owed answer is given whatever stands beside its payment. The receipt names what was signed, and nothing else.
  if (!challenges?.isOurs(credential.challenge) || mismatchIn(presented) !== undefined) return {}
  const { transaction, network } = JSON.parse(Buffer.from(response, 'base64').toString()) as {
    transaction?: string
    network: string
  }
  // A receipt without its transaction would prove nothing.
  if (!transaction) return {}
  const receipt = {
    method: 'evm',
    challengeId: credential.challenge.id,
    reference: transaction,
    status: 'success',
    timestamp: new Date(settledAt).toISOString(),
    chainId: Number(network.slice(namespace.length)),
  }
  return { 'Payment-Receipt': Buffer.from(JSON.stringify(receipt)).toString('base64url') }
}
