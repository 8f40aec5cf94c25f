/** Pages for people with words of strangers in them, and the caches and other pages in between. */
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { marketPage } from '../../services/pages/market.ts'
import { catalogPages } from '../../services/query/catalog/pages.ts'
import { offer, onSale, releaseOf } from '../services/origins/data/market/a-market.ts'
import { openSelling, type Selling } from '../services/query/selling.ts'
import { opened } from '../services/sell/asking.ts'
import { echo, shout } from '../services/till/paying.ts'
import { startUpstream } from '../upstream.ts'

const script = '"><script>alert(1)</script>\'<img src=x onerror=alert(1)>`'
/** A release with a seller's name that no URL could have. */
const release = releaseOf([
  offer('evil.dev', '/now', { calls: '900', description: script, service_name: script, tags: [script] }),
  offer('plain.dev', '/now', { calls: '90' }),
])
const { shelf } = onSale({
  ...release,
  sellers: release.sellers.map(each => (each.host === 'evil.dev' ? { ...each, host: script } : each)),
})
const market = marketPage({ view: (view, asked) => shelf.view(view, asked) }, 'ops@farebox.example')

/** What a file sells may be described by somebody else, and its upstream may answer with a page. */
async function openMarked(atEnd: (end: () => Promise<void> | void) => void) {
  const upstream = await startUpstream(
    (_, response) => response.setHeader('content-type', 'text/html').end(`<h1>${script}</h1>`),
    atEnd,
  )
  const words = JSON.stringify(script)
  return opened(`origin: marked
title: ${words}
operations:
  /marked:
    title: ${JSON.stringify(script.slice(0, 80))}
    about: ${words}
    price: 0.002
    question: { say: { type: string, default: ${words}, says: ${words} } }
    from: { http: '${upstream.url}/', query: { say: '{say}' }, gives: text }
    refuse: { 404: { code: not_marked, says: ${words} } }
    example: { question: { say: ${words} }, answer: ${words} }
`)
}

let shop: Selling
const ends: (() => Promise<void> | void)[] = []
beforeAll(async () => {
  const pages = catalogPages(
    {
      contact: 'ops@farebox.example',
      paidOn: 'Base',
      requestsAMinute: 600,
      mcpUrl: 'https://farebox.example/mcp',
    },
    [market],
  )
  const { origin, tools } = await openMarked(end => ends.push(end))
  const operations = [echo, shout, ...origin.operations]
  shop = await openSelling({ pages, operations, find: tools.find }, end => ends.unshift(end))
})
afterAll(async () => {
  for (const end of ends) await end()
})

interface Heard {
  status: number
  headers: Record<string, string | undefined>
  text: string
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Heard> {
  const { promise, resolve, reject } = Promise.withResolvers<Heard>()
  request({ port: shop.port, path, method, headers: { accept: 'text/html', ...headers } }, async answer => {
    const text = Buffer.concat(await answer.toArray()).toString()
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers as Heard['headers'], text })
  })
    .on('error', reject)
    .end()
  return promise
}

const forPeople = ['/', '/docs/echo', '/docs/marked', '/market', '/changelog']
const forPrograms = [
  '/openapi.json',
  '/llms.txt',
  '/llms-full.txt',
  '/llms/testing.txt',
  '/robots.txt',
  '/sitemap.xml',
  '/.well-known/x402',
  '/.well-known/mcp.json',
]

describe('a page', () => {
  it('shows the words of a seller as words', async () => {
    const { status, text } = await get('/market')
    expect(status).toBe(200)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text.match(/<script[^>]*>[^<]*/g)).toEqual(['<script src="/finder.js" type="module">'])
    expect(text).not.toMatch(/<img/)
  })

  it('shows the words of a file as words', async () => {
    for (const path of ['/', '/docs/marked']) {
      const { status, text } = await get(path)
      expect(status).toBe(200)
      expect(text).toContain('&lt;script&gt;alert(1)')
      expect(text).not.toMatch(/<img|<script>/)
    }
  })

  it.each(forPeople)('at %s runs nothing of others, is framed by nobody, and sends no form', async path => {
    const { headers, status } = await get(path)
    expect(status).toBe(200)
    const policy = headers['content-security-policy'] ?? ''
    for (const rule of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "form-action 'none'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(rule)
    expect(policy).not.toMatch(/unsafe|\*|http|data:/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  })

  it.each([...forPeople, ...forPrograms])('at %s repeats no word of the caller', async path => {
    const plain = await get(path)
    const asked = await get(`${path}?x=${encodeURIComponent(script)}&__proto__=1&constructor=1`, {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'evil',
      'x-original-url': '/evil',
      referer: 'http://evil.example/',
      'user-agent': script,
      'accept-language': script,
      cookie: 'evil=1',
    })
    expect(asked.text).toBe(plain.text)
    expect(JSON.stringify(asked.headers)).not.toContain('evil')
  })

  it.each([...forPeople, ...forPrograms, '/nothing', '/echo'])(
    'at %s sets no cookie, and gives other sites no credentials',
    async path => {
      const { headers } = await get(path, { origin: 'https://evil.example', cookie: 'a=b' })
      expect(headers['set-cookie']).toBeUndefined()
      expect(headers['access-control-allow-credentials']).toBeUndefined()
      expect(headers['access-control-allow-origin']).toBe('*')
      // A cache asks each time, or keeps nothing.
      expect(headers['cache-control']).toMatch(/^(private, )?no-(cache|store)$/)
    },
  )

  it.each([
    '/docs/%2e%2e/%2e%2e/etc/passwd',
    '/docs/..%2f..%2fpackage.json',
    '/docs/__proto__',
    '/docs/constructor',
    '/docs/%00',
    '/docs/%c0%ae',
    '/market?category=__proto__',
    '/market?label=constructor',
    `/docs/${'a'.repeat(5000)}`,
  ])('is none at %s', async path => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(404)
    // A browser may get a page, as strict as all others; a program gets JSON.
    if (!headers['content-type']?.includes('json'))
      expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(text).not.toMatch(/etc\/passwd|package\.json|__proto__|constructor|aaaa/)
    const told = await get(path, { accept: 'application/json' })
    expect([told.status, told.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
  })

  it('gets no header that its path contains', async () => {
    const { status, headers } = await get('/docs/echo%0d%0aSet-Cookie:%20a=b')
    expect(status).toBe(404)
    expect(headers['set-cookie']).toBeUndefined()
  })

  it('is not confirmed as unchanged by an ETag that it never had', async () => {
    const { headers } = await get('/market')
    expect((await get('/market', { 'if-none-match': '*' })).status).toBe(200)
    expect((await get('/market', { 'if-none-match': 'W/"a"' })).status).toBe(200)
    expect((await get('/market', { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
  })
})

it('what an upstream of a file answers is data, and no page of ours', async () => {
  const paid = await shop.pay(undefined, { path: '/marked' })
  expect(paid.status).toBe(200)
  expect(paid.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(paid.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await paid.json()).toMatchObject({ answer: `<h1>${script}</h1>`, media_type: 'text/html' })
})

it('no cache may keep a paid answer or a price', async () => {
  const paid = await shop.pay()
  expect(paid.headers.get('cache-control')).toBe('private, no-store')
  for (const headers of [
    { 'cache-control': 'only-if-cached' },
    { pragma: 'cache' },
    { 'x-http-method-override': 'GET' },
  ] as Record<string, string>[]) {
    const unpaid = await shop.ask({ headers })
    expect([unpaid.status, unpaid.headers.get('cache-control')]).toEqual([402, 'no-store'])
    expect(await unpaid.text()).not.toContain('"said":"hello","receipt"')
  }
})

it('a page of another origin may ask, and no more: it learns of no other way in', async () => {
  const { status, headers } = await get(
    '/echo',
    {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'payment-signature, x-admin',
      'access-control-request-private-network': 'true',
    },
    'OPTIONS',
  )
  expect(status).toBe(204)
  expect(headers['access-control-allow-methods']).toBe('POST, HEAD, OPTIONS')
  expect(headers['access-control-allow-headers']).not.toContain('x-admin')
  expect(headers['access-control-allow-private-network']).toBeUndefined()
})
