/** What a purchase must be, each by its step. The seller may be anybody: what he says of money is held against the chain. */
import type { z } from 'zod'
import type { Finding } from '../../pipelines/domains/payments/finder.ts'
import type { CanaryStep } from '../../schemas/canary-purchases.ts'
import { isSameName, type NetworkName, networks } from '../../schemas/tables/networks.ts'
import { payable } from '../client/offer.ts'
import { type Offer, plain, type Quote, usdOf } from '../client/quote.ts'
import { bareAnswer, hashOf } from '../query/signing/answer-hash.ts'
import { by, isSignedBy, signedIn } from '../query/signing/proof.ts'
import { answerKind, receiptKind } from '../query/signing/signer.ts'

/** A check that has not passed. Its words may be a stranger's. */
export class Flaw extends Error {
  readonly step: CanaryStep

  constructor(step: CanaryStep, reason: string) {
    super(plain(reason).slice(0, mostReason))
    this.step = step
  }
}
const mostReason = 300

/** The offer to pay. `payTo`: the payee whom the operator knows. */
export function offerIn(
  quote: Quote | undefined,
  { name, resource, payTo }: { name: NetworkName; resource: string; payTo: string | undefined },
): Offer {
  if (!quote) throw new Flaw('quote', 'the 402 has no quote of version 2')
  const { caip2, family } = networks[name]
  // The form of a quote is judged without the key: any text stands for it.
  const wallet = family === 'evm' ? { evmKey: 'one' } : { solanaKey: 'one' }
  const offers = payable(quote, wallet, caip2)
  if (typeof offers === 'string') throw new Flaw('quote', offers)
  const [offer] = offers
  if (quote.resource?.url !== resource) throw new Flaw('quote', 'the quote is for another address')
  if (payTo !== undefined && !isSameName(offer.payTo, payTo))
    throw new Flaw('quote', `the quote names ${offer.payTo} as the payee, and not ours`)
  return offer
}

export interface CanarySale {
  name: NetworkName
  resource: string
  operation: { id: string; response: z.ZodType }
  question: object
  offer: Offer
  payer: string
  answer: Record<string, unknown>
  /** PAYMENT-RESPONSE, decoded. */
  settlement: { transaction?: unknown; network?: unknown; success?: unknown } | undefined
}

interface ReceiptSaid {
  request_id?: unknown
  tool?: unknown
  price_usdc?: unknown
  charged?: unknown
  network?: unknown
  payment_tx?: unknown
}

/** Returns what the receipt says of the payment. */
export function checkAnswer(bought: CanarySale): { requestId: string; tx: string } {
  const { operation, answer, settlement, offer, name } = bought
  const { success, error } = operation.response.safeParse(bareAnswer(answer))
  if (!success) throw new Flaw('answer', `not the declared answer: ${error.issues[0]?.message}`)
  const said = (answer.receipt ?? {}) as ReceiptSaid
  const isSo: Record<string, boolean> = {
    tool: said.tool === operation.id,
    price_usdc: String(said.price_usdc) === usdOf(offer.amount),
    charged: said.charged === true,
    network: said.network === networks[name].receipt,
    request_id: typeof said.request_id === 'string' && said.request_id !== '',
    payment_tx:
      typeof said.payment_tx === 'string' && isSameName(said.payment_tx, String(settlement?.transaction)),
    'PAYMENT-RESPONSE': settlement?.success === true && settlement.network === offer.network,
  }
  const wrong = Object.keys(isSo).find(field => !isSo[field])
  if (wrong) throw new Flaw('receipt', `${wrong} is not that of this sale`)
  return { requestId: said.request_id as string, tx: said.payment_tx as string }
}

/** `signers`: undefined where the seller signs nothing, and nobody has said that he should. */
export function checkSignature(
  { resource, question, answer, settlement, payer, offer }: CanarySale,
  signers: readonly string[] | undefined,
): void {
  if (!signers) return
  const { receipt, answer: answered } = signedIn(settlement)
  if (!receipt || !answered) throw new Flaw('signature', 'the receipt is not signed')
  if (!isSignedBy({ receipt, answer: answered }, signers))
    throw new Flaw('signature', `it is by ${by(receiptKind, receipt)} and ${by(answerKind, answered)}`)
  const { payload } = receipt
  const isSo: Record<string, boolean> = {
    network: payload.network === offer.network,
    resourceUrl: payload.resourceUrl === resource,
    payer: isSameName(String(payload.payer), payer),
    transaction: isSameName(String(payload.transaction), String(settlement?.transaction)),
    question: answered.payload.questionSha256 === hashOf(question),
    answer: answered.payload.answerSha256 === hashOf(bareAnswer(answer)),
  }
  const wrong = Object.keys(isSo).find(field => !isSo[field])
  if (wrong) throw new Flaw('signature', `the ${wrong} that was signed is not that of this sale`)
}

/** The finding is by the payment's own nonce or message, so it is of this purchase or there is none. */
export function checkChain(finding: Finding | undefined, tx: string): void {
  if (!finding) throw new Flaw('chain', 'no node tells')
  if (!finding.found) throw new Flaw('chain', `the chain does not show the payment: ${finding.reason}`)
  if (!isSameName(finding.tx, tx))
    throw new Flaw('chain', 'the receipt names another transaction than the chain')
}
