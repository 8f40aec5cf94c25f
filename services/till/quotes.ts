/** The quotes of all products. Clients can still pay a withdrawn offer for a while. */
import { isDeepStrictEqual } from 'node:util'
import { familyOf, isEvm, type NetworkName, networkNames, networks } from '../../schemas/tables/networks.ts'
import { errorBody, errors } from '../offer/errors.ts'
import { contractOf } from '../offer/operation.ts'
import { type PaidWallet, Tariff, withdrawnMs } from '../offer/tariff.ts'
import { bazaar, paymentIdentifier } from './bazaar.ts'
import type { Supported } from './facilitator/reply.ts'
import { encode } from './header.ts'
import type { RecentBlocks } from './recent-blocks.ts'
import type { PaymentOffer, ProductOrigin, Quote, SaleItem } from './till.ts'

/** An offer on one network without what differs among products. */
type Terms = Omit<PaymentOffer, 'amount'> & { name: NetworkName }

/** The life of an authorization. A caller may have to wait this long for an unknown outcome. */
export const maxTimeoutSeconds = 60
const headerLimitBytes = 6 * 1024
/** With its example, with the recent blocks. */
const smaller = [
  [true, false],
  [false, true],
  [false, false],
] as const
/** A quote that was given is paid for a while. Of each product so many old offers are known. */
const mostWithdrawn = 200
const mostPayees = 1000

/** Converts decimal dollars into USDC's smallest unit. Throws if the result is zero or not whole. */
export function atomic(price: string): string {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(price)
  const amount = match ? BigInt((match[1] ?? '') + (match[2] ?? '').padEnd(6, '0')) : 0n
  if (amount <= 0n) throw new Error(`a price of "${price}" cannot be charged in USDC`)
  return String(amount)
}

/** An offer and its JSON, written once. */
interface Payable {
  offer: PaymentOffer
  json: string
}

interface Withdrawn extends Payable {
  until: number
}

interface Written extends Quote {
  payable: readonly Payable[]
  /** The recent blocks that it names. */
  blocks: string
  /** The name of the origin that sells it. */
  origin: string
  url: URL
  /** The JSON for /verify and /settle. */
  resource: string
  bazaar: string
}

export class Quotes {
  /** By path. The catalog's copy of a product has the same. */
  readonly #sold: ReadonlyMap<string, { product: SaleItem; origin: ProductOrigin }>
  readonly #blocks: Pick<RecentBlocks, 'of'>
  readonly #hosts: ReadonlySet<string>
  readonly #payTo: readonly PaidWallet[]
  readonly #prices: Tariff
  readonly #now: () => number
  #written = new Map<string, Written>()
  readonly #withdrawn = new Map<string, Withdrawn[]>()
  readonly #payees = new Map<string, PaidWallet>()
  #terms: Terms[] = []
  /** The networks whose payments name a block. */
  #ofBlocks: readonly string[] = []

  constructor(options: {
    origins: readonly ProductOrigin[]
    payTo: readonly PaidWallet[]
    prices?: Tariff | undefined
    blocks?: Pick<RecentBlocks, 'of'>
    now: () => number
  }) {
    this.#sold = new Map(
      options.origins.flatMap(origin =>
        origin.operations.map(product => [product.path, { product, origin }] as const),
      ),
    )
    this.#prices = options.prices ?? new Tariff()
    this.#blocks = options.blocks ?? { of: () => undefined }
    this.#hosts = new Set(options.origins.map(({ url }) => new URL(url).hostname))
    this.#now = options.now
    // The order of the table matters, because registries and clients take the first entry that they know.
    this.#payTo = options.payTo.toSorted(
      (a, b) => networkNames.indexOf(a.name) - networkNames.indexOf(b.name),
    )
    for (const payee of this.#payTo) this.#payees.set(`${networks[payee.name].caip2} ${payee.address}`, payee)
    this.#rewrite(this.#termsOf(undefined))
    this.#prices.listen(() => this.#rewrite(this.#terms))
  }

  /** Everybody whom a quote of this run has named. */
  get payees(): Iterable<PaidWallet> {
    return this.#payees.values()
  }

  /** Takes over what the facilitators now support. */
  refresh(supported: Supported): void {
    const terms = this.#termsOf(supported)
    if (!isDeepStrictEqual(terms, this.#terms)) this.#rewrite(terms)
  }

  of(product: SaleItem): Written {
    const written = this.#written.get(product.path)
    if (!written) throw new Error(`${product.path} is not for sale here`)
    if (written.blocks === this.#blocksNow()) return written
    // Only what is asked for is written anew when a block grows old.
    return this.#writeAnew(product.path)
  }

  /** Our own offer that equals the one a client accepts. */
  accepted(product: SaleItem, accepted: Record<string, unknown>): Payable | undefined {
    const { payable } = this.of(product)
    const withdrawn = this.#withdrawn.get(product.path)
    return (
      payable.find(({ offer }) => agrees(offer, accepted)) ??
      withdrawn?.find(({ offer, until }) => until > this.#now() && agrees(offer, accepted))
    )
  }

  /**
   * Is a payment for this address a payment for the product? The path must be the same, and the host must not belong to another
   * origin. Any other host belongs to a proxy.
   */
  isFor(product: SaleItem, address: string): boolean {
    const { url } = this.of(product)
    // Nearly every client sends the address of the quote.
    if (address === url.href) return true
    if (!URL.canParse(address)) return false
    const resource = new URL(address)
    const isForeign = resource.hostname !== url.hostname && this.#hosts.has(resource.hostname)
    return resource.pathname === url.pathname && !isForeign
  }

  /** What stands in requests to facilitators. Undefined: nothing of this name is sold any more. */
  resourceOf(operation: string): string | undefined {
    const sold = [...this.#sold.values()].find(({ product }) => product.id === operation)
    return sold && this.of(sold.product).resource
  }

  #termsOf(supported: Supported | undefined): Terms[] {
    return this.#payTo.flatMap(({ name, address }) => {
      const { caip2, asset } = networks[name]
      const kind = supported?.kinds.find(each => each.network === caip2)
      // Until the facilitator responds, the till can quote only terms that need nothing from it.
      if (supported ? !kind : !isEvm(name)) return []
      const extra: Record<string, string> = isEvm(name)
        ? networks[name].domain
        : { feePayer: this.#feePayer(caip2, kind, supported) }
      return [
        {
          name,
          scheme: 'exact' as const,
          network: caip2,
          asset,
          payTo: address,
          maxTimeoutSeconds,
          extra,
        },
      ]
    })
  }

  /**
   * A facilitator with several fee payers names a different one each time. The quoted one stays while the facilitator still has it.
   */
  #feePayer(caip2: string, kind: Supported['kinds'][number] | undefined, supported: Supported | undefined) {
    const current = this.#terms.find(terms => terms.network === caip2)?.extra.feePayer
    return current && supported?.signers.includes(current) ? current : (kind?.feePayer ?? '')
  }

  #rewrite(terms: Terms[]): void {
    const before = this.#terms
    const written = new Map<string, Written>()
    try {
      // All of them are written before any is shown: one that cannot be written leaves the old ones as they are.
      this.#show(terms)
      for (const path of this.#sold.keys()) written.set(path, this.#write(path))
    } catch (error) {
      this.#show(before)
      throw error
    }
    for (const [path, { payable }] of this.#written) this.#withdraw(path, payable, written.get(path)?.payable)
    for (const { payable } of written.values()) for (const { offer } of payable) this.#remember(offer, terms)
    this.#written = written
  }

  #show(terms: Terms[]): void {
    this.#terms = terms
    this.#ofBlocks = terms.map(({ network }) => network).filter(network => familyOf(network) === 'svm')
  }

  #writeAnew(path: string): Written {
    const written = this.#write(path)
    this.#written.set(path, written)
    return written
  }

  #blocksNow(): string {
    return this.#ofBlocks.map(network => this.#blocks.of(network) ?? '').join(' ')
  }

  /** A client takes it for its payment. What it sends back is not compared, because each has another. */
  #withBlock(offer: PaymentOffer): PaymentOffer {
    const recentBlockhash = this.#ofBlocks.includes(offer.network) && this.#blocks.of(offer.network)
    return recentBlockhash ? { ...offer, extra: { ...offer.extra, recentBlockhash } } : offer
  }

  #withdraw(path: string, before: readonly Payable[], now: readonly Payable[] = []): void {
    const until = this.#now() + withdrawnMs
    const gone = before.filter(old => !now.some(({ json }) => json === old.json))
    const earlier = (this.#withdrawn.get(path) ?? []).filter(
      old => old.until > this.#now() && !gone.some(({ json }) => json === old.json),
    )
    const all = [...earlier, ...gone.map(old => ({ ...old, until }))]
    if (all.length) this.#withdrawn.set(path, all.slice(-mostWithdrawn))
    else this.#withdrawn.delete(path)
  }

  #remember({ network, payTo }: PaymentOffer, terms: readonly Terms[]): void {
    const key = `${network} ${payTo}`
    const name = terms.find(each => each.network === network)?.name
    if (name && (this.#payees.has(key) || this.#payees.size < mostPayees))
      this.#payees.set(key, { name, address: payTo })
  }

  #write(path: string): Written {
    const { product, origin } = this.#sold.get(path) as { product: SaleItem; origin: ProductOrigin }
    const resource = {
      url: `${origin.url}${product.path}`,
      description: contractOf(product),
      mimeType: 'application/json',
      serviceName: 'Farebox',
      tags: product.tags.slice(0, 5),
    }
    const payable = this.#terms.map(terms => this.#payableOf(terms, product, origin.name))
    const blocks = this.#blocksNow()
    const written = (withExample: boolean, withBlocks: boolean) => {
      const accepts = payable.map(({ offer }) => (withBlocks ? this.#withBlock(offer) : offer))
      const discovery = bazaar(product, withExample)
      const extensions = { bazaar: discovery, 'payment-identifier': paymentIdentifier }
      const rest = { resource, accepts, extensions }
      const header = encode({ x402Version: 2, error: 'PAYMENT-SIGNATURE header is required', ...rest })
      return { header, tail: JSON.stringify(rest).slice(1), discovery }
    }
    // The header omits a block, and then an example, that is too long for it.
    let { header, tail, discovery } = written(true, true)
    for (const [withExample, withBlocks] of smaller)
      if (header.length > headerLimitBytes) ({ header, tail, discovery } = written(withExample, withBlocks))
    if (header.length > headerLimitBytes)
      throw new Error(`the quote of ${product.path} takes ${header.length} bytes of header`)
    const body = (code: string, message: string) =>
      `{"x402Version":2,${JSON.stringify(errorBody(code, message)).slice(1, -1)},${tail}`
    return {
      header,
      payable,
      unpaid: Buffer.from(body('payment_required', errors.payment_required[1])),
      body,
      blocks,
      origin: origin.name,
      url: new URL(resource.url),
      resource: JSON.stringify(resource),
      bazaar: JSON.stringify(discovery),
    }
  }

  #payableOf(terms: Terms, product: SaleItem, origin: string): Payable {
    const offer: PaymentOffer = {
      scheme: terms.scheme,
      network: terms.network,
      amount: atomic(this.#prices.priceOf(origin, product, terms.name)),
      asset: terms.asset,
      payTo: this.#prices.payeeOf(origin, product, terms.name) ?? terms.payTo,
      maxTimeoutSeconds: terms.maxTimeoutSeconds,
      extra: terms.extra,
    }
    return { offer, json: JSON.stringify(offer) }
  }
}

/** Are all our keys equal? Extra keys of a client do not count, and the till never sends them on. */
function agrees(ours: object, theirs: unknown): boolean {
  if (typeof theirs !== 'object' || theirs === null) return false
  return Object.entries(ours).every(([key, value]) => {
    const other = Object.hasOwn(theirs, key) ? (theirs as Record<string, unknown>)[key] : undefined
    return typeof value === 'object' ? agrees(value, other) : value === other
  })
}
