import { withoutEnd } from '../../schemas/values/text-end.ts'

/** The codes of any call, and those of payments. An endpoint adds its own refusals. */
const everywhere = {
  invalid_request: [400, 'The request does not fit its schema'],
  not_found: [404, 'There is nothing at this address'],
  method_not_allowed: [405, 'The path does not accept this method'],
  body_too_large: [413, 'The body is larger than any question needs'],
  unsupported_media_type: [415, 'The body is not JSON'],
  too_many_requests: [429, 'Too many requests from this caller'],
  headers_too_large: [431, 'The headers are larger than any payment needs'],
  internal_error: [500, 'The service failed; this is our fault'],
  upstream_failed: [502, 'An upstream source failed or timed out'],
  stale_data: [502, 'Our data is older than we promise'],
  not_ready: [503, 'The data is not loaded yet'],
  not_configured: [503, 'This deployment does not have what the call needs'],
  shutting_down: [503, 'This instance is stopping'],
} as const satisfies Record<string, readonly [status: number, about: string]>

const ofPayments = {
  invalid_payment_header: [400, 'PAYMENT-SIGNATURE is not base64 of a JSON object'],
  invalid_idempotency_key: [400, 'Idempotency-Key is not 8 to 128 visible ASCII characters'],
  payment_required: [402, 'The call is not paid yet; the quote is in PAYMENT-REQUIRED'],
  invalid_payment: [402, 'The payment does not fit the quote; a fresh one is in PAYMENT-REQUIRED'],
  payment_rejected: [402, 'The facilitator refused the payment'],
  insufficient_funds: [402, 'The payer does not hold the amount'],
  payment_expired: [402, 'The authorization is not valid now, or not for long enough'],
  payment_in_flight: [409, 'Another request with the same payment is still being answered'],
  payment_already_used: [
    409,
    'The payment has bought an answer, which is given again only to who can show that it is his',
  ],
  idempotency_conflict: [409, 'The Idempotency-Key is in use'],
  facilitator_unavailable: [503, 'The payment facilitator does not answer'],
  log_unavailable: [503, 'The log cannot record the payment now'],
  busy: [503, 'Too many payments are being settled at once'],
  payment_unknown: [503, 'Neither the facilitator nor the chain can tell whether the payment was taken'],
} as const satisfies Record<string, readonly [status: number, about: string]>

export const errors = { ...everywhere, ...ofPayments }

/** Does this code occur only at paid operations? */
export const isOfPayments = (code: string): boolean => Object.hasOwn(ofPayments, code)

export type ErrorCode = keyof typeof errors

/**
 * An error's word about a charge: nothing was charged, nobody can tell, or the transaction that took the payment before. The error
 * itself never costs anything.
 */
export type Word = false | null | Charged

export interface Charged {
  tx: string
  /** What the payment bought, as a sentence, if that is known and can no longer be had. */
  bought?: string
}

const isUnknown: ReadonlySet<string> = new Set(['payment_unknown', 'payment_in_flight'] satisfies ErrorCode[])

/** Ends a call without an answer. Nothing is charged; the two codes above leave it open. */
export class Failure extends Error {
  override name = 'Failure'
  readonly code: string
  readonly status: number
  readonly headers: Record<string, string>
  /** This call has asked the chain of its payment, so its word about a charge needs no further look. */
  hasAskedChain = false
  /** The number of requests to upstreams before it, where the question is to blame. */
  asks = 0

  constructor(code: ErrorCode, message: string = errors[code][1], headers: Record<string, string> = {}) {
    super(message)
    this.code = code
    this.status = errors[code][0]
    this.headers = headers
  }

  get charged(): Word {
    return isUnknown.has(this.code) ? null : false
  }
}

/** The payment was taken before, and this call has no right to its answer. */
export class AlreadyUsed extends Failure {
  readonly tx: string
  /** More fields of the body, beside the error. */
  readonly more: object

  constructor(tx: string, message: string, more: object = {}) {
    super('payment_already_used', message)
    this.tx = tx
    this.more = more
  }

  override get charged(): Word {
    return { tx: this.tx }
  }
}

/** Ends a call with a refusal that its endpoint declares. Nothing is charged. */
export class Refused extends Error {
  override name = 'Refused'
  readonly code: string
  readonly status: number
  /** The number of requests to upstreams before the refusal. */
  asks = 0
  headers: Record<string, string> = {}

  constructor(code: string, status: number, message: string) {
    super(message)
    this.code = code
    this.status = status
  }
}

const endings = {
  none: 'Nothing was charged.',
  unknown: 'We do not know whether you were charged: retry the same payment.',
  unread:
    'This call charged nothing; whether a payment in it was charged before, nobody has looked: retry the same payment.',
  before: (tx: string) =>
    `This call charged nothing; the payment was charged before, with transaction ${tx}.`,
}

/**
 * The ends to cut from a message. A sentence of ours follows with its own full stop, and a stranger's text may stand in the
 * message.
 */
export const ends = '. \r\n\t'

/** The body of an error before anybody has looked for a payment in the request. */
export const unreadBody = (code: string, message: string) => ({
  error: code,
  message: `${withoutEnd(message, ends)}. ${endings.unread}`,
  charged: null,
})

/** The body of every other error. */
export function errorBody(code: string, message: string, charged: Word = false) {
  const sentence = withoutEnd(message, ends)
  const ending = charged ? endings.before(charged.tx) : endings[charged === null ? 'unknown' : 'none']
  return {
    error: code,
    message: `${sentence}. ${ending}`,
    charged: charged === null ? null : charged !== false,
  }
}
