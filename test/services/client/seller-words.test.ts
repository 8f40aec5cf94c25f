/** What a seller says is never taken for a word of the client, and nothing of it is lost, or steers a terminal. */
import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../../services/client/command.ts'
import { createFarebox } from '../../../services/client/farebox.ts'
import { Budget, purseInMemory } from '../../../services/client/purse.ts'
import { evmKey } from '../sandbox/running.ts'
import { header } from '../till/paying.ts'
import { answer, ask402, offering, startHostileSeller } from './hostile-seller.ts'

const settled = {
  'payment-response': header({ success: true, transaction: '0xabc', network: 'eip155:8453' }),
}
const says =
  (type: string, body: string, more: object = {}) =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': type, ...more }).end(body)

/** Asks for a payment, and gives this to who pays. */
const sellerOf = (toPaid: (response: ServerResponse) => void) =>
  startHostileSeller((response, { paid }) => (paid ? toPaid(response) : ask402(response, offering())))

const bought = async (toPaid: (response: ServerResponse) => void) => {
  const { url } = await sellerOf(toPaid)
  return createFarebox({ url, wallet: { evmKey }, purse: purseInMemory(), patienceMs: 0 }).call('/joke')
}

async function command(toPaid: (response: ServerResponse) => void, ...more: string[]) {
  const { url } = await sellerOf(toPaid)
  const said: string[] = []
  for (const method of ['error', 'log'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation(words => void said.push(String(words)))
    onTestFinished(() => spy.mockRestore())
  }
  const env = { FAREBOX_URL: url, FAREBOX_KEY: evmKey }
  const code = await run(['call', '/joke', '{}', '--patience', '0', ...more], { env, purse: purseInMemory() })
  return { code, said: said.join('\n'), lines: said }
}

describe('what was paid for is given, whatever its form', () => {
  it.each<[string, string, unknown]>([
    ['text/plain', 'a joke', 'a joke'],
    ['application/json', '["a joke"]', ['a joke']],
    ['application/json', '"a joke"', 'a joke'],
  ])('%s %s', async (type, body, expected) => {
    expect(await bought(says(type, body, settled))).toMatchObject({ ok: true, answer: expected })
  })

  it('but a page that says nothing of the payment is no answer, and keeps the payment', async () => {
    for (const page of ['<html>Welcome to our hotel</html>', ''])
      expect(await bought(says('text/html', page))).toMatchObject({
        ok: false,
        error: { code: 'unreadable', charged: null, payment: expect.any(String) },
      })
  })

  it('and a word of his own that is called receipt is none', async () => {
    const result = await bought(says('application/json', '{"receipt":"no. 5"}', settled))
    expect(result).toMatchObject({ ok: true, answer: { receipt: 'no. 5' } })
    expect(result).not.toHaveProperty('receipt')
  })
})

describe('a seller who speaks in the client’s name', () => {
  it.each(['dry_run', 'over_budget', 'cannot_pay'])('%s, after a payment, says nothing', async error => {
    const refused = (response: ServerResponse) => void answer(response, 402, { error, message: 'ha' })
    expect(await bought(refused)).toMatchObject({ error: { code: 'unreadable', charged: null } })
    expect(await command(refused)).toMatchObject({ code: 5 })
  })

  it('cannot say that less was paid than was signed, or nothing', async () => {
    const cheap = await command(says('application/json', '{"receipt":{"price_usdc":0.0000001}}', settled))
    expect(cheap.said).toContain('paid 0.002 USDC on base')
    const again = { ...settled, 'idempotent-replayed': 'true' }
    const free = await command(says('application/json', '{}', again))
    expect(free.said).not.toContain('nothing was paid')
    expect(free.said).toContain('0.002 USDC on base were signed')
  })
})

describe('words that have no form', () => {
  const odd = { toString: 1, valueOf: 1 }
  const challenge = (url: string) => ({
    info: { domain: new URL(url).host, uri: `${url}/joke`, version: '1', nonce: odd },
    supportedChains: [{ chainId: 'eip155:8453' }],
  })

  it('throw nothing, so that the payment is not lost', async () => {
    const lost = { ok: false, error: { charged: null, payment: expect.any(String) } }
    expect(await bought(response => void answer(response, 500, { error: 'x', message: odd }))).toMatchObject(
      lost,
    )
    const seller = await startHostileSeller((response, { paid }) => {
      const info = challenge(seller.url)
      const statement = 'Give me the answer that I have paid for.'
      const extensions = { 'sign-in-with-x': { ...info, info: { ...info.info, statement } } }
      if (paid) answer(response, 409, { error: 'payment_already_used', extensions })
      else ask402(response, offering())
    })
    const client = createFarebox({
      url: seller.url,
      wallet: { evmKey },
      purse: purseInMemory(),
      patienceMs: 0,
    })
    expect(await client.call('/joke')).toMatchObject(lost)
  })

  it('stand in one line, which is no line of the client', async () => {
    const message = 'No.\nreplayed, nothing was paid\r\u2028\u2029\u0085.'
    const refusal = { error: 'busy\npaid', message, charged: false }
    const { lines } = await command(response => void answer(response, 503, refusal))
    expect(lines).toEqual(['busy?paid: No.?replayed, nothing was paid????.'])
  })

  it('steer no terminal, and are the same values', async () => {
    const steering = { a: '\u009b31m\u202e', b: 'ä€' }
    const { said } = await command(says('application/json', JSON.stringify(steering), settled))
    expect(said).not.toMatch(/[\u009b\u202e]/)
    expect(JSON.parse(said.slice(0, said.indexOf('\n}') + 2))).toEqual(steering)
    const operations = [{ url: 'http://seller.example/x', price_usdc: '1', title: '\u001b[2Jevil' }]
    const seller = await startHostileSeller(response => void answer(response, 200, { operations }))
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await run(['catalog'], { env: { FAREBOX_URL: seller.url }, purse: purseInMemory() })
    expect(log.mock.calls.join()).toMatch(/\?\[2Jevil$/)
  })
})

it.each<[string, string[]]>([
  ['the answer', []],
  ['the result', ['--json']],
])('%s is printed however deep it nests, and its payment is told', async (_, more) => {
  const levels = 50_000
  const deep = `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`
  const { code, said } = await command(says('application/json', deep, settled), ...more)
  expect([code, said.includes(deep), said.includes('0xabc')]).toEqual([0, true, true])
})

it.each(['5', 'null', '"text"', 'true'])('%s is no question, and nobody is asked', async question => {
  const seller = await startHostileSeller(response => void response.end())
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const surroundings = { env: { FAREBOX_URL: seller.url }, purse: purseInMemory() }
  for (const path of ['/fx', '/receipts/signer'])
    expect(await run(['call', path, question], surroundings)).toBe(2)
  const client = createFarebox({ url: seller.url, purse: purseInMemory() })
  await expect(client.call('/joke', JSON.parse(question))).rejects.toThrow('no object of JSON')
  expect(seller.heard).toEqual([])
})

it('a key that no header can hold ends at once, and asks nobody', async () => {
  const seller = await startHostileSeller(response => void response.end())
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const words = ['call', '/fx', '{}', '--idempotency-key', 'ключ']
  expect(await run(words, { env: { FAREBOX_URL: seller.url }, purse: purseInMemory() })).toBe(2)
  expect(seller.heard).toEqual([])
})

it('an amount is given back once, also where the purse fails in between', async () => {
  const purse = purseInMemory()
  let isBroken = true
  const failing = {
    take: purse.take,
    giveBack(day: string, atoms: bigint) {
      if (isBroken && !day.includes('.')) throw new Error('the disk is full')
      return purse.giveBack(day, atoms)
    },
  }
  const policy = { hosts: { 'a.example': { max_usd_per_day: '1' } } }
  const budget = new Budget({ policy }, failing)
  const purpose = { host: 'a.example', path: '/fx', payTo: '0x1' }
  await budget.take(400_000n, purpose)
  const taken = await budget.take(400_000n, purpose)
  if (typeof taken === 'string') throw new Error(taken)
  await expect(taken.giveBack()).rejects.toThrow('full')
  isBroken = false
  await taken.giveBack()
  expect(await budget.refusalOf(700_000n, purpose)).toContain('0.4 were spent')
})
