/** Who buys, and what a seller offers him. */
import { ask, type ConnectionOptions } from './connection.ts'
import type { Keep, Kept } from './kept.ts'
import { payable } from './offer.ts'
import type { Budget } from './purse.ts'
import { type Offer, type Quote, quoteIn } from './quote.ts'
import { no, type Problem, type Result, resultOf } from './results.ts'
import type { Spent } from './spending.ts'
import type { Wallet } from './wallet.ts'

export interface Buyer {
  connection: ConnectionOptions
  wallet: Wallet
  network: string | undefined
  budget: Budget
  keep: Keep | undefined
  onTakenUp: ((kept: Kept) => void) | undefined
  onReplaced: ((kept: Kept) => void) | undefined
  onRefused: ((refusal: Problem, network: string) => void) | undefined
  onSigned: ((spent: Spent) => void) | undefined
}

/** Asks without a payment. The offers that can be paid, the first one first, or how the call has ended without one. */
export async function offersFor(
  { connection, wallet, network }: Buyer,
  path: string,
  request: RequestInit,
): Promise<Result | { quote: Quote; offers: readonly Offer[] }> {
  const first = await ask(request, path, connection)
  if ('lost' in first || first.response.status !== 402) return resultOf(first, false)
  const quote = quoteIn(first.response)
  if (!quote) return { ok: false, error: no('cannot_pay', 'the 402 has no quote of version 2') }
  const offers = payable(quote, wallet, network)
  return typeof offers === 'string' ? { ok: false, error: no('cannot_pay', offers) } : { quote, offers }
}

export const purposeOf = ({ url }: ConnectionOptions, path: string, { payTo }: Offer) => ({
  host: new URL(url).host,
  path,
  payTo,
})
