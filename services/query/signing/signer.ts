/** Signs offers and receipts, so that their holder can prove them to others without us (x402's offer-receipt extension). */
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { addressOfKey, type Kind, sign, type TypedMessage } from '../../../pipelines/rails/signing/eip712.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { withdrawnMs } from '../../offer/tariff.ts'
import type { Quote, Sold } from '../../till/till.ts'
import { answerHash, hashOf } from './answer-hash.ts'

export const extension = 'offer-receipt'

export const offerKind: Kind = {
  domain: 'x402 offer',
  name: 'Offer',
  fields: {
    version: 'uint256',
    resourceUrl: 'string',
    scheme: 'string',
    network: 'string',
    asset: 'string',
    payTo: 'string',
    amount: 'string',
    validUntil: 'uint256',
  },
}

export const receiptKind: Kind = {
  domain: 'x402 receipt',
  name: 'Receipt',
  fields: {
    version: 'uint256',
    network: 'string',
    resourceUrl: 'string',
    payer: 'string',
    issuedAt: 'uint256',
    transaction: 'string',
  },
}

/**
 * The question and the answer of the payment. The extension itself has no place for them. It names the payer, because a transaction may
 * hold the payments of many.
 */
export const answerKind: Kind = {
  domain: 'Farebox answer',
  name: 'Answer',
  fields: {
    resourceUrl: 'string',
    payer: 'string',
    transaction: 'string',
    questionSha256: 'bytes32',
    answerSha256: 'bytes32',
  },
}

export interface Signed {
  format: 'eip712'
  payload: TypedMessage
  signature: string
}

const headerLimitBytes = 6 * 1024
/** In our own quote. It gives way to the signatures, because its payer can ask a node, too. */
const namedBlock = /,"recentBlockhash":"[^"]*"/g
/** An offer is renewed long before this time ends, and the till takes its payment for as long. */
const validSeconds = withdrawnMs / 1000
const signedAnewMs = 300_000
/** The header of each takes about 2 KB. */
const mostReplayed = 1000

interface Receipted {
  resourceUrl: string
  question: unknown
}

export class Signer {
  /** Addresses in lower case. The first one signs now; the others have signed before. */
  readonly addresses: readonly string[]
  readonly #key: string
  readonly #now: () => number
  /** A quote that is written anew takes its signed form with it. */
  readonly #offered = new WeakMap<Quote, { quote: Quote; until: number }>()
  readonly #replayed = new Bounded<string>({ most: mostReplayed })

  constructor(keys: readonly [string, ...string[]], now: () => number) {
    this.#key = keys[0]
    this.addresses = keys.map(addressOfKey)
    this.#now = now
  }

  /** Signs anything of this kind. */
  sign(kind: Kind, payload: TypedMessage): Signed {
    return this.#signed(kind, payload)
  }

  /** The quote with signed offers, if the header has room for them. */
  offered(quote: Quote): Quote {
    const known = this.#offered.get(quote)
    if (known && this.#now() < known.until) return known.quote
    const written = this.#offeredNow(quote)
    this.#offered.set(quote, { quote: written, until: this.#now() + signedAnewMs })
    return written
  }

  #offeredNow(quote: Quote): Quote {
    const text = Buffer.from(quote.header, 'base64').toString()
    const { resource, accepts } = JSON.parse(text) as { resource: { url: string }; accepts: TypedMessage[] }
    const offers = accepts.map(({ scheme, network, asset, payTo, amount }, acceptIndex) => ({
      ...this.#signed(offerKind, {
        version: 1,
        resourceUrl: resource.url,
        ...({ scheme, network, asset, payTo, amount } as TypedMessage),
        validUntil: Math.floor(this.#now() / 1000) + validSeconds,
      }),
      acceptIndex,
    }))
    // A quote ends with its extensions, so they are added at the end.
    const added = `,${JSON.stringify({ [extension]: { info: { offers }, schema: {} } }).slice(1)}}`
    const withOffers = (json: string) => json.slice(0, -2) + added
    const header = [text, text.replace(namedBlock, '')]
      .map(json => Buffer.from(withOffers(json)).toString('base64'))
      .find(({ length }) => length <= headerLimitBytes)
    if (header === undefined) return quote
    return {
      header,
      unpaid: Buffer.from(withOffers(quote.unpaid.toString())),
      body: (code, message) => withOffers(quote.body(code, message)),
    }
  }

  /**
   * The sale with a signed receipt in its settlement. A replay may come often, and to read and hash a long answer takes long. So the same
   * one is read and signed once.
   */
  async receipted(sold: Sold, about: Receipted): Promise<Sold> {
    try {
      return await this.#receipted(sold, about)
    } catch {
      // It is paid for, so it goes out unsigned.
      return sold
    }
  }

  async #receipted(sold: Sold, about: Receipted): Promise<Sold> {
    const { 'PAYMENT-RESPONSE': header, ...headers } = sold.headers
    if (header === undefined) return sold
    const name = sold.replayed && sha256(JSON.stringify([about, header, sold.answerName]))
    const written = (name && this.#replayed.ask(name)) || (await this.#settlement(header, sold.body, about))
    if (name) this.#replayed.set(name, written)
    return { ...sold, headers: { ...headers, 'PAYMENT-RESPONSE': written } }
  }

  /** The header of a settlement with a signed receipt. Throws if the answer has no canonical form. */
  async #settlement(header: string, body: string, { resourceUrl, question }: Receipted): Promise<string> {
    const answerSha256 = await answerHash(body)
    const settlement = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<
      'network' | 'payer' | 'transaction',
      string
    >
    const { network, payer, transaction } = settlement
    const issuedAt = Math.floor(this.#now() / 1000)
    const info = {
      receipt: this.#signed(receiptKind, { version: 1, network, resourceUrl, payer, issuedAt, transaction }),
      answer: this.#signed(answerKind, {
        resourceUrl,
        payer,
        transaction,
        questionSha256: hashOf(question),
        answerSha256,
      }),
    }
    const signed = { ...settlement, extensions: { [extension]: { info } } }
    return Buffer.from(JSON.stringify(signed)).toString('base64')
  }

  #signed(kind: Kind, payload: TypedMessage): Signed {
    return { format: 'eip712', payload, signature: sign(kind, payload, this.#key) }
  }
}
