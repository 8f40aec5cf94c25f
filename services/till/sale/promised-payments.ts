/** The signed payments of sales, from their promises: what it takes to settle one again. */
import { readTransfer } from '../../../pipelines/domains/payments/svm/payment.ts'
import { isEvm, networkNames, networks } from '../../../schemas/tables/networks.ts'
import type { Promised } from '../../../schemas/till-promises.ts'
import { readStrictJson } from '../../../schemas/values/strict-json.ts'
import { isObject } from '../header.ts'
import { requestOf } from '../payment.ts'
import { atomic, maxTimeoutSeconds, type Quotes } from '../quotes.ts'
import type { Schemes } from '../schemes/scheme.ts'
import type { PaymentOffer, Settleable } from '../till.ts'

/** Few payments are longer: those of contracts with signatures of many. */
export const mostPaying = 2500
/** The newest. */
const mostKept = 20_000
/** The oldest go this many at a time: a Map that loses one for each that comes is slow to begin with its first. */
const mostDead = 500

type Kept = Pick<
  Promised,
  'operation' | 'network' | 'price_usdc' | 'payer' | 'pay_to' | 'dead_at' | 'trace'
> & { paying: string }

export class PromisedPayments {
  readonly #quotes: Pick<Quotes, 'resourceOf'>
  readonly #schemes: Schemes
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()
  #untilDead = mostDead

  constructor(quotes: Pick<Quotes, 'resourceOf'>, schemes: Schemes, now: () => number) {
    this.#quotes = quotes
    this.#schemes = schemes
    this.#now = now
  }

  /** It is kept for as long as its chain takes it. */
  readonly keep = (spendId: string, promised: Promised, paying: string | null): void => {
    // A till writes no longer one, and whoever may write the topic must not fill the memory.
    if (paying === null || paying.length > mostPaying) return
    const { operation, network, price_usdc, payer, pay_to, dead_at, trace } = promised
    this.#kept.delete(spendId)
    this.#kept.set(spendId, {
      ...{ operation, network, price_usdc, payer, pay_to, dead_at, trace, paying },
    })
    if (--this.#untilDead > 0) return
    this.#untilDead = mostDead
    for (const [oldest, { dead_at }] of this.#kept) {
      if (Date.parse(dead_at) > this.#now() && this.#kept.size <= mostKept) break
      this.#kept.delete(oldest)
    }
  }

  /** Undefined if it can move no money any more, or is not known. */
  of(spendId: string): Settleable | undefined {
    const kept = this.#kept.get(spendId)
    if (!kept || Date.parse(kept.dead_at) <= this.#now()) return undefined
    const offer = offerOf(kept)
    const paying = this.#payingOf(spendId, kept)
    if (!offer || paying === undefined) return undefined
    const { payer, network, operation } = kept
    const resource = this.#quotes.resourceOf(operation)
    const request = requestOf({ ours: JSON.stringify(offer), resource, paying, bazaar: undefined })
    return { offer, payer, network, operation, proven: true, request }
  }

  /**
   * Whoever may write the topic must not write to the facilitator. So its text is read again, and only what pays is told: of the
   * spend that the promise is for. Undefined if it is no such payment.
   */
  #payingOf(spendId: string, { paying, trace }: Kept): string | undefined {
    const scheme = this.#schemes.get(trace.network)
    try {
      const payload = readStrictJson(paying)
      const plain = isObject(payload) ? scheme?.plain(payload) : undefined
      return plain && scheme?.spendOf(plain) === spendId ? JSON.stringify(plain) : undefined
    } catch {
      // The topic takes any text, and one record must not stop whoever reads it.
      return undefined
    }
  }
}

/** The offer that the payment has accepted. */
function offerOf({ trace, price_usdc, pay_to, paying }: Kept): PaymentOffer | undefined {
  const name = networkNames.find(each => networks[each].caip2 === trace.network)
  if (!name) return undefined
  const { caip2, asset } = networks[name]
  const extra = isEvm(name) ? networks[name].domain : feePayerIn(paying)
  if (!extra) return undefined
  return {
    ...{ scheme: 'exact', network: caip2, amount: atomic(price_usdc), asset, payTo: pay_to },
    ...{ maxTimeoutSeconds, extra },
  }
}

/** Undefined if it is no payment: the topic takes any text, and one record must not stop whoever reads it. */
function feePayerIn(paying: string): { feePayer: string } | undefined {
  try {
    const { transaction } = JSON.parse(paying) as { transaction: string }
    const feePayer = readTransfer(Buffer.from(transaction, 'base64'))?.feePayer
    return feePayer === undefined ? undefined : { feePayer }
  } catch {
    return undefined
  }
}
