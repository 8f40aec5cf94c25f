import { describe, expect, test } from 'vitest'
import { networks } from '../../../../schemas/tables/networks.ts'
import { check } from '../../../../services/origins/watch/check.ts'
import { ask } from '../ask.ts'
import { refusal } from '../refusal.ts'
import { accept, answeringWith, openStreet, payee, quoteHeader, quoting } from './sellers.ts'

let now = Date.parse('2026-11-16T09:00:00Z')
const { web, asking } = await openStreet(() => now)
let nth = 0
/** Each test uses an endpoint of its own. */
const fresh = () => `http://shop.sample/${++nth}`
const checked = (url = fresh()) => ask(check, { url }, asking)

describe('a quote', () => {
  test('of version 2 is read from its header', async () => {
    web.answer = quoting([accept()], { resource: { description: 'Rates' } })
    const url = fresh()
    expect(await checked(url)).toEqual({
      url,
      x402: true,
      version: 2,
      status: 402,
      method: 'GET',
      offers: [
        {
          network: networks.base.caip2,
          scheme: 'exact',
          asset: networks.base.asset.toLowerCase(),
          amount: '10000',
          price_usd: 0.01,
          pay_to: payee,
        },
      ],
      price_usd: 0.01,
      description: 'Rates',
      latency_ms: expect.any(Number),
      tls_expires_at: null,
      redirects: [],
      problems: ['plain_http'],
      checked_at: '2026-11-16T09:00:00.000Z',
      cached: false,
    })
  })

  test('of version 1 is read from its body', async () => {
    const { amount, network: _, ...v1 } = accept({ maxAmountRequired: '20000', description: 'Old rates' })
    web.answer = answeringWith(
      402,
      JSON.stringify({ x402Version: 1, accepts: [{ ...v1, network: 'base', maxAmountRequired: '20000' }] }),
    )
    expect(await checked()).toMatchObject({
      version: 1,
      price_usd: 0.02,
      description: 'Old rates',
      offers: [{ network: networks.base.caip2 }],
      problems: ['old_version', 'plain_http'],
    })
    expect(amount).toBe('10000')
  })

  test.each([400, 404, 405])('after %i to GET comes from a POST with a body', async status => {
    const asked: string[] = []
    web.answer = (request, response) => {
      asked.push(`${request.method} ${request.headers['content-type'] ?? ''}`)
      if (request.method === 'GET') response.writeHead(status).end()
      else quoting()(request, response)
    }
    expect(await checked()).toMatchObject({ method: 'POST', status: 402 })
    expect(asked).toEqual(['GET ', 'POST application/json'])
  })

  test('is kept for 30 seconds, and fetched once for many callers', async () => {
    const url = fresh()
    let asked = 0
    web.answer = (...both) => {
      asked++
      quoting()(...both)
    }
    const [one, two] = await Promise.all([checked(url), checked(`${url}#part`)])
    expect([one.cached, two.cached, asked]).toEqual([false, true, 1])
    now += 29_000
    expect((await checked(url)).cached).toBe(true)
    now += 2_000
    expect((await checked(url)).cached).toBe(false)
    expect(asked).toBe(2)
  })

  test('follows two redirects, and says where they led', async () => {
    const url = fresh()
    web.answer = (request, response) => {
      if (request.url?.endsWith('/moved')) quoting()(request, response)
      else response.writeHead(302, { location: `${new URL(url).pathname}/moved` }).end()
    }
    expect(await checked(url)).toMatchObject({ redirects: [`${url}/moved`], x402: true })
  })
})

const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
const good = accept()
const hostile: [what: string, answer: Parameters<typeof answeringWith> | object, expected: object][] = [
  ['HTML', [402, '<html>Pay me</html>'], { problems: ['no_quote', 'plain_http'], version: null }],
  ['nothing', [402, ''], { x402: false }],
  ['a number', [402, '7'], { x402: false }],
  ['text for accepts', [402, '{"x402Version":1,"accepts":"all"}'], { x402: false }],
  ['no offers', [402, '{"x402Version":1,"accepts":[]}'], { x402: false }],
  ['null for an offer', [402, '{"x402Version":1,"accepts":[null]}'], { x402: false, version: 1 }],
  ['lists in lists', [402, deep], { x402: false }],
  ['lists for offers', [402, `{"x402Version":2,"accepts":[${deep}]}`], { x402: false }],
  ['half of a JSON', [402, '{"x402Version":2,"accepts":[{"scheme":"exact"'], { x402: false }],
  ['a header that is no base64', [402, '', { 'payment-required': '§§§' }], { x402: false }],
  ['a header of half a JSON', [402, '', { 'payment-required': 'eyJ4' }], { x402: false }],
  [
    'base64 of base64',
    [402, '', { 'payment-required': Buffer.from(quoteHeader([good])).toString('base64') }],
    { x402: false },
  ],
  ['__proto__', [402, '{"x402Version":1,"accepts":[{"__proto__":{"scheme":"exact"}}]}'], { x402: false }],
  [
    'an amount with a point',
    { amount: '0.01' },
    { problems: ['nothing_payable', 'malformed_amount', 'unknown_asset', 'plain_http'] },
  ],
  ['an amount as a fraction', { amount: 0.5 }, { x402: false }],
  ['an amount of 1e30', { amount: 1e30 }, { x402: false }],
  ['a negative amount', { amount: '-5' }, { x402: false }],
  ['an amount in hex', { amount: '0x10' }, { x402: false }],
  ['an amount of 79 digits', { amount: '9'.repeat(79) }, { x402: false }],
  ['an amount of 78 digits', { amount: '9'.repeat(78) }, { x402: true, price_usd: null }],
  ['an amount of 38 digits', { amount: '9'.repeat(38) }, { x402: true, price_usd: null }],
  ['a whole number as amount', { amount: 10000 }, { x402: true, price_usd: 0.01 }],
  ['an object as amount', { amount: { value: '1' } }, { x402: false }],
  [
    'no payee',
    { payTo: undefined },
    { x402: false, problems: ['nothing_payable', 'no_pay_to', 'plain_http'] },
  ],
  ['a list of payees', { payTo: [payee] }, { x402: false }],
  ['a payee of 60,000 letters', { payTo: 'a'.repeat(40_000) }, { x402: true }],
  [
    'an unknown network',
    { network: 'the moon' },
    { x402: true, price_usd: null, problems: ['unknown_network', 'unknown_asset', 'plain_http'] },
  ],
  ['a network named constructor', { network: 'constructor' }, { x402: true, price_usd: null }],
  ['no network', { network: '' }, { x402: false }],
  [
    'an unknown asset',
    { asset: `0x${'00'.repeat(20)}` },
    { x402: true, price_usd: null, problems: ['unknown_asset', 'plain_http'] },
  ],
  [
    'a test network',
    { network: 'base-sepolia', asset: networks['base-sepolia'].asset },
    { problems: ['testnet_only', 'plain_http'], price_usd: null },
  ],
  ['no scheme', { scheme: null }, { x402: false }],
  ['a scheme of spaces', { scheme: '   ' }, { x402: false }],
  ['status 200', [200, '{"free":true}'], { x402: false, problems: ['unpaywalled', 'plain_http'] }],
  ['status 500', [500, ''], { x402: false, status: 500, problems: ['not_x402', 'plain_http'] }],
  ['status 402 with 1 MB', [402, 'x'.repeat(1 << 20)], { unreachable: true }],
  ['64 KB of headers', [402, '', { 'payment-required': 'A'.repeat(70_000) }], { unreachable: true }],
  ['a body that is no gzip', [402, 'plain', { 'content-encoding': 'gzip' }], { unreachable: true }],
  ['a body in three codings', [402, 'x', { 'content-encoding': 'gzip, gzip, gzip' }], { unreachable: true }],
  ['three redirects', [302, '', { location: '/3' }], { unreachable: true }],
]

test.each(hostile)('a hostile answer: %s', async (_, answer, expected) => {
  web.answer = Array.isArray(answer)
    ? answeringWith(...(answer as Parameters<typeof answeringWith>))
    : quoting([accept(answer)])
  if ('unreachable' in expected)
    expect(await refusal(check, { url: fresh() }, asking)).toMatchObject({
      error: 'unreachable',
      status: 502,
    })
  else {
    const answered = await checked()
    expect(answered).toMatchObject(expected)
    expect(JSON.stringify(answered).length).toBeLessThan(10_000)
  }
})

test('many offers are cut, and the cheapest counts', async () => {
  web.answer = quoting(Array.from({ length: 60 }, (_, i) => accept({ amount: String(90_000 - i * 1000) })))
  const { offers, price_usd } = await checked()
  expect(offers).toHaveLength(20)
  expect(price_usd).toBe(0.041)
})

describe('is refused', () => {
  test.each([
    'not a url',
    'ftp://shop.sample/x',
    'http://127.0.0.1/x',
    'http://[::1]/x',
    'http://169.254.169.254/latest/meta-data',
    'http://shop.sample:8402/x',
    'http://user:secret@shop.sample/x',
    'http://localhost/x',
  ])('invalid_url: %s', async url => {
    expect(await refusal(check, { url }, asking)).toMatchObject({ error: 'invalid_url', status: 400 })
    expect(web.strays).toBe(0)
  })

  test('invalid_url: a name that resolves to a private address, or a redirect to one', async () => {
    web.names.set('inside.sample', [['10.0.0.5']])
    expect(await refusal(check, { url: 'http://inside.sample/x' }, asking)).toMatchObject({
      error: 'invalid_url',
    })
    web.answer = answeringWith(302, '', { location: 'http://192.168.0.1/' })
    expect(await refusal(check, { url: fresh() }, asking)).toMatchObject({ error: 'invalid_url' })
    expect(web.strays).toBe(0)
  })

  test('unreachable: nobody answers', async () => {
    const said = await refusal(check, { url: 'http://gone.sample/x' }, asking)
    expect(said).toMatchObject({ error: 'unreachable', status: 502, charged: false })
  })
})
