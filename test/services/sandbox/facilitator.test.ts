import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { startFacilitator } from '../../../services/sandbox/facilitator.ts'
import { solanaSigner } from '../../../services/sandbox/keys.ts'
import type { Loopback } from '../../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'
import { startSolanaChain } from '../../../services/sandbox/solana-node.ts'
import { startFacilitators } from '../../../services/sandbox/two-facilitators.ts'

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

it('that is told to be slow keeps what it settles waiting, and nothing else', async () => {
  const { urls, control, close } = await startFacilitators([chain])
  onTestFinished(close)
  expect((await fetch(`${control}/1/slow`, { method: 'POST' })).status).toBe(200)
  const hangsUp = new AbortController()
  const settled = fetch(`${urls[0]}/settle`, { method: 'POST', body: '{}', signal: hangsUp.signal }).then(
    () => 'settled',
    () => 'hung up',
  )
  const supported = fetch(`${urls[0]}/supported`).then(({ status }) => `supported: ${status}`)
  expect(await Promise.race([settled, supported])).toBe('supported: 200')
  hangsUp.abort()
  expect(await settled).toBe('hung up')
})
