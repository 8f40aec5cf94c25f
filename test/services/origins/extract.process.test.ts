/** The extract origin in a sandbox: sold on both networks over HTTP and MCP, from the sample shop. */
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findNote } from '../../../services/sandbox/note.ts'
import { payerBalance, payingClient, type Reachable } from '../../../services/sandbox/wallet.ts'
import { callerOf, clientOf } from '../query/mcp/connected.ts'
import { type RunningSandbox, runSandbox } from '../sandbox/running.ts'

let sandbox: RunningSandbox
let chains: readonly Reachable[]
/** A host of its own for the origin. The data origin has 127.0.0.1. */
let home: string
beforeAll(async () => {
  sandbox = await runSandbox({ EXTRACT_URL: 'http://localhost' })
  home = sandbox.url.replace('127.0.0.1', 'localhost')
  chains = (await findNote(sandbox.folder))?.chains ?? []
})
afterAll(() => sandbox?.stop())

const shop = (path: string) => `http://chandlery.sample${path}`

interface Bought {
  status: number
  body: { fetchedAt?: string }
  headers: Headers
  spent: bigint
}

async function buy(
  network: string,
  path: string,
  question: object,
  headers: Record<string, string> = {},
): Promise<Bought> {
  const chain = chains.find(each => each.network === network) as Reachable
  const pay = wrapFetchWithPayment(fetch, await payingClient(chain))
  const before = await payerBalance(chain)
  const response = await pay(`${home}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(question),
  })
  const body = (await response.json()) as Bought['body']
  return {
    status: response.status,
    body,
    headers: response.headers,
    spent: before - (await payerBalance(chain)),
  }
}

it.each(['base', 'solana'])(
  'sells a product on %s, and gives it again to its key for nothing',
  async network => {
    const key = { 'idempotency-key': `a-lamp-on-${network}` }
    const sold = await buy(network, '/extract', { url: shop('/products/NM-2041') }, key)
    expect(sold).toMatchObject({
      status: 200,
      spent: 10_000n,
      body: { name: 'Brass anchor lamp', offers: { price: 129 }, receipt: { charged: true, network } },
    })
    expect(decodePaymentResponseHeader(sold.headers.get('payment-response') ?? '')).toMatchObject({
      success: true,
    })
    const again = await buy(network, '/extract', { url: shop('/products/NM-2041') }, key)
    expect(again).toMatchObject({ status: 200, spent: 0n, body: { receipt: { replayed: true } } })
  },
)

it('gives the age of a kept page, and visits it anew for max_age_seconds 0', async () => {
  const url = shop('/boots')
  const first = await buy('base', '/extract', { url })
  const second = await buy('base', '/extract', { url })
  const { fetchedAt } = first.body
  expect(first.body).toMatchObject({ cached: false, cache_age_seconds: 0 })
  expect(second.body).toMatchObject({ cached: true, fetchedAt })
  const fresh = await buy('base', '/extract', { url, max_age_seconds: 0 })
  expect(fresh.body).toMatchObject({ cached: false, cache_age_seconds: 0 })
  expect(Date.parse(fresh.body.fetchedAt ?? '')).toBeGreaterThan(Date.parse(fetchedAt ?? ''))
})

it('charges a batch with two failures in full, and nothing for a batch of failures', async () => {
  const good = ['/products/NM-2041', '/boots', '/products/hand-compass']
  const urls = [...good, '/nowhere', '/products'].map(shop)
  const sold = await buy('base', '/extract/batch', { urls })
  expect(sold).toMatchObject({
    status: 200,
    spent: 40_000n,
    body: { succeeded: 3, failed: 2, receipt: { charged: true } },
  })
  const bad = ['/nowhere', '/products', '/', '/flag-price.json', '/gone'].map(shop)
  expect(await buy('base', '/extract/batch', { urls: bad })).toMatchObject({
    status: 422,
    spent: 0n,
    body: { error: 'all_failed', charged: false },
  })
})

it('refuses a redirect to another page free, and reads it if that is allowed', async () => {
  const url = shop('/lamp-77410')
  expect(await buy('solana', '/extract', { url })).toMatchObject({
    status: 422,
    spent: 0n,
    body: { error: 'redirected', charged: false },
  })
  expect(await buy('solana', '/extract', { url, allow_redirect: true })).toMatchObject({
    status: 200,
    spent: 10_000n,
    body: { url, final_url: shop('/products/NM-2041'), sku: 'NM-2041' },
  })
})

it('sells the same as tools of MCP', async () => {
  const client = await clientOf(`${home}/mcp`)
  const call = callerOf(client)
  const wallet = await payingClient(chains[0] as Reachable)
  async function paid(name: string, given: object) {
    const { json: required, result } = await call(name, given)
    expect(result.isError).toBe(true)
    const payment = await wallet.createPaymentPayload(required as never)
    return (await call(name, given, { 'x402/payment': payment })).json
  }
  expect(await paid('get_product_details', { url: shop('/boots?variant=NM-4147') })).toMatchObject({
    sku: 'NM-4147',
    receipt: { charged: true, price_usdc: 0.01 },
  })
  expect(await paid('compare_products', { urls: [shop('/products/NM-2041'), shop('/boots')] })).toMatchObject(
    {
      comparison: { cheapest: [{ currency: 'EUR', price: 79, url: shop('/boots') }] },
      receipt: { charged: true, price_usdc: 0.04 },
    },
  )
  expect((await call('try_it_free')).json).toMatchObject({
    preview: { preview: true, name: 'Espresso cup, blue' },
  })
})

it('shows at its own host what it sells and promises', async () => {
  const at = async (path: string) => {
    const response = await fetch(`${home}${path}`, { headers: { accept: 'application/json' } })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }
  const health = await at('/health')
  expect(health).toMatchObject({
    status: 200,
    json: { status: 'ok', version: '0.17.1', prices: { '/extract': 0.01, '/extract/batch': 0.04 } },
  })
  expect(health.json.uptime_seconds).toEqual(expect.any(Number))
  expect(health.json.guarantees).toContain('A call that fails is never charged.')
  expect(health.json.prices).not.toHaveProperty('/fx')
  expect((await at('/preview')).json).toMatchObject({ preview: true })
  expect(JSON.stringify((await at('/')).json)).toContain('/extract/batch')
  expect((await at('/fx')).status).toBe(404)
})
