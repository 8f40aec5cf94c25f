/** EVM chains: checks each field of an EIP-3009 authorization, and its signature. */
import type { EvmFinder } from '../../../pipelines/domains/payments/evm/finder.ts'
import { spendIdsOn } from '../../../pipelines/domains/payments/evm/spend-id.ts'
import { isTwin } from '../../../pipelines/rails/signing/ecdsa.ts'
import { type EvmNetworkName, families, networks } from '../../../schemas/tables/networks.ts'
import type { EvmTrace } from '../../../schemas/till-promises.ts'
import { Failure } from '../../offer/errors.ts'
import { isObject } from '../header.ts'
import { outlastsQuote } from '../ledger/purchase.ts'
import { unfit } from '../payment-failures.ts'
import { Looks } from '../sale/looks.ts'
import type { PaymentOffer } from '../till.ts'
import { type SignedAuthorization, signerOf, signerSoonOf } from './evm-signature.ts'
import type { Scheme } from './scheme.ts'

const { address } = families.evm
const uint = /^\d{1,78}$/
const nonce = /^0x[0-9a-fA-F]{64}$/
const addressLength = 2 + 40
const nonceLength = 2 + 64
const hex = /^0x(?:[0-9a-fA-F]{2})+$/
/** The signature of a key has 65 bytes. A contract may accept other lengths. */
const plainSignatureLength = 2 + 2 * 65
const isPlain = (signature: string): boolean => signature.length === plainSignatureLength
/** The clients of others sign for an hour, and the payer's clock may be a little ahead of ours. */
const longestSeconds = 65 * 60
/** Our clock may be behind the chain's at a sale, too. */
const longestLifeMs = longestSeconds * 1000 + 60_000

const forms = Object.entries({
  from: address,
  to: address,
  value: uint,
  validAfter: uint,
  validBefore: uint,
  nonce,
} satisfies Record<keyof SignedAuthorization, RegExp>)

function readAuthorization(presented: unknown): SignedAuthorization {
  if (!isObject(presented)) throw unfit('authorization is missing')
  for (const [name, pattern] of forms) {
    const value = Object.hasOwn(presented, name) ? presented[name] : undefined
    if (typeof value !== 'string' || !pattern.test(value)) throw unfit(`authorization.${name} is malformed`)
  }
  const { from, to, value, validAfter, validBefore, nonce } = presented as unknown as SignedAuthorization
  // A signature covers bytes, and no letters. So a wallet has one name here, however it is spelt, and one that nodes take.
  const plain = { from: from.toLowerCase(), to: to.toLowerCase(), nonce: nonce.toLowerCase() }
  return { value, validAfter, validBefore, ...plain }
}

/** An address and a nonce have one length, however their letters are written. */
const isLong = (text: unknown, length: number): text is string =>
  typeof text === 'string' && text.length === length

const isReadable = (signature: unknown): signature is string =>
  typeof signature === 'string' && hex.test(signature) && !isTwin(signature)

function authorizationIn(presented: unknown): SignedAuthorization | undefined {
  try {
    return readAuthorization(presented)
  } catch {
    // Strangers send anything here. A malformed payment was never taken.
    return undefined
  }
}

function plainOf({ signature, authorization }: Record<string, unknown>): Record<string, unknown> | undefined {
  const read = authorizationIn(authorization)
  return read && isReadable(signature) ? { signature, authorization: read } : undefined
}

function checkTerms(
  { to, value, validAfter, validBefore }: SignedAuthorization,
  offer: PaymentOffer,
  now: number,
): void {
  if (to !== offer.payTo.toLowerCase()) throw unfit('authorization.to is not payTo')
  if (value !== offer.amount) throw unfit('authorization.value is not the amount')
  const seconds = BigInt(Math.floor(now / 1000))
  if (BigInt(validAfter) > seconds) throw new Failure('payment_expired', 'The authorization is not valid yet')
  if (BigInt(validBefore) > seconds + BigInt(longestSeconds))
    throw unfit(`authorization.validBefore is too late: ${longestSeconds} seconds from now at most`)
}

/** Anybody can sign for an address that is not his, and each such payment asks a node. So all callers share these questions. */
const contractsAtOnce = 8
const contractsAMinute = 60
const anybody = ''

interface EvmOptions {
  network: EvmNetworkName
  finder: EvmFinder
  now: () => number
}

/** Undefined if no node responds, or if nodes have been asked enough. */
function contractsAsked(finder: EvmFinder, now: () => number) {
  const looks = new Looks(now, { atOnce: contractsAtOnce, aMinute: contractsAMinute })
  return async (address: string) =>
    (await looks.look(anybody, () => finder.isContract(address).catch(() => undefined))) ?? undefined
}

/** One call asks twice for the same id, one after the other. */
function idsOn(network: EvmNetworkName): (from: string, nonce: string) => string {
  const idOf = spendIdsOn(network)
  let last = { from: '', nonce: '', id: '' }
  return (from, nonce) => {
    if (from !== last.from || nonce !== last.nonce) last = { from, nonce, id: idOf(from, nonce) }
    return last.id
  }
}

export function evmScheme({ network, finder, now }: EvmOptions): Scheme<EvmTrace> {
  const { caip2, asset: ownAsset, domain, receipt } = networks[network]
  const idOf = idsOn(network)
  const traceOf = ({ from, to, value, nonce, validBefore }: SignedAuthorization): EvmTrace => {
    return { network: caip2, from, to, value, nonce, valid_before: Number(validBefore) }
  }
  const signed = { network: caip2, asset: ownAsset, domain }
  /** Does the signature come from the payer's key? A contract's signature does not. */
  const isOwn = (signature: string, authorization: SignedAuthorization): boolean =>
    isPlain(signature) && signerOf(signature, authorization, signed) === authorization.from
  const isContract = contractsAsked(finder, now)

  return {
    network: receipt,
    longestLifeMs,

    async check(payload, offer) {
      const { signature } = payload
      if (typeof signature !== 'string' || !hex.test(signature)) throw unfit('signature is malformed')
      if (isTwin(signature)) throw unfit('the s of the signature is in the upper half of the order')
      const authorization = readAuthorization(payload.authorization)
      checkTerms(authorization, offer, now())
      const { from, nonce } = authorization
      const spendId = idOf(from, nonce)
      const plain = isPlain(signature)
      const proven = plain && (await signerSoonOf(signature, authorization, signed)) === from
      // These 65 bytes may be the signature of a contract's owner. Without a node to ask, the facilitator decides.
      if (plain && !proven && (await isContract(from)) === false)
        throw unfit('the signature is not that of authorization.from')
      const validBefore = Number(authorization.validBefore)
      return {
        payer: from,
        spendId,
        payload: { signature, authorization },
        trace: traceOf(authorization),
        expiresAt: validBefore * 1000,
        deadAt: validBefore * 1000,
        firstDeadAt: validBefore * 1000,
        proven,
        // A refused payment is watched until it is dead. So one that lives long is refused before anybody may have sent it.
        settlesSurely: proven && !outlastsQuote(validBefore * 1000 - now()),
        patienceMs: Number.POSITIVE_INFINITY,
      }
    },

    spendOf({ authorization }) {
      const said = isObject(authorization) ? authorization : {}
      return isLong(said.from, addressLength) && isLong(said.nonce, nonceLength)
        ? idOf(said.from, said.nonce)
        : undefined
    },

    past({ authorization, signature }) {
      const read = authorizationIn(authorization)
      if (!read) return undefined
      const deadAt = Number(read.validBefore) * 1000
      return {
        trace: traceOf(read),
        sinceMs: deadAt - longestLifeMs,
        deadAt,
        isSigned: () => isReadable(signature) && (isOwn(signature, read) || undefined),
        pays: payTo => read.to === payTo.toLowerCase(),
      }
    },

    plain: plainOf,
    heldBy: ({ from }) => finder.heldBy(from),
    find: (trace, sinceMs, tx) => finder.find(trace, sinceMs, tx),
  }
}
