/** How the parts of the till fail. */
import { type ErrorCode, Failure } from '../offer/errors.ts'

/** The presented payment cannot pay here: 402, with a fresh quote. */
export const unfit = (why: string): Failure => new Failure('invalid_payment', why)

const readsVersion2 =
  'version 2 is read here, in the header PAYMENT-SIGNATURE: pay with farebox-client, @x402/fetch 2, the Python package x402 2, or another client of version 2'

/** A client that speaks version 1 alone learns what to change. */
export const ofVersion1 = (): Failure => unfit(`This is a payment of x402 version 1, and ${readsVersion2}`)

/** The same, where its header cannot even be decoded. */
export const unreadOfVersion1 = (): Failure =>
  new Failure(
    'invalid_payment_header',
    `X-PAYMENT is not base64 of a JSON object. It is the header of x402 version 1, and ${readsVersion2}`,
  )

/** The only failure that leaves open whether the payer was charged. */
export const unknownOutcome = (why?: string): Failure =>
  new Failure('payment_unknown', why, { 'Retry-After': '5' })

/** The bought answer cannot be read now, and "not charged" would be a lie. The same payment gets the answer later. */
export const answerUnread = (): Failure => unknownOutcome('What the payment bought cannot be read now')

/** The log failed before any settlement, so the call is free and may come again. */
export const logUnavailable = (): Failure => new Failure('log_unavailable', undefined, { 'Retry-After': '5' })

export const facilitatorUnavailable = (why?: string): Failure =>
  new Failure('facilitator_unavailable', why, { 'Retry-After': '5' })

/** Anybody may hold a key, so a key alone gets no secret. Nor does the caller with this key pay a second time. */
export const secretIsKept = (): Failure =>
  new Failure(
    'idempotency_conflict',
    'The key has bought an answer that holds a secret: present the payment that bought it',
  )

/** Another call holds the payment or the key. It may be free in a moment. */
export const inUse = (code: ErrorCode): Failure => new Failure(code, undefined, { 'Retry-After': '1' })

/** The till settles no payment before its promise and its answer are kept. */
export async function written<T>(write: () => Promise<T>, onError: (error: unknown) => void): Promise<T> {
  try {
    return await write()
  } catch (error) {
    // A rail broke before any settlement, so the call is free and may come again.
    onError(error)
    throw logUnavailable()
  }
}

/** The memory for sales under way is spent, or somebody's share of it. It may be free in a moment. */
export const busy = (seconds: string): Failure => new Failure('busy', undefined, { 'Retry-After': seconds })
