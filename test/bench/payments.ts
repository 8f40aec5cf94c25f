/** Payments as a client signs them, made fast enough that the load is not the limit. */
import { randomBytes } from 'node:crypto'
import { privateKeyToAddress } from 'viem/accounts'
import { secp256k1 } from '../../pipelines/rails/signing/secp256k1.ts'
import { digestOf } from '../../services/till/schemes/evm-signature.ts'
import type { Child } from './child.ts'
import { postBytes } from './load.ts'
import { path, question } from './servers/serving.ts'

const usual = { path, question }

// The first well-known development key of the local chain tool. It holds nothing anywhere.
const development = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const json = { 'content-type': 'application/json' }

export interface Offer {
  network: string
  payTo: string
  amount: string
  asset: string
  maxTimeoutSeconds: number
  extra: { name: string; version: string }
}

export async function quoteOf(
  { url }: Pick<Child, 'url'>,
  { path, question } = usual,
): Promise<{ header: string; body: string; offer: Offer }> {
  const response = await fetch(url + path, { method: 'POST', headers: json, body: question })
  const header = response.headers.get('payment-required') ?? ''
  const { accepts } = JSON.parse(Buffer.from(header, 'base64').toString())
  return { header, body: await response.text(), offer: accepts[0] }
}

/** Calls with a payment each, of these wallets in turn. */
export function paidCalls(
  offer: Offer,
  count: number,
  keys: readonly Buffer[] = [Buffer.from(development, 'hex')],
  { path, question } = usual,
): Buffer[] {
  const payers = keys.map(key => ({ key, from: privateKeyToAddress(`0x${key.toString('hex')}`) }))
  return Array.from({ length: count }, (_, nth) => {
    const { key, from } = payers[nth % payers.length] as (typeof payers)[number]
    const authorization = {
      from,
      to: offer.payTo,
      value: offer.amount,
      validAfter: '0',
      validBefore: String(Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds),
      nonce: `0x${randomBytes(32).toString('hex')}`,
    }
    const { network, asset, extra: domain } = offer
    const digest = digestOf(authorization, { network, asset, domain })
    const { signature, recovery } = secp256k1.sign(digest, key)
    const signed = `0x${Buffer.from(signature).toString('hex')}${(27 + recovery).toString(16)}`
    const payment = { x402Version: 2, accepted: offer, payload: { signature: signed, authorization } }
    return postBytes(path, question, {
      'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64'),
    })
  })
}
