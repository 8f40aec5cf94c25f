/** What we sell for, whatever a caller of our facilitator says: which token, to whom, and which amounts. */
import { isEvm, type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { type PaidWallet, Tariff, withdrawnMs } from '../../offer/tariff.ts'
import { atomic, maxTimeoutSeconds } from '../quotes.ts'
import type { PaymentOffer } from '../till.ts'

interface Sold {
  /** The name of its origin. */
  origin: string
  path: string
  price: string
}

/** A payment that is taken at the end of an old quote's time is settled a little later, and perhaps again. */
const settledWithinMs = 5 * 60_000
const mostPairs = 20_000

export class OwnTerms {
  readonly #payTo: readonly PaidWallet[]
  readonly #sold: readonly Sold[]
  readonly #prices: Tariff
  readonly #now: () => number
  /** Network, amount and payee of each offer that a quote may hold, and until when: undefined while it is our price. */
  readonly #offers = new Map<string, { name: NetworkName; until: number | undefined }>()

  constructor(
    payTo: readonly PaidWallet[],
    sold: readonly Sold[],
    { prices = new Tariff(), now = Date.now }: { prices?: Tariff | undefined; now?: () => number } = {},
  ) {
    this.#payTo = payTo
    this.#sold = sold
    this.#prices = prices
    this.#now = now
    this.#read()
    prices.listen(() => this.#read())
  }

  /** Our own offer with these words. Undefined if we make none like it. */
  offerOf(wanted: Record<string, unknown>): PaymentOffer | undefined {
    const { scheme, network, amount, asset, payTo } = wanted
    // A stranger's value may be an object that no text can be made of.
    if (typeof network !== 'string' || typeof amount !== 'string' || typeof payTo !== 'string')
      return undefined
    const own = this.#offers.get(keyOf(network, amount, payTo))
    if (!own || scheme !== 'exact' || (own.until !== undefined && own.until <= this.#now())) return undefined
    if (asset !== networks[own.name].asset) return undefined
    const extra = isEvm(own.name) ? networks[own.name].domain : feePayerIn(wanted.extra)
    return {
      ...{ scheme, network: networks[own.name].caip2, asset: networks[own.name].asset },
      ...{ amount, payTo, maxTimeoutSeconds },
      extra: extra as Record<string, string>,
    }
  }

  #read(): void {
    const until = this.#now() + withdrawnMs + settledWithinMs
    for (const [key, offer] of this.#offers)
      if (offer.until === undefined) offer.until = until
      else if (offer.until <= this.#now()) this.#offers.delete(key)
    for (const { name, address } of this.#payTo)
      for (const { origin, ...product } of this.#sold) {
        const payee = this.#prices.payeeOf(origin, product, name) ?? address
        const amount = atomic(this.#prices.priceOf(origin, product, name))
        this.#offers.set(keyOf(networks[name].caip2, amount, payee), { name, until: undefined })
      }
    for (const [key, { until }] of this.#offers)
      if (this.#offers.size > mostPairs && until !== undefined) this.#offers.delete(key)
  }
}

const keyOf = (...words: string[]): string => words.join(' ')

function feePayerIn(extra: unknown): { feePayer: string } {
  const said = typeof extra === 'object' && extra !== null ? (extra as { feePayer?: unknown }).feePayer : ''
  return { feePayer: typeof said === 'string' ? said : '' }
}
