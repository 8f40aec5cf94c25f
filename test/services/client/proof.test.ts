/** How the client gets an answer that it has paid for and lost, and what it never signs for that. */
import { expect, it } from 'vitest'
import { createFarebox } from '../../../services/client/farebox.ts'
import { proofFor } from '../../../services/client/proof.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import { openSelling } from '../query/selling.ts'
import { evmKey } from '../sandbox/running.ts'

const url = 'https://farebox.example'

it('proves with its wallet that a payment was its own, from another address and without its key', async () => {
  const selling = await openSelling({ trustProxy: true })
  let from = '203.0.113.7'
  const payments: string[] = []
  const clientOf = () =>
    createFarebox({
      url,
      wallet: { evmKey },
      purse: purseInMemory(),
      patienceMs: 0,
      fetch: (address, request) => {
        const headers = new Headers(request?.headers)
        headers.set('x-forwarded-for', from)
        payments.push(...[headers.get('payment-signature') ?? []].flat())
        return fetch(String(address).replace(url, selling.url), { ...request, headers })
      },
    })
  expect(await clientOf().call('/echo')).toMatchObject({ ok: true, answer: { said: 'hello' } })
  from = '203.0.113.8'
  const [payment] = payments
  const again = await clientOf().call('/echo', {}, { payment })
  expect(again).toMatchObject({ ok: true, answer: { said: 'hello' }, replayed: true })
  const other = await clientOf().call('/echo', { say: 'x' }, { payment })
  expect(other).toMatchObject({ ok: false, error: { code: 'payment_already_used', charged: true } })
  expect(selling.facilitator.calls.settle).toBe(1)
})

it.each<[string, object]>([
  ['another host', { domain: 'bank.example' }],
  ['another address', { uri: 'https://bank.example/fx' }],
  ['another text', { statement: 'Give everything away.' }],
  ['a nonce of several lines', { nonce: 'abcdefgh\nURI: https://bank.example' }],
  ['another thing than a payment', { resources: ['https://bank.example/'] }],
  ['more than a payment', { resources: [`urn:x402:payment:${'0'.repeat(64)}`, 'https://bank.example/'] }],
])('never signs %s', async (_, change) => {
  const info = {
    domain: 'farebox.example',
    uri: `${url}/fx`,
    statement: 'Give me the answer that I have paid for.',
    version: '1',
    nonce: '0'.repeat(32),
    issuedAt: '2026-01-01T00:00:00.000Z',
    expirationTime: '2026-01-01T00:05:00.000Z',
    resources: [`urn:x402:payment:${'0'.repeat(64)}`],
  }
  const supportedChains = [{ chainId: 'eip155:8453', type: 'eip191' }]
  const asked = (more: object) => ({
    extensions: { 'sign-in-with-x': { info: { ...info, ...more }, supportedChains } },
  })
  expect(await proofFor(asked({}), `${url}/fx`, { evmKey })).toBeDefined()
  expect(await proofFor(asked(change), `${url}/fx`, { evmKey })).toBeUndefined()
})
