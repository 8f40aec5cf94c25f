/**
 * The till: everything about money. This file defines its words, each with one meaning. open.ts puts its parts together.
 *
 * product       what is sold: a path and its price
 * origin        an address, and the products that are sold there
 * quote         the body and header of a 402: the price of a product, as offers
 * offer         one entry of a quote: this amount of this asset, to this address, on this network
 * presented     what a stranger sent as a payment, decoded and not yet checked
 * spend         what a payment spends on its chain; one spend has one spend id, however its header is written
 * payment       a presented payment that fits an offer and passed every check that needs no facilitator
 * trace         what a chain must know to tell how a spend ended
 * finding       the chain's answer about a trace
 * sale          one paid call: a product, a question, a payment, and the work that makes the answer
 * reservation   what one call holds while it works: its turns in this process, its purchase among instances
 * promise       the record that must be in the log before money may move: the payment's terms and the answer, or the
 *               name of the blob that holds it. Among instances the first promise wins, and a later one yields
 * purchase      a promise and what became of it: open, settled or failed
 * run           one run of one process; the holder of a purchase while it works on it
 * to settle     to let a facilitator send the payment to its chain; the word means nothing else here
 * to conclude   to bring an open purchase to a sure end
 * delivered     the last byte of the answer has reached the payer
 * owed          money may have moved for the purchase, and its answer was not delivered
 * to replay     to give the answer of a settled purchase again to its key
 * witness       what shows that a payment that comes again is its presenter's own: a key, the first caller, a proof
 * proof         a text for one purchase, signed by the wallet that paid
 */
import type { z } from 'zod'
import type { ReceiptNetwork } from '../../schemas/tables/networks.ts'
import type { Trace } from '../../schemas/till-promises.ts'
import type { Word } from '../offer/errors.ts'
import type { Operation } from '../offer/operation.ts'
import type { Listing } from './facilitator/catalog.ts'

/** The facts that the till needs about a product. */
export interface SaleItem {
  /** Its name in receipts and settlements. */
  id: string
  path: string
  /** US dollars as decimal text. */
  price: string
  about: string
  /** How much of its answer must be there for it to be sold. */
  sold?: Operation['sold']
  tags: readonly string[]
  /** The till announces a costly answer to the other instances before it makes it. */
  costs: 'held' | 'looked up' | 'costly'
  /** Whoever has paid before is worked for before this payment is verified. */
  trusts?: true
  /** Its answer holds a secret. A key or a payment alone is not enough to get it again. */
  holdsSecret?: true
  request: z.ZodType
  /** A question and its answer, shown in the quote. */
  example: { request: unknown; response: unknown }
}

/** The facts that the till needs about an origin. */
export interface ProductOrigin {
  /** Its name in settlements. */
  name: string
  /** Its address, without a slash at the end. */
  url: string
  operations: readonly SaleItem[]
}

export interface Quote {
  /** The value of PAYMENT-REQUIRED. */
  header: string
  /** The body of an unpaid call as bytes. To encode it for each call took half of the work of a 402. */
  unpaid: Buffer
  /** The header's JSON with an error, a message and `charged`. */
  body(code: string, message: string): string
}

/** One entry of `accepts`, as x402 prints it. */
export interface PaymentOffer {
  scheme: 'exact'
  /** CAIP-2. */
  network: string
  /** In the asset's smallest unit. */
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Record<string, string>
}

/** A JSON object. Nobody has checked it yet. */
export interface Presented {
  json: Record<string, unknown>
  /** What else a credential of MPP says. The till does not read it. */
  credential?: { challenge: Challenge; type: unknown; source: unknown }
}

/** A challenge of MPP. The texts are those of the wire. */
export interface Challenge {
  id: string
  realm: string
  method: string
  intent: string
  request: string
  expires?: string
  digest?: string
  opaque?: string
}

export interface Spend {
  spendId: string
  payer: string
  /** The paying part, rebuilt, so that the same spend has the same text. */
  payload: object
  trace: Trace
  /** The chain's time in ms. A facilitator settles it before `expiresAt`, and the chain never takes it after `deadAt`. */
  expiresAt: number
  deadAt: number
  /** The earliest `deadAt` that an earlier sale of this payment can have had. */
  firstDeadAt: number
  /** True if the till has checked the payer's signature and it is valid. If false, only the facilitator can say. */
  proven: boolean
  /** True if a facilitator's refusal to settle is certain, so that no verification is needed before. */
  settlesSurely: boolean
  /** The longest useful wait for an unknown outcome. */
  patienceMs: number
}

export interface Payment extends Omit<Spend, 'payload'> {
  /** The name of the origin that sells the product. */
  origin: string
  /** The name of the product. */
  operation: string
  offer: PaymentOffer
  /** The network's name in receipts. */
  network: ReceiptNetwork
  /** The payload as JSON. */
  paying: string
  /**
   * The body of /verify and /settle: our offer, our resource, and only the paying part of the client's text. It is written each time,
   * because a settled payment is kept while it lives, and the body is most of it.
   */
  request(): string
  paymentIdentifier: string | undefined
}

/** What a facilitator is asked to settle. */
export type Settleable = Pick<Payment, 'offer' | 'payer' | 'network' | 'operation' | 'proven' | 'request'>

/** One name for all callers that cannot be distinguished. */
export const nobody = 'unknown'

/** The parts of a call that come with its payment. */
export interface Asking {
  product: SaleItem
  /** Canonical JSON. Undefined if the question has no canonical form. */
  question: string | undefined
  idempotencyKey: string | undefined
  requestId: string
  /** The caller. An IPv6 network is one caller. */
  caller: string
  /**
   * Makes the JSON text of the answer, without its receipt. Rejects with Refused or Failure. It does no work for this
   * caller before `verified` resolves.
   */
  answer(verified: () => Promise<void>): Promise<string>
}

export interface Sale extends Asking {
  question: string
  payment: Payment
}

/** A payment that the till knows already. */
export interface Again extends Asking {
  presented: Presented
  /** The header SIGN-IN-WITH-X. */
  proof: string | undefined
}

export interface Sold {
  /** The answer with its receipt. */
  body: string
  headers: Record<string, string>
  replayed: boolean
  /** Names the answer: the same name is the same text, but for its receipt. */
  answerName: string
  /** When the payment settled, by the log's clock. */
  settledAt: number
  /** The caller of `sell` calls this once: when the payer has the last byte, or has hung up. */
  delivered(whole: boolean): void
}

export interface FacilitatorState {
  /** Its host. */
  name: string
  /** In words. */
  state: string
  /** What its catalog says of our operations. */
  listings: readonly Listing[]
}

export interface Till {
  quote(product: SaleItem): Quote
  /** Decodes a header, before anybody reads the body. Throws Failure 400 invalid_payment_header if it cannot. */
  decode(header: string): Presented
  /** Checks everything that needs no facilitator. Throws Failure 402 if the payment does not fit the product's quote. */
  check(presented: Presented, product: SaleItem): Promise<Payment>
  /** Does the till owe the answer of this spend? No rate limit stops such a call. */
  owes(presented: Presented): boolean
  /** Finds the kept answer of this key, path and question. Waits for a call in flight with the same key. */
  replay(
    idempotencyKey: string,
    product: SaleItem,
    question: string,
    caller?: string,
  ): Promise<Sold | undefined>
  sell(sale: Sale): Promise<Sold>
  /** Does the till know this payment, or work on it? */
  knows(presented: Presented): boolean
  /**
   * Gives the answer that a known payment has bought, whatever price, clock and schema are today. Undefined if the payment was not
   * taken: then it may buy. Throws the truth about the payment if nothing may be given.
   */
  again(again: Again): Promise<Sold | undefined>
  /** The word about a charge that an error beside this payment must carry. False if the till knows of no charge. */
  word(presented: Presented): Word
  /**
   * The same for a payment that may be forgotten: asks the chain. Null while the chain does not say, or if the caller asks too
   * often.
   */
  recalled(presented: Presented, caller: string): Promise<Word>
  /** The reason why paid calls get 503 now. Undefined while a facilitator responds, and the log among instances. */
  closed(): string | undefined
  /** How each facilitator fares, in order. */
  facilitators(): readonly FacilitatorState[]
  /** Begins the stop: from now on no call waits for an unknown outcome. */
  stop(): void
  /** Rejects when the log becomes unreadable, because the till then knows nothing for sure. */
  ended: Promise<unknown>
  close(): Promise<void>
}
