/**
 * Unpaid 402s and paid calls per second: Farebox beside bare Fastify (the same bytes) and @x402/express (the same
 * handler, the same facilitator). Rounds alternate, so a machine that slows down slows them all; medians are told.
 */
import { authorizationTypes } from '@x402/evm'
import { privateKeyToAccount } from 'viem/accounts'
import { type Child, start } from './child.ts'
import { callsPerSecond, postBytes } from './load.ts'
import { path, question } from './servers/serving.ts'

const rounds = 5
const unpaidPerRound = 8_000
const paidPerRound = 600
const connections = 32

// The first well-known development key of the local chain tool: it holds nothing anywhere.
const payer = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const json = { 'content-type': 'application/json' }

interface Offer {
  payTo: `0x${string}`
  amount: string
  asset: `0x${string}`
  maxTimeoutSeconds: number
  extra: { name: string; version: string }
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
const shown = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en')}/s`

async function quoteOf({ url }: Child): Promise<{ header: string; body: string; offer: Offer }> {
  const response = await fetch(url + path, { method: 'POST', headers: json, body: question })
  const header = response.headers.get('payment-required') ?? ''
  const { accepts } = JSON.parse(Buffer.from(header, 'base64').toString())
  return { header, body: await response.text(), offer: accepts[0] }
}

async function payments(offer: Offer, count: number): Promise<Buffer[]> {
  const signed = []
  for (let i = 0; i < count; i++) {
    const nonce = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}` as const
    const validBefore = Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds
    const message = {
      from: payer.address,
      to: offer.payTo,
      value: BigInt(offer.amount),
      validAfter: 0n,
      validBefore: BigInt(validBefore),
      nonce,
    }
    const signature = await payer.signTypedData({
      domain: { ...offer.extra, chainId: 8453, verifyingContract: offer.asset },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message,
    })
    const authorization = {
      ...message,
      value: offer.amount,
      validAfter: '0',
      validBefore: String(validBefore),
    }
    const payload = { x402Version: 2, accepted: offer, payload: { signature, authorization } }
    signed.push(
      postBytes(path, question, {
        'payment-signature': Buffer.from(JSON.stringify(payload)).toString('base64'),
      }),
    )
  }
  return signed
}

export async function rates(): Promise<void> {
  const facilitator = await start('facilitator')
  const farebox = await start('farebox', [facilitator.url])
  const reference = await start('express', [facilitator.url])
  const quote = await quoteOf(farebox)
  const bare = await start('bare', [], { header: quote.header, body: quote.body })
  const referenceOffer = (await quoteOf(reference)).offer

  const unpaid = new Array<Buffer>(unpaidPerRound).fill(postBytes(path, question))
  const figures = {
    bare402: [] as number[],
    farebox402: [] as number[],
    reference: [] as number[],
    farebox: [] as number[],
  }
  for (let round = 0; round <= rounds; round++) {
    const measured = {
      bare402: await callsPerSecond(bare.url, unpaid, { connections, status: 402 }),
      farebox402: await callsPerSecond(farebox.url, unpaid, { connections, status: 402 }),
      reference: await callsPerSecond(reference.url, await payments(referenceOffer, paidPerRound), {
        connections,
        status: 200,
      }),
      farebox: await callsPerSecond(farebox.url, await payments(quote.offer, paidPerRound), {
        connections,
        status: 200,
      }),
    }
    // The first round warms everything up and is not counted.
    if (round)
      for (const [name, value] of Object.entries(measured)) figures[name as keyof typeof figures].push(value)
  }
  const [b, f, r, p] = [figures.bare402, figures.farebox402, figures.reference, figures.farebox].map(
    median,
  ) as [number, number, number, number]
  console.log(
    `unpaid 402   bare Fastify ${shown(b)}   Farebox ${shown(f)}   ratio ${(f / b).toFixed(2)} (reach 0.8)`,
  )
  console.log(
    `paid call    @x402/express ${shown(r)}   Farebox ${shown(p)}   ratio ${(p / r).toFixed(2)} (reach 3)`,
  )
  console.log(`medians of ${rounds} rounds, ${connections} calls in flight, every process on this machine`)
  await Promise.all([facilitator, farebox, reference, bare].map(child => child.stop()))
}
