/**
 * One call that may cost: asks, signs within the caps, presents the payment, and keeps it until its end is known. Where a payment is
 * refused, uncharged, it goes on to the next network that the wallet has a key for.
 */
import { randomUUID } from 'node:crypto'
import { type Buyer, offersFor, purposeOf } from './buyer.ts'
import { tried } from './dry-run.ts'
import type { Kept } from './kept.ts'
import { networkName } from './networks.ts'
import { type OpenPayments, openPayments } from './open-payments.ts'
import { type Asked, isRefusedPayment, presented } from './presenting.ts'
import { base64, type Offer, plain, type Quote, usdOf } from './quote.ts'
import { no, type Problem, type Result } from './results.ts'
import { NotSigned, signed } from './wallet.ts'

export interface CallOptions {
  /** The Idempotency-Key. Each call has one of its own where none is given. */
  key?: string | undefined
  /** A payment that was presented before. */
  payment?: string | undefined
  /** Asks for the price, holds it against the caps, and says what would be paid. Nothing is signed. */
  dryRun?: boolean | undefined
}

/** One question, and what this call has tried for it. */
interface Call {
  path: string
  requestWith(key: string): Asked
  open: OpenPayments
  refused: Refused[]
}

/** A payment that the seller has refused, uncharged. It lives on, so it counts. */
interface Refused {
  network: string
  amount: string
  key: string
  payment: string
  error: Problem
}

export async function call(
  buyer: Buyer,
  path: string,
  question: object = {},
  { key, payment, dryRun }: CallOptions = {},
): Promise<Result> {
  checkHeaders({ key, payment })
  if (typeof question !== 'object' || question === null)
    throw new WrongAsking('the question is no object of JSON')
  const open = openPayments(buyer.keep, buyer.connection.url, path, question)
  const requestWith = (idempotencyKey: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify(question),
  })
  const all = await open.kept()
  if (dryRun) return tried(buyer, path, requestWith(key ?? randomUUID()), payment ?? all[0]?.payment)
  if (payment !== undefined) {
    const ownKey = all.find(kept => kept.payment === payment)?.key
    const result = await presented(buyer, path, requestWith(key ?? ownKey ?? randomUUID()), payment)
    await open.heard(payment, result)
    return result
  }
  const own = { path, requestWith, open, refused: [] }
  const ended = (await takenUp(buyer, own, all)) ?? (await bought(buyer, own, key))
  // Another process was first with the same question: its payment is taken up.
  return ended ?? call(buyer, path, question, { key })
}

export class WrongAsking extends TypeError {}

/** Nobody sends other characters, so it would look like a connection that is lost. Its words repeat nothing. */
function checkHeaders(given: Pick<CallOptions, 'key' | 'payment'>): void {
  for (const [name, text] of Object.entries(given))
    if (text !== undefined && !/^[!-~]+$/.test(text))
      throw new WrongAsking(`${name} has other characters than visible ASCII`)
}

/** Presents what is open for the question. Undefined: none of it can buy the answer, and another may be signed. */
async function takenUp(buyer: Buyer, { path, requestWith, open, refused }: Call, all: readonly Kept[]) {
  for (const kept of all) {
    buyer.onTakenUp?.(kept)
    const { network, amount, key, payment } = kept
    const result = await presented(buyer, path, requestWith(key), payment)
    if ((await open.heard(payment, result)) === 'dead') buyer.onReplaced?.(kept)
    else if (result.ok || !isRefusedPayment(result.error)) return result
    else refused.push({ network, amount, key, payment, error: result.error })
  }
  return undefined
}

/**
 * Pays the first offer. The next one, on another network, is paid only after the seller has refused this one, uncharged. Undefined:
 * another process is first with the question.
 */
async function bought(buyer: Buyer, own: Call, wanted: string | undefined): Promise<Result | undefined> {
  const { path, requestWith, open, refused } = own
  // The same key for all payments: a seller who took one after all gives its answer, and takes no other.
  const key = refused[0]?.key ?? wanted ?? randomUUID()
  const request = requestWith(key)
  const offered = await offersFor(buyer, path, request)
  if (!('offers' in offered))
    return offered.ok || !refused.length ? offered : refusalOf(refused, offered.error)
  let unpaid: Problem | undefined
  for (const offer of offered.offers) {
    const { network, amount } = offer
    if (refused.some(each => each.network === network)) continue
    const made = await paymentFor(buyer, own, { key, quote: offered.quote, offer })
    if (made === undefined) return undefined
    if (typeof made === 'object') {
      unpaid ??= made
      continue
    }
    const before = refused.at(-1)
    if (before) buyer.onRefused?.(before.error, networkName(network))
    // From here on it stays counted, whatever the seller answers.
    const result = await presented(buyer, path, request, made)
    await open.heard(made, result)
    if (result.ok || !isRefusedPayment(result.error)) return result
    refused.push({ network, amount, key, payment: made, error: result.error })
  }
  return refusalOf(refused, unpaid)
}

/** A payment that is signed within the caps, and kept. Or why there is none; undefined: another process is first. */
async function paymentFor(
  { connection, wallet, budget, onSigned }: Buyer,
  { path, open, refused }: Call,
  { key, quote, offer }: { key: string; quote: Quote; offer: Offer },
): Promise<string | Problem | undefined> {
  const { amount, network, payTo } = offer
  const beside = refused.reduce((sum, each) => sum + BigInt(each.amount), 0n)
  const taken = await budget.take(BigInt(amount), purposeOf(connection, path, offer), beside)
  if (typeof taken === 'string') return no('over_budget', taken)
  try {
    const made = await signed(wallet, quote, offer)
    const payment = base64(made)
    const at = new Date().toISOString()
    const url = `${connection.url}${path}`
    onSigned?.({ at, usd: usdOf(amount), network: networkName(network), payTo, url })
    const beside = refused.map(each => each.payment)
    if (await open.begin({ key, payment, payload: made.payload, offer }, beside)) return payment
    await taken.giveBack()
    return undefined
  } catch (error) {
    await taken.giveBack()
    if (error instanceof NotSigned) return no('cannot_pay', error.message)
    throw error
  }
}

/** What the seller said last, and what he said of the other networks before. */
function refusalOf(refused: readonly Refused[], unpaid: Problem | undefined): Result {
  const last = refused.at(-1)
  const only = last?.error ?? unpaid ?? no('cannot_pay', 'the quote has no offer')
  if (refused.length + (last && unpaid ? 1 : 0) < 2) return { ok: false, error: only }
  const told = refused.map(({ network, error }) => plain(`${networkName(network)}: ${error.message}`))
  return { ok: false, error: { ...only, message: [...told, ...(unpaid ? [unpaid.message] : [])].join('; ') } }
}
