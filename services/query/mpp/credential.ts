/**
 * Reads a credential of the scheme `Payment` of HTTP authentication (MPP), and turns it into the payment of x402 that it is. Below
 * this door one payment has one form and one spend id, whichever protocol has brought it.
 */
import { keccak256 } from '../../../pipelines/rails/signing/keccak256.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { readStrictJson } from '../../../schemas/values/strict-json.ts'
import { Failure } from '../../offer/errors.ts'
import { isObject, limitBytes } from '../../till/header.ts'
import { maxTimeoutSeconds } from '../../till/quotes.ts'
import type { Challenge, Presented } from '../../till/till.ts'

export const namespace = 'eip155:'
const base64url = /^[A-Za-z0-9_-]+$/
const scheme = /(?:^|,)\s*payment(?:\s+([^,]*))?(?=,|$)/gi
/** The texts of a challenge. The first five are in every one. */
const names = ['id', 'realm', 'method', 'intent', 'request', 'expires', 'digest', 'opaque'] as const
const required = 5

const unreadable = (why: string): Failure =>
  new Failure('invalid_payment_header', `Authorization: Payment ${why}`)

/** The credential in the values of Authorization. Undefined: they speak of something else. */
export function credentialIn(values: readonly string[] | undefined): string | undefined {
  const found = values?.flatMap(value => Array.from(value.matchAll(scheme), ([, text = '']) => text.trim()))
  return found?.length ? found.join(', ') : undefined
}

export function readCredential(text: string): Presented {
  if (text.length > limitBytes) throw new Failure('headers_too_large')
  if (!base64url.test(text)) throw unreadable('is not one credential in base64url, without padding')
  const { challenge, payload, source } = objectIn(text)
  if (!isObject(challenge) || !isObject(payload)) throw unreadable('has no challenge or no payload')
  const answers = challengeOf(challenge)
  const { type, signature, ...authorization } = payload
  return {
    json: {
      x402Version: 2,
      ...ownResource(answers.opaque),
      accepted: acceptedIn(answers.request),
      payload: { signature, authorization },
    },
    credential: { challenge: answers, type, source },
  }
}

/** Why a credential does not answer its challenge. Undefined: it does. */
export function mismatchIn({ json, credential }: Presented): string | undefined {
  if (!credential) return undefined
  const { challenge, type, source } = credential
  const { method, intent, id, realm } = challenge
  if (method !== 'evm' || intent !== 'charge') return 'the method is not evm, or the intent is not charge'
  if (type !== 'authorization')
    return 'payload.type is not authorization: no transaction and no hash of one buys anything here'
  const { authorization } = json.payload as { authorization: Record<string, unknown> }
  const { nonce, from } = authorization
  if (typeof nonce !== 'string' || typeof from !== 'string') return 'payload.nonce or payload.from is no text'
  if (nonce.toLowerCase() !== `0x${keccak256(Buffer.from(id + realm))}`)
    return 'the nonce is not the hash of the challenge'
  const { network } = json.accepted as { network?: string }
  const payer = `did:pkh:${network}:${from}`
  if (source !== undefined && (typeof source !== 'string' || source.toLowerCase() !== payer.toLowerCase()))
    return 'source is not the payer'
  return undefined
}

function objectIn(text: string): Record<string, unknown> {
  let read: unknown
  try {
    read = readStrictJson(Buffer.from(text, 'base64url').toString())
  } catch {
    // Strangers send anything here.
    throw unreadable('is not base64url of JSON')
  }
  if (!isObject(read)) throw unreadable('is not base64url of a JSON object')
  return read
}

function challengeOf(sent: Record<string, unknown>): Challenge {
  const texts = names.flatMap((name, index) => {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (value === undefined && index >= required) return []
    if (typeof value !== 'string') throw unreadable(`has no challenge.${name} that is a text`)
    return [[name, value]]
  })
  return Object.fromEntries(texts) as Challenge
}

/** The offer that the challenge was made of. */
function acceptedIn(request: string): object {
  const { amount, currency, recipient, methodDetails } = objectIn(request)
  const { chainId } = isObject(methodDetails) ? methodDetails : {}
  if (!Number.isSafeInteger(chainId)) throw unreadable('has no chainId that is a number')
  const network = `${namespace}${chainId}`
  const row = Object.values(networks).find(({ caip2 }) => caip2 === network)
  const extra = row && 'domain' in row ? row.domain : {}
  return {
    scheme: 'exact',
    ...{ network, amount, asset: currency, payTo: recipient, maxTimeoutSeconds, extra },
  }
}

/** The address that the challenge sells. */
function ownResource(opaque: string | undefined): { resource?: unknown } {
  return opaque === undefined ? {} : { resource: objectIn(opaque).resource }
}
