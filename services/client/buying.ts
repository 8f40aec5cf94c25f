/** One call that may cost: asks, signs once within the caps, presents the payment, and keeps it until its end is known. */
import { randomUUID } from 'node:crypto'
import { addressOf, ask, type ConnectionOptions, patienceEnd } from './connection.ts'
import type { Keep, Kept } from './kept.ts'
import { networkName } from './networks.ts'
import { payable } from './offer.ts'
import { type OpenPayment, openPayment } from './open-payments.ts'
import { proofFor } from './proof.ts'
import type { Budget } from './purse.ts'
import { base64, type Offer, plain, type Quote, quoteIn, usdOf } from './quote.ts'
import { no, type Result, resultOf } from './results.ts'
import type { Spent } from './spending.ts'
import { NotSigned, signed, type Wallet } from './wallet.ts'

export interface CallOptions {
  /** The Idempotency-Key. Each call has one of its own where none is given. */
  key?: string | undefined
  /** A payment that was presented before. */
  payment?: string | undefined
  /** Asks for the price, holds it against the caps, and says what would be paid. Nothing is signed. */
  dryRun?: boolean | undefined
}

export interface Buyer {
  connection: ConnectionOptions
  wallet: Wallet
  network: string | undefined
  budget: Budget
  keep: Keep | undefined
  onTakenUp: ((kept: Kept) => void) | undefined
  onReplaced: ((kept: Kept) => void) | undefined
  onSigned: ((spent: Spent) => void) | undefined
}

const mostProofs = 3

export async function call(
  buyer: Buyer,
  path: string,
  question: object = {},
  { key, payment, dryRun }: CallOptions = {},
): Promise<Result> {
  const { connection, keep, onTakenUp, onReplaced } = buyer
  const open = openPayment(keep, connection.url, path, question)
  const requestWith = (idempotencyKey: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify(question),
  })
  const kept = await open.kept()
  if (dryRun) return tried(buyer, path, requestWith(key ?? randomUUID()), payment ?? kept?.payment)
  if (payment !== undefined) {
    const ownKey = kept?.payment === payment ? kept.key : undefined
    const result = await paid(buyer, path, requestWith(key ?? ownKey ?? randomUUID()), payment)
    await open.heard(payment, result)
    return result
  }
  if (kept) {
    onTakenUp?.(kept)
    const result = await paid(buyer, path, requestWith(kept.key), kept.payment)
    if ((await open.heard(kept.payment, result)) !== 'dead') return result
    onReplaced?.(kept)
  }
  const ownKey = key ?? randomUUID()
  const bought = await buy(buyer, path, requestWith(ownKey), ownKey, open)
  // Another process was first with the same question: its payment is taken up.
  return bought ?? call(buyer, path, question, { key })
}

/** What the call would do. A price that is not asked for costs nothing, so an answer that is free is given. */
async function tried(
  buyer: Buyer,
  path: string,
  request: RequestInit,
  payment: string | undefined,
): Promise<Result> {
  if (payment !== undefined) return no('dry_run', 'It would present a payment again that was signed before')
  const offered = await offerFor(buyer, path, request)
  if (!('offer' in offered)) return offered
  const { offer } = offered
  const taken = await buyer.budget.take(BigInt(offer.amount), purposeOf(buyer, path, offer))
  if (typeof taken === 'string') return no('over_budget', taken)
  await taken.giveBack()
  return no(
    'dry_run',
    plain(`It would pay ${usdOf(offer.amount)} USDC on ${networkName(offer.network)} to ${offer.payTo}`),
  )
}

/** Asks without a payment. The offer to pay, or how the call has ended without one. */
async function offerFor(
  { connection, wallet, network }: Buyer,
  path: string,
  request: RequestInit,
): Promise<Result | { quote: Quote; offer: Offer }> {
  const first = await ask(request, path, connection)
  if ('lost' in first || first.response.status !== 402) return resultOf(first, false)
  const quote = quoteIn(first.response)
  if (!quote) return no('cannot_pay', 'the 402 has no quote of version 2')
  const offer = payable(quote, wallet, network)
  return typeof offer === 'string' ? no('cannot_pay', offer) : { quote, offer }
}

const purposeOf = ({ connection }: Buyer, path: string, { payTo }: Offer) => ({
  host: new URL(connection.url).host,
  path,
  payTo,
})

/** Undefined: nothing was sent, because a payment is open for this question by now. */
async function buy(
  buyer: Buyer,
  path: string,
  request: RequestInit & { headers: object },
  key: string,
  open: OpenPayment,
): Promise<Result | undefined> {
  const { connection, wallet, budget, onSigned } = buyer
  const offered = await offerFor(buyer, path, request)
  if (!('offer' in offered)) return offered
  const { quote, offer } = offered
  const taken = await budget.take(BigInt(offer.amount), purposeOf(buyer, path, offer))
  if (typeof taken === 'string') return no('over_budget', taken)
  let payment: string
  try {
    const made = await signed(wallet, quote, offer)
    payment = base64(made)
    onSigned?.({
      at: new Date().toISOString(),
      usd: usdOf(offer.amount),
      network: networkName(offer.network),
      payTo: offer.payTo,
      url: `${connection.url}${path}`,
    })
    if (!(await open.begin({ key, payment, payload: made.payload, offer }))) {
      await taken.giveBack()
      return undefined
    }
  } catch (error) {
    await taken.giveBack()
    if (error instanceof NotSigned) return no('cannot_pay', error.message)
    throw error
  }
  // From here on it stays counted, and it is the only one of this call, whatever the seller answers.
  const result = await paid(buyer, path, request, payment)
  await open.heard(payment, result)
  return result
}

async function paid(
  { connection, wallet }: Buyer,
  path: string,
  request: RequestInit & { headers: object },
  payment: string,
): Promise<Result> {
  const headers = { ...request.headers, 'payment-signature': payment }
  const asking = { until: patienceEnd(connection), paid: true }
  let heard = await ask({ ...request, headers }, path, connection, asking)
  // A proof works once, so an answer that was lost again needs another one.
  for (let tries = 0; tries < mostProofs; tries++) {
    if ('lost' in heard || heard.code !== 'payment_already_used') break
    const proof = await proofFor(heard.json, addressOf(path, connection), wallet)
    if (!proof) break
    const proven = { ...request, headers: { ...headers, 'sign-in-with-x': proof } }
    heard = await ask(proven, path, connection, asking)
  }
  const result = resultOf(heard, null)
  return result.ok || result.error.charged === false
    ? result
    : { ok: false, error: { ...result.error, payment } }
}
