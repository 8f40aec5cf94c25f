/** The Till: everything about money. The server calls these four and nothing else of this folder. */
import type { Operation } from '../query/operation.ts'

/** What an operation costs, as sent: the header, and the same JSON mirrored with error, message and charged. */
export interface Quote {
  header: string
  body(code: string, message: string): string
}

/** A payment that was decoded and passed every check that can be made here. */
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
  /** Header to payment: Failure 400 when it cannot be decoded, 402 when it does not fit the operation's quote. */
  check(header: string, operation: Operation): Promise<Payment>
  /** The kept answer of this key, path and question, if there is one. Waits for a call in flight with it. */
  replay(idempotencyKey: string, operation: Operation, question: string): Promise<Sold | undefined>
  sell(sale: Sale): Promise<Sold>
  /** undefined: the facilitator answers; else why paid calls are 503 just now. */
  closed(): string | undefined
  close(): Promise<void>
}
