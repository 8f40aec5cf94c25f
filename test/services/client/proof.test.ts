/** How the client gets back a lost answer that it has paid for, and what it never signs for that. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../../services/client/command.ts'
import { createFarebox } from '../../../services/client/farebox.ts'
import { proofFor } from '../../../services/client/proof.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import { openSelling } from '../query/selling.ts'
import { evmKey } from '../sandbox/running.ts'
import { answer, ask402, offering, startHostileSeller } from './hostile-seller.ts'

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
  expect(other).toMatchObject({
    ok: false,
    error: { code: 'payment_already_used', charged: true, answer: 'kept', keptUntil: expect.any(String) },
  })
  expect(selling.facilitator.calls.settle).toBe(1)
})

describe('the command ends with a code that says what became of the answer', () => {
  const quoted = offering()
  const proof = { 'sign-in-with-x': { info: { nonce: 'x' } } }
  it.each<[string, number, RegExp, object]>([
    ['nobody can tell', 5, /present it again/, { error: 'payment_unknown', charged: null }],
    [
      'charged before, and no more is said',
      5,
      /present it again/,
      { error: 'invalid_request', charged: true },
    ],
    ['kept', 6, /its answer is kept/, { error: 'payment_already_used', charged: true, extensions: proof }],
    ['gone', 7, /^payment_already_used/, { error: 'payment_already_used', charged: true }],
  ])('%s: %d', async (_, code, words, body) => {
    const seller = await startHostileSeller((response, { paid }) =>
      paid ? answer(response, 409, body) : ask402(response, quoted),
    )
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => said.mockRestore())
    const env = { FAREBOX_URL: seller.url, FAREBOX_KEY: evmKey }
    const house = { env, purse: purseInMemory() }
    expect(await run(['call', '/fx', '{}', '--patience', '0'], house)).toBe(code)
    const lines = said.mock.calls.flat().map(String)
    expect(lines.at(-1)).toMatch(words)
    expect(lines.some(line => line.includes('--payment '))).toBe(code !== 7)
  })
})

it('proves again if the answer to a proof was lost, too', async () => {
  const selling = await openSelling({ trustProxy: true })
  let lost = 0
  let from = '203.0.113.7'
  const payments: string[] = []
  const farebox = createFarebox({
    ...{ url, wallet: { evmKey }, purse: purseInMemory(), patienceMs: 5000 },
    fetch: async (address, request) => {
      const headers = new Headers(request?.headers)
      headers.set('x-forwarded-for', from)
      payments.push(...[headers.get('payment-signature') ?? []].flat())
      const response = await fetch(String(address).replace(url, selling.url), { ...request, headers })
      if (!headers.has('sign-in-with-x') || !response.ok || lost++ > 0) return response
      await response.arrayBuffer()
      throw new Error('the connection is lost')
    },
  })
  expect(await farebox.call('/echo')).toMatchObject({ ok: true })
  from = '203.0.113.8'
  const again = await farebox.call('/echo', {}, { payment: payments[0] })
  expect([lost, again]).toMatchObject([2, { ok: true, answer: { said: 'hello' } }])
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
