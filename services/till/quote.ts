/** What each operation costs, and on which terms it may be paid: the current ones, and for a while those before. */
import { isDeepStrictEqual } from 'node:util'
import { type NetworkName, networks } from '../../schemas/networks.ts'
import { errorBody, errors } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { bazaar, paymentIdentifier } from './bazaar.ts'
import type { Supported } from './facilitator.ts'
import type { Quote } from './till.ts'

/** One entry of `accepts`. */
export interface Offer {
  scheme: 'exact'
  network: string
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Record<string, string>
}

/** An offer without its amount: what is the same for every operation. */
export interface Terms extends Omit<Offer, 'amount'> {
  name: NetworkName
}

/** How long an authorization lives; also how long a caller may have to wait for the end of an unknown outcome. */
export const maxTimeoutSeconds = 60
const headerLimitBytes = 6 * 1024
const withdrawnMs = 10 * 60_000

/** Decimal dollars to atomic USDC, exactly; throws where that is nothing, or not whole. */
export function atomic(price: string): string {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(price)
  const amount = match ? BigInt((match[1] ?? '') + (match[2] ?? '').padEnd(6, '0')) : 0n
  if (amount <= 0n) throw new Error(`a price of "${price}" cannot be charged in USDC`)
  return String(amount)
}

interface Written extends Quote {
  path: string
  resource: string
  bazaar: string
}

export class Quotes {
  readonly #operations: readonly Operation[]
  readonly #publicUrl: string
  readonly #payTo: readonly { name: NetworkName; address: string }[]
  readonly #now: () => number
  readonly #written = new Map<Operation, Written>()
  #terms: Terms[] = []
  #withdrawn: { terms: Terms; until: number }[] = []

  constructor(options: {
    operations: readonly Operation[]
    publicUrl: string
    payTo: readonly { name: NetworkName; address: string }[]
    now: () => number
  }) {
    this.#operations = options.operations
    this.#publicUrl = options.publicUrl
    this.#now = options.now
    // Base first: registries and clients take the first entry that they know.
    this.#payTo = [...options.payTo].sort((a, b) =>
      networks[a.name].chain.localeCompare(networks[b.name].chain),
    )
    this.#rewrite(this.#termsOf(undefined))
  }

  /** Takes over what the facilitator supports now. */
  refresh(supported: Supported): void {
    const terms = this.#termsOf(supported)
    if (isDeepStrictEqual(terms, this.#terms)) return
    const until = this.#now() + withdrawnMs
    const gone = this.#terms.filter(old => !terms.some(now => isDeepStrictEqual(now, old)))
    this.#withdrawn = [
      ...this.#withdrawn.filter(old => old.until > this.#now()),
      ...gone.map(old => ({ terms: old, until })),
    ]
    this.#rewrite(terms)
  }

  of(operation: Operation): Written {
    const written = this.#written.get(operation)
    if (!written) throw new Error(`${operation.path} is not for sale here`)
    return written
  }

  /** Our own offer that a client says it accepts. */
  accepted(
    operation: Operation,
    accepted: Record<string, unknown>,
  ): { offer: Offer; terms: Terms } | undefined {
    const amount = atomic(operation.price)
    const payable = [
      ...this.#terms,
      ...this.#withdrawn.filter(old => old.until > this.#now()).map(old => old.terms),
    ]
    for (const terms of payable) {
      const offer = offerOf(terms, amount)
      if (agrees(offer, accepted)) return { offer, terms }
    }
    return undefined
  }

  #termsOf(supported: Supported | undefined): Terms[] {
    return this.#payTo.flatMap(({ name, address }) => {
      const network = networks[name]
      const kind = supported?.kinds.find(each => each.network === network.caip2)
      // Before the facilitator was heard, what needs nothing of it can be quoted.
      if (supported ? !kind : network.chain === 'solana') return []
      const extra: Record<string, string> =
        network.chain === 'base'
          ? network.domain
          : { feePayer: this.#feePayer(network.caip2, kind, supported) }
      return [
        {
          name,
          scheme: 'exact' as const,
          network: network.caip2,
          asset: network.asset,
          payTo: address,
          maxTimeoutSeconds,
          extra,
        },
      ]
    })
  }

  /** A facilitator with several fee payers names another each time: as long as ours is among them, it stays. */
  #feePayer(caip2: string, kind: Supported['kinds'][number] | undefined, supported: Supported | undefined) {
    const current = this.#terms.find(terms => terms.network === caip2)?.extra.feePayer
    return current && supported?.signers.includes(current) ? current : (kind?.feePayer ?? '')
  }

  #rewrite(terms: Terms[]): void {
    this.#terms = terms
    for (const operation of this.#operations) this.#written.set(operation, this.#write(operation))
  }

  #write(operation: Operation): Written {
    const resource = {
      url: `${this.#publicUrl}${operation.path}`,
      description: operation.about,
      mimeType: 'application/json',
      serviceName: 'Farebox',
      tags: operation.tags.slice(0, 5),
    }
    const accepts = this.#terms.map(terms => offerOf(terms, atomic(operation.price)))
    const written = (withOutput: boolean) => {
      const discovery = bazaar(operation, withOutput)
      const extensions = { bazaar: discovery, 'payment-identifier': paymentIdentifier }
      const rest = { resource, accepts, extensions }
      const header = encode({ x402Version: 2, error: 'PAYMENT-SIGNATURE header is required', ...rest })
      return { header, tail: JSON.stringify(rest).slice(1), discovery }
    }
    // An answer too long to be shown in a header is shown everywhere else.
    const whole = written(true)
    const { header, tail, discovery } = whole.header.length <= headerLimitBytes ? whole : written(false)
    if (header.length > headerLimitBytes)
      throw new Error(`the quote of ${operation.path} takes ${header.length} bytes of header`)
    const body = (code: string, message: string) =>
      `{"x402Version":2,${JSON.stringify(errorBody(code, message)).slice(1, -1)},${tail}`
    return {
      header,
      unpaid: Buffer.from(body('payment_required', errors.payment_required[1])),
      body,
      path: new URL(resource.url).pathname,
      resource: JSON.stringify(resource),
      bazaar: JSON.stringify(discovery),
    }
  }
}

export const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

const offerOf = ({ name: _, ...terms }: Terms, amount: string): Offer => ({
  scheme: terms.scheme,
  network: terms.network,
  amount,
  asset: terms.asset,
  payTo: terms.payTo,
  maxTimeoutSeconds: terms.maxTimeoutSeconds,
  extra: terms.extra,
})

/** Equal in every key of ours; what a client adds is not ours to judge, and is never sent on. */
function agrees(ours: object, theirs: unknown): boolean {
  if (typeof theirs !== 'object' || theirs === null) return false
  return Object.entries(ours).every(([key, value]) => {
    const other = Object.hasOwn(theirs, key) ? (theirs as Record<string, unknown>)[key] : undefined
    return typeof value === 'object' ? agrees(value, other) : value === other
  })
}
