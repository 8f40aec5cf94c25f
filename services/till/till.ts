/** The Till: everything about money. The server calls these four and nothing else of this folder. */
import type { Operation } from '../query/operation.ts'

/** What an operation costs, as sent: the header, and the same JSON mirrored with error, message and charged. */
export interface Quote {
  header: string
  body(code: string, message: string): string
}

/** A payment header as decoded: a JSON object, nothing more is known of it. */
export interface Decoded {
  payload: Record<string, unknown>
}

/** A payment that passed every check that can be made here. */
export interface Payment {
  spendId: string
  network: 'base' | 'solana'
  payer: string
}

export interface Sale {
  operation: Operation
  /** The question as canonical JSON. */
  question: string
  payment: Payment
  idempotencyKey: string | undefined
  requestId: string
  /** JSON text of the answer without its receipt; rejects with Refused or Failure. */
  answer(): Promise<string>
}

export interface Sold {
  /** The answer with its receipt. */
  body: string
  headers: Record<string, string>
  replayed: boolean
  /** To be called once the last byte is with the caller, or the caller is gone. */
  delivered(whole: boolean): void
}

export interface Till {
  quote(operation: Operation): Quote
  /** Header to payload, before the body is read: Failure 400 invalid_payment_header when it cannot be decoded. */
  decode(header: string): Decoded
  /** Everything that can be checked here: Failure 402 when it does not fit the operation's quote. */
  check(decoded: Decoded, operation: Operation): Promise<Payment>
  /** Has work been done for this payment that its payer does not have yet? Such a call is never turned away by a rate. */
  owes(payment: Payment): boolean
  /** The kept answer of this key, path and question, if there is one. Waits for a call in flight with it. */
  replay(idempotencyKey: string, operation: Operation, question: string): Promise<Sold | undefined>
  sell(sale: Sale): Promise<Sold>
  /** undefined: the facilitator answers; else why paid calls are 503 just now. */
  closed(): string | undefined
  close(): Promise<void>
}
