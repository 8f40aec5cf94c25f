/**
 * The challenges of the scheme `Payment` of HTTP authentication (MPP), beside the quote of x402. Nothing is kept of them: the id
 * names all that a challenge says, under a key of ours. One id is one nonce of EIP-3009, so each challenge has a part of its own,
 * which tells strangers nothing of how many there were.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Challenge, PaymentOffer, Quote } from '../../till/till.ts'
import { namespace } from './credential.ts'

/** A challenge without the part of its own. */
interface Prepared {
  before: string
  after: string
}

interface OfQuote {
  until: number
  challenges: readonly Prepared[]
}

const stepMs = 60_000
/** A challenge lives for two minutes at least, and for no longer than a payment of our quotes may. */
const stepsOfLife = 3
/** With the quote of x402, the headers of a 402 stay below what clients read. */
const mostChallenges = 5
/** Of dollars, on every network of the table. */
const decimals = 6

const base64url = (value: object): string => Buffer.from(canonicalize(value) ?? '').toString('base64url')

export class Challenges {
  readonly #keys: readonly Buffer[]
  readonly #now: () => number
  readonly #prepared = new WeakMap<Quote, OfQuote>()

  /** The first secret signs now. The others have signed before. */
  constructor(secrets: readonly string[], now: () => number) {
    this.#keys = secrets.map(secret => createHmac('sha256', secret).update('challenges of MPP').digest())
    this.#now = now
  }

  /** The values of WWW-Authenticate for a quote of the till. */
  of(quote: Quote): string[] {
    let known = this.#prepared.get(quote)
    const now = this.#now()
    if (!known || now >= known.until || now < known.until - stepMs) {
      known = this.#prepare(quote, now)
      this.#prepared.set(quote, known)
    }
    const own = randomUUID()
    return known.challenges.map(({ before, after }) => before + own + after)
  }

  /** Has this service written the challenge? */
  isOurs({ id, ...challenge }: Challenge): boolean {
    const name = id.slice(0, id.indexOf('.'))
    return this.#keys.some(key => isSame(nameOf(challenge, key), name))
  }

  hasExpired({ expires = '' }: Challenge): boolean {
    return !(Date.parse(expires) > this.#now())
  }

  #prepare(quote: Quote, now: number): OfQuote {
    const [key] = this.#keys
    const begin = Math.floor(now / stepMs) * stepMs
    const expires = new Date(begin + stepsOfLife * stepMs).toISOString()
    const { resource, accepts } = JSON.parse(Buffer.from(quote.header, 'base64').toString()) as {
      resource: { url: string }
      accepts: PaymentOffer[]
    }
    const opaque = base64url({ resource: resource.url })
    const realm = new URL(resource.url).host
    const challenges = accepts
      .filter(({ network }) => key && network.startsWith(namespace))
      .slice(0, mostChallenges)
      .map(offer => {
        const challenge = {
          realm,
          method: 'evm',
          intent: 'charge',
          request: requestOf(offer),
          expires,
          opaque,
        }
        const { request } = challenge
        return {
          before: `Payment id="${nameOf(challenge, key as Buffer)}.`,
          after: `", realm="${realm}", method="evm", intent="charge", request="${request}", expires="${expires}", opaque="${opaque}"`,
        }
      })
    return { until: begin + stepMs, challenges }
  }
}

/** Only a signed authorization can pay. A transfer that the payer sends himself could be lost between him and us. */
const requestOf = ({ network, amount, asset, payTo }: PaymentOffer): string =>
  base64url({
    amount,
    currency: asset,
    recipient: payTo,
    methodDetails: {
      chainId: Number(network.slice(namespace.length)),
      credentialTypes: ['authorization'],
      decimals,
    },
  })

/** The seven slots of the specification. */
const nameOf = (
  { realm, method, intent, request, expires = '', digest = '', opaque = '' }: Omit<Challenge, 'id'>,
  key: Buffer,
): string =>
  createHmac('sha256', key)
    .update([realm, method, intent, request, expires, digest, opaque].join('|'))
    .digest('base64url')

function isSame(ours: string, theirs: string): boolean {
  const [one, other] = [Buffer.from(ours), Buffer.from(theirs)]
  return one.length === other.length && timingSafeEqual(one, other)
}
