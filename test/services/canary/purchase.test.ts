/** The canary beside a seller who is what he should be, and beside liars. The till, its ledger and the receipts are real. */
import { beforeEach, describe, expect, it } from 'vitest'
import { openEvmWallet } from '../../../pipelines/domains/payments/evm/wallet.ts'
import type { CanaryPurchase } from '../../../schemas/canary-purchases.ts'
import { buy, type Shopping } from '../../../services/canary/purchase.ts'
import { Signer } from '../../../services/query/signing/signer.ts'
import { originOf } from '../an-origin.ts'
import { openSelling, type Selling } from '../query/selling.ts'
import { echo, payTo } from '../till/paying.ts'

const signer = new Signer([`0x${'21'.repeat(32)}`], Date.now)
const [address = ''] = signer.addresses
const key = `0x${'34'.repeat(32)}`
const { url } = originOf([echo])

let selling: Selling
let told: CanaryPurchase[]
beforeEach(async () => {
  selling = await openSelling({ signer })
  selling.facilitator.chain = 'truthful'
  told = []
})

type Tamper = (response: Response, asked: { path: string; paid: boolean }) => Promise<Response> | Response
const asIs: Tamper = response => response

/** Buys at the seller's address. `tamper` stands between. */
async function shop(more: Partial<Shopping> = {}, tamper = asIs) {
  const asked: { path: string; paid: boolean }[] = []
  const ended = await buy({
    ...{ name: 'base', payTo, url, address: url, operation: echo, signer: address },
    wallet: openEvmWallet('base', { key, rpcUrls: [`${selling.facilitator.url}/chain`], now: Date.now }),
    facts: {
      tell: async purchase => void told.push(purchase),
      intend: async purchase => told.push(purchase) > 0,
    },
    ...{ now: Date.now, nextAt: Date.now() + 60_000, chainMs: 0 },
    fetch: async (to, init) => {
      const path = String(to).slice(url.length)
      const headers = new Headers(init?.headers)
      const one = { path, paid: headers.has('payment-signature') }
      if (init?.method === 'POST') expect(headers.get('user-agent')).toBe('farebox-canary')
      asked.push(one)
      return tamper(await fetch(selling.url + path, init), one)
    },
    ...more,
  })
  return { ended, asked, settled: selling.facilitator.calls.settle }
}

const changed = async (response: Response, change: (body: Record<string, unknown>) => object) =>
  new Response(JSON.stringify(change((await response.json()) as Record<string, unknown>)), {
    status: response.status,
    headers: response.headers,
  })
const header = (response: Response, name: string) =>
  JSON.parse(Buffer.from(response.headers.get(name) ?? '', 'base64').toString())
async function withHeader(response: Response, name: string, value: object) {
  const headers = new Headers(response.headers)
  headers.set(name, Buffer.from(JSON.stringify(value)).toString('base64'))
  return new Response(await response.text(), { status: response.status, headers })
}

it('finds nothing wrong where nothing is', async () => {
  const { ended, settled } = await shop()
  expect(ended).toMatchObject({ state: 'good', failed_step: null, price_usdc: '0.002', network: 'base' })
  expect(ended.payment_tx).toBe(selling.facilitator.landed[0]?.tx)
  expect(ended.payer).toBe(selling.facilitator.landed[0]?.from.toLowerCase())
  expect(told.map(({ state }) => state)).toEqual(['intended', 'good'])
  expect(settled).toBe(1)
})

it('asks the seller who signs, where the operator has not said it', async () => {
  expect((await shop({ signer: undefined })).ended).toMatchObject({
    // This seller has no such route, though he signs.
    state: 'good',
  })
  const { ended } = await shop({ signer: undefined }, (response, { path }) =>
    path === '/receipts/signer' ? Response.json({ signer: `0x${'9'.repeat(40)}` }) : response,
  )
  expect(ended).toMatchObject({ state: 'failed', failed_step: 'signature' })
})

describe('does not pay', () => {
  it.each<[string, Tamper]>([
    [
      'another payee',
      response => {
        const quote = header(response, 'payment-required')
        for (const offer of quote.accepts) offer.payTo = `0x${'6'.repeat(40)}`
        return withHeader(response, 'payment-required', quote)
      },
    ],
    [
      'a quote for another address',
      response => {
        const quote = header(response, 'payment-required')
        return withHeader(response, 'payment-required', { ...quote, resource: { url: 'http://else/' } })
      },
    ],
    ['an answer without a price', () => Response.json({ said: 'hello' })],
    ['a seller who is down', () => Response.error()],
  ])('%s', async (_, tamper) => {
    const { ended, asked } = await shop({}, (response, one) => (one.paid ? response : tamper(response, one)))
    expect(ended).toMatchObject({ state: 'failed', failed_step: 'quote', payment_tx: null })
    expect(asked.some(({ paid }) => paid)).toBe(false)
    expect(told.map(({ state }) => state)).toEqual(['failed'])
  })

  it('where the log does not take the intent, or the day has no room', async () => {
    const refusing = { tell: async () => {}, intend: () => Promise.reject(new Error('disk full')) }
    const late = await shop({ facts: refusing })
    expect(late.ended).toMatchObject({ state: 'failed', failed_step: 'log' })
    const full = await shop({ facts: { tell: async () => {}, intend: async () => false } })
    expect(full.ended).toMatchObject({ state: 'skipped', payment_tx: null })
    expect([...late.asked, ...full.asked].some(({ paid }) => paid)).toBe(false)
  })

  it('a question that is free, though the seller wants money for it', async () => {
    const { ended, asked } = await shop({ signer: undefined }, async (response, { path }) => {
      if (path !== '/receipts/signer') return response
      const quote = await selling.ask()
      return new Response(await quote.text(), { status: 402, headers: quote.headers })
    })
    expect(ended).toMatchObject({ state: 'failed', failed_step: 'signature' })
    expect(asked.filter(({ paid }) => paid).map(({ path }) => path)).toEqual(['/echo'])
    expect(selling.facilitator.calls.settle).toBe(1)
  })
})

describe('finds what is wrong with what it has paid for', () => {
  const paid =
    (tamper: (response: Response) => Promise<Response>): Tamper =>
    (response, { paid }) =>
      paid ? tamper(response) : response
  const settlement = (change: (settled: { transaction: string; extensions: never }) => object) =>
    paid(response => withHeader(response, 'payment-response', change(header(response, 'payment-response'))))

  it.each<[string, string, Tamper]>([
    ['answer', 'another form', paid(response => changed(response, body => ({ ...body, said: 7 })))],
    ['signature', 'other words', paid(response => changed(response, body => ({ ...body, said: 'no' })))],
    ['signature', 'no signature', settlement(({ extensions: _, ...settled }) => settled)],
    [
      'receipt',
      'another price',
      paid(response =>
        changed(response, body => ({ ...body, receipt: { ...(body.receipt as object), price_usdc: 0.001 } })),
      ),
    ],
    [
      'receipt',
      'another transaction',
      settlement(settled => ({ ...settled, transaction: `0x${'ab'.repeat(32)}` })),
    ],
  ])('at %s: %s', async (step, _, tamper) => {
    const { ended } = await shop({}, tamper)
    expect(ended).toMatchObject({
      state: 'failed',
      failed_step: step,
      reason: expect.stringContaining('it was paid'),
    })
    expect(ended.payment_tx).toBe(selling.facilitator.landed[0]?.tx)
  })

  it('a signature by another key than the operator has named', async () => {
    const { ended } = await shop({ signer: `0x${'9'.repeat(40)}` })
    expect(ended).toMatchObject({ state: 'failed', failed_step: 'signature' })
  })

  it('a facilitator that has settled nothing', async () => {
    selling.facilitator.settle = 'invented'
    const { ended } = await shop()
    expect(ended).toMatchObject({ state: 'failed', failed_step: 'chain', payment_tx: null })
  })

  it('a seller who sells, and signs, for an old transfer of this very wallet', async () => {
    const { ended: first } = await shop()
    expect(first.state).toBe('good')
    selling.facilitator.settle = 'invented'
    const transaction = first.payment_tx as string
    const forging: Tamper = async (response, { paid }) => {
      if (!paid) return response
      const { success, network, payer } = header(response, 'payment-response')
      const body = (await response.json()) as { receipt: object }
      const settled = Buffer.from(JSON.stringify({ success, network, payer, transaction })).toString('base64')
      const sold = {
        body: JSON.stringify({ ...body, receipt: { ...body.receipt, payment_tx: transaction } }),
        headers: { 'PAYMENT-RESPONSE': settled },
        replayed: false,
      }
      const forged = await signer.receipted(sold as never, {
        resourceUrl: `${url}/echo`,
        question: { say: 'hello' },
      })
      return new Response(forged.body, {
        headers: { ...forged.headers, 'content-type': 'application/json' },
      })
    }
    const { ended } = await shop({}, forging)
    expect(ended).toMatchObject({ state: 'failed', failed_step: 'chain', payment_tx: null })
  })

  it('nodes that do not answer', async () => {
    const { ended } = await shop({
      wallet: openEvmWallet('base', { key, rpcUrls: ['http://127.0.0.1:1'], now: Date.now }),
    })
    expect(ended).toMatchObject({ state: 'failed', failed_step: 'chain', reason: 'no node tells' })
  })
})

it('an answer that does not come is told, and so is that it was paid', async () => {
  const { ended, asked } = await shop({}, (response, { paid }) =>
    paid ? Response.json({ error: 'gone', message: 'try later', charged: false }, { status: 500 }) : response,
  )
  expect(ended).toMatchObject({ state: 'failed', failed_step: 'answer' })
  expect(ended.reason).toMatch(/^500 gone: try later; and it was paid$/)
  expect(asked.filter(({ paid }) => paid)).toHaveLength(1)
})
