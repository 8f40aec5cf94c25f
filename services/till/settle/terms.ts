/** What we sell for, whatever a caller of our facilitator says: which token, to whom, and which amounts. */
import { isEvm, type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { atomic, maxTimeoutSeconds } from '../quotes.ts'
import type { PaymentOffer } from '../till.ts'

interface Sold {
  price: string
}

export class OwnTerms {
  readonly #payTo: ReadonlyMap<string, { name: NetworkName; address: string }>
  readonly #amounts: ReadonlySet<string>

  constructor(payTo: readonly { name: NetworkName; address: string }[], sold: readonly Sold[]) {
    this.#payTo = new Map(payTo.map(one => [networks[one.name].caip2, one]))
    this.#amounts = new Set(sold.map(({ price }) => atomic(price)))
  }

  /** Our own offer with these words. Undefined if we make none like it. */
  offerOf(wanted: Record<string, unknown>): PaymentOffer | undefined {
    const { scheme, network, amount, asset, payTo } = wanted
    const own = this.#payTo.get(String(network))
    if (!own || scheme !== 'exact' || payTo !== own.address) return undefined
    if (asset !== networks[own.name].asset || !this.#amounts.has(String(amount))) return undefined
    const extra = isEvm(own.name) ? networks[own.name].domain : feePayerIn(wanted.extra)
    return {
      ...{ scheme, network: networks[own.name].caip2, asset: networks[own.name].asset },
      ...{ amount: String(amount), payTo: own.address, maxTimeoutSeconds },
      extra: extra as Record<string, string>,
    }
  }
}

function feePayerIn(extra: unknown): { feePayer: string } {
  const said = typeof extra === 'object' && extra !== null ? (extra as { feePayer?: unknown }).feePayer : ''
  return { feePayer: typeof said === 'string' ? said : '' }
}
