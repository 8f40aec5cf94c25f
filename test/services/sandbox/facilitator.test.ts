import { afterAll, beforeAll, expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { startFacilitator } from '../../../services/sandbox/facilitator.ts'
import { solanaSigner } from '../../../services/sandbox/keys.ts'
import type { Loopback } from '../../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'
import { startSolanaChain } from '../../../services/sandbox/solana-node.ts'

let chain: PlayChain
let facilitator: Loopback
beforeAll(async () => {
  chain = await startSolanaChain()
  facilitator = await startFacilitator([chain])
})
afterAll(async () => {
  await facilitator?.close()
  await chain?.close()
})

const post = (path: string, body: string) => fetch(`${facilitator.url}${path}`, { method: 'POST', body })

it('offers the networks it was given, with one fee payer that never changes', async () => {
  const { address: feePayer } = await solanaSigner('facilitator')
  for (const _ of [1, 2]) {
    const supported = await (await fetch(`${facilitator.url}/supported`)).json()
    expect(supported).toMatchObject({
      kinds: [{ x402Version: 2, scheme: 'exact', network: networks.solana.caip2, extra: { feePayer } }],
      signers: { 'solana:*': [feePayer] },
    })
  }
})

it.each(['/verify', '/settle'])('answers junk on %s with 400, and goes on', async path => {
  for (const body of ['', 'null', '{}', '{"paymentPayload":{"x402Version":9},"paymentRequirements":{}}'])
    expect((await post(path, body)).status).toBe(400)
  expect((await fetch(`${facilitator.url}/supported`)).status).toBe(200)
})

it('knows no other page', async () => {
  expect((await fetch(`${facilitator.url}/verify`)).status).toBe(404)
})
