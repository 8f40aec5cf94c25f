/** An EIP-3009 authorization, checked field by field and by its signature. */
import { networks } from '../../schemas/networks.ts'
import { Failure } from '../errors.ts'
import { isObject, unfit } from './given.ts'
import type { CheckTools, Found } from './payment.ts'
import type { Offer, Terms } from './quote.ts'
import { sha256 } from './sha256.ts'
import { type Authorization, signerOf } from './signature.ts'

const address = /^0x[0-9a-fA-F]{40}$/
const uint = /^\d{1,78}$/
const nonce = /^0x[0-9a-fA-F]{64}$/
const hex = /^0x(?:[0-9a-fA-F]{2})+$/
/** 65 bytes are what a key signs; contracts take other lengths. */
const plainSignatureLength = 2 + 2 * 65
/** A clock that is somewhat ahead of ours; further on, an unknown outcome could not be waited out. */
const aheadSeconds = 60

const form: Record<keyof Authorization, RegExp> = {
  from: address,
  to: address,
  value: uint,
  validAfter: uint,
  validBefore: uint,
  nonce,
}

function read(given: unknown): Authorization {
  if (!isObject(given)) throw unfit('authorization is missing')
  for (const [name, pattern] of Object.entries(form)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (typeof value !== 'string' || !pattern.test(value)) throw unfit(`authorization.${name} is malformed`)
  }
  const { from, to, value, validAfter, validBefore, nonce } = given as unknown as Authorization
  return { from, to, value, validAfter, validBefore, nonce }
}

export const spendOfEvm = (network: string, asset: string, from: string, nonce: string): string =>
  sha256(`${network}|${asset}|${from}|${nonce}`.toLowerCase())

export async function checkEvm(
  payload: Record<string, unknown>,
  offer: Offer,
  { name }: Terms,
  { now, isContract }: CheckTools,
): Promise<Found> {
  const { signature } = payload
  if (typeof signature !== 'string' || !hex.test(signature)) throw unfit('signature is malformed')
  const authorization = read(payload.authorization)
  const from = authorization.from.toLowerCase()
  if (authorization.to.toLowerCase() !== offer.payTo.toLowerCase())
    throw unfit('authorization.to is not payTo')
  if (authorization.value !== offer.amount) throw unfit('authorization.value is not the amount')
  const seconds = BigInt(Math.floor(now() / 1000))
  if (BigInt(authorization.validAfter) > seconds)
    throw new Failure('payment_expired', 'The authorization is not valid yet')
  if (BigInt(authorization.validBefore) > seconds + BigInt(offer.maxTimeoutSeconds + aheadSeconds))
    throw unfit('authorization.validBefore is later than maxTimeoutSeconds allows')
  const validBefore = Number(authorization.validBefore)

  const plain = signature.length === plainSignatureLength
  const { caip2, asset, domain } = networks[name] as (typeof networks)['base']
  const proven = plain && signerOf(signature, authorization, { network: caip2, asset, domain }) === from
  // A contract may take 65 bytes that recover to its owner; with no node to ask, the facilitator decides.
  if (plain && !proven && (await isContract(from)) === false)
    throw unfit('the signature is not that of authorization.from')
  return {
    payer: authorization.from,
    spendId: spendOfEvm(offer.network, offer.asset, from, authorization.nonce),
    payload: { signature, authorization },
    trace: {
      chain: 'base',
      network: offer.network,
      from: authorization.from,
      to: authorization.to,
      value: authorization.value,
      nonce: authorization.nonce,
      valid_before: validBefore,
    },
    expiresAt: validBefore * 1000,
    deadAt: validBefore * 1000,
    proven,
  }
}
