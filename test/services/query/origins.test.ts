/** Two origins, each at its own host, on the real server, till and catalog. */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { registry } from '../../../pipelines/rails/metrics.ts'
import { defineFree } from '../../../services/offer/operation.ts'
import type { OpenOrigin } from '../../../services/offer/origin.ts'
import { data } from '../../../services/origins/data/origin.ts'
import { catalogPages } from '../../../services/query/catalog/pages.ts'
import { originOf } from '../an-origin.ts'
import { echo, header, offer, signed } from '../till/paying.ts'
import { settlementsTold } from '../till/tills.ts'
import { openSelling } from './selling.ts'

const double = defineFree({
  id: 'doubleIt',
  path: '/double',
  method: 'GET',
  perMinute: 3,
  title: 'Twice a number',
  about: 'Says twice the number.',
  tags: ['number'],
  request: z.strictObject({ of: z.coerce.number().max(100) }),
  response: z.strictObject({ double: z.number() }),
  refusals: { odd_day: { status: 422, about: 'There is no double of 13' } },
  example: { request: { of: 2 }, response: { double: 4 } },
  answer: ({ of }, _tools, refuse) =>
    of === 13 ? refuse('odd_day', 'There is no double of 13') : { double: 2 * of },
})
const join = defineFree({
  ...double,
  id: 'joinThem',
  path: '/join',
  method: 'POST',
  perMinute: 100,
  title: 'Two words as one',
  request: z.strictObject({ one: z.string(), other: z.string() }),
  response: z.strictObject({ joined: z.string() }),
  refusals: {},
  example: { request: { one: 'a', other: 'b' }, response: { joined: 'ab' } },
  answer: ({ one, other }) => ({ joined: one + other }),
})
const second = originOf([echo], {
  name: 'second',
  title: 'Things said twice',
  address: 'SECOND_URL',
  url: 'https://second.example',
  free: [double, join],
  pages: [{ path: '/hello', answer: () => ({ type: 'text/plain', body: 'hello' }) }],
})
const first: OpenOrigin = { ...data, url: 'https://data.example' }

interface Heard {
  status: number
  headers: Record<string, string>
  json: Record<string, never>
  text: string
}

async function open(origins: readonly OpenOrigin[] = [first, second]) {
  const shop = await openSelling({
    origins,
    pages: catalogPages({
      contact: 'ops@farebox.example',
      paidOn: 'Base',
      requestsAMinute: 600,
      mcpUrl: 'https://farebox.example/mcp',
    }),
  })
  const ask = (
    host: string,
    path: string,
    { method = 'GET', body, headers = {} }: { method?: string; body?: string; headers?: object } = {},
  ): Promise<Heard> => {
    const { promise, resolve, reject } = Promise.withResolvers<Heard>()
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    request({ port: shop.port, path, method, headers: { host, ...type, ...headers } }, async answer => {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part)
      const text = Buffer.concat(parts).toString()
      const isJson = answer.headers['content-type']?.includes('json') && text !== ''
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers as Record<string, string>,
        json: isJson ? JSON.parse(text) : {},
        text,
      })
    })
      .on('error', reject)
      .end(body)
    return promise
  }
  return { ...shop, ask }
}
const quoteIn = ({ headers }: Heard) =>
  JSON.parse(Buffer.from(headers['payment-required'] ?? '', 'base64').toString())
const buying = (payment: unknown) => ({
  method: 'POST',
  body: '{}',
  headers: { 'payment-signature': header(payment) },
})

const people = { headers: { accept: 'text/html' } }

describe('two origins with a host each', () => {
  it('are found at their own hosts, and not at each other’s', async () => {
    const { ask } = await open()
    for (const host of ['second.example', 'SECOND.example:443', 'second.example.']) {
      expect((await ask(host, '/echo', { method: 'POST' })).status).toBe(402)
      expect((await ask(host, '/double?of=2')).json).toEqual({ double: 4 })
      expect((await ask(host, '/hello')).text).toBe('hello')
    }
    for (const [path, method] of [
      ['/echo', 'POST'],
      ['/echo', 'HEAD'],
      ['/echo', 'OPTIONS'],
      ['/echo', 'PUT'],
      ['/double?of=2', 'GET'],
      ['/hello', 'GET'],
    ] as const)
      expect([path, method, (await ask('data.example', path, { method })).status]).toEqual([
        path,
        method,
        404,
      ])
    expect((await ask('data.example', '/fx', { method: 'POST' })).status).toBe(402)
    expect((await ask('second.example', '/fx', { method: 'POST' })).status).toBe(404)
    expect((await ask('second.example', '/market/method')).status).toBe(404)
  })

  it('are all found where the host is neither’s: an address within, a probe', async () => {
    const { ask } = await open()
    expect((await ask('10.0.0.5:8402', '/echo', { method: 'POST' })).status).toBe(402)
    expect((await ask('10.0.0.5:8402', '/fx', { method: 'POST' })).status).toBe(402)
  })

  it('have a catalog each, in every form, and one of both where the host is neither’s', async () => {
    const { ask } = await open()
    const forms = async (host: string) => {
      const openapi = (await ask(host, '/openapi.json')).json as unknown as {
        info: { version: string }
        servers: { url: string }[]
        tags: { name: string }[]
        paths: Record<string, { servers?: { url: string }[] }>
      }
      return {
        openapi,
        list: (await ask(host, '/')).text,
        page: (await ask(host, '/', people)).text + (await ask(host, '/docs', people)).text,
        llms: (await ask(host, '/llms.txt')).text,
        resources: (await ask(host, '/.well-known/x402')).json.resources as unknown as string[],
      }
    }
    const own = await forms('second.example')
    expect(own.openapi.info.version).toBe('1.2.3')
    expect(own.openapi.servers).toEqual([{ url: 'https://second.example' }])
    expect(Object.keys(own.openapi.paths)).toEqual(['/echo', '/double', '/join'])
    expect(own.openapi.tags).toEqual([{ name: 'second', description: 'Things said twice' }])
    expect(own.resources).toEqual(['https://second.example/echo'])
    expect(own.page).toContain('At <code>https://second.example</code>')
    expect(own.page).toContain('<code>POST /echo</code>')
    for (const text of [own.list, own.llms]) expect(text).toContain('https://second.example/echo')
    for (const text of [own.list, own.page, own.llms]) {
      expect(text).toContain('Things said twice')
      expect(text).not.toMatch(/exchange|DB-IP|data\.example/)
    }

    const others = await forms('data.example')
    expect(others.page).toContain('DB-IP')
    for (const text of [others.list, others.page, others.llms]) expect(text).not.toContain('echo')

    const both = await forms('10.0.0.5')
    expect(both.resources).toEqual([...others.resources, ...own.resources])
    expect(both.openapi.servers).toEqual([{ url: 'https://data.example' }])
    expect(both.openapi.paths['/echo']?.servers).toEqual([{ url: 'https://second.example' }])
    expect(both.openapi.paths['/fx']?.servers).toBeUndefined()
    for (const url of ['https://data.example', 'https://second.example'])
      expect(both.page).toContain(`At <code>${url}</code>`)
    for (const text of [both.list, both.llms]) {
      expect(text).toContain('https://data.example/fx')
      expect(text).toContain('https://second.example/echo')
    }
  })

  it('share one host where that is both’s address', async () => {
    const url = 'https://farebox.example'
    const { ask } = await open([
      { ...first, url },
      { ...second, url },
    ])
    for (const host of ['farebox.example', 'elsewhere.example']) {
      expect((await ask(host, '/echo', { method: 'POST' })).status).toBe(402)
      expect((await ask(host, '/fx', { method: 'POST' })).status).toBe(402)
      expect((await ask(host, '/.well-known/x402')).json.resources).toContain(`${url}/echo`)
    }
  })

  it('cannot have one path: a payment and a key are bound to it', async () => {
    const twin = { ...second, name: 'twin', url: 'https://twin.example' }
    await expect(open([second, twin])).rejects.toThrow(/already declared/)
  })
})

describe('a payment', () => {
  it('is quoted for the address of its origin, and buys there', async () => {
    const { ask, log } = await open()
    const quote = quoteIn(await ask('second.example', '/echo', { method: 'POST' }))
    expect(quote.resource.url).toBe('https://second.example/echo')
    const paid = { ...(await signed()), accepted: offer, resource: quote.resource }
    const sold = await ask('second.example', '/echo', buying(paid))
    expect([sold.status, sold.json]).toEqual([
      200,
      { said: 'hello', receipt: expect.objectContaining({ tool: 'echoOnce' }) },
    ])
    expect(await settlementsTold(log, 2)).toEqual([
      expect.objectContaining({ state: 'intended', origin: 'second', operation: 'echoOnce' }),
      expect.objectContaining({ state: 'settled', origin: 'second', operation: 'echoOnce' }),
    ])
    expect(await registry.metrics()).toMatch(
      /farebox_calls_total\{origin="second",operation="echoOnce",status="200"\} 1\n/,
    )
  })

  it.each([
    ['data', 'second', '/echo', 'https://data.example/ip'],
    ['second', 'data', '/ip', 'https://second.example/echo'],
    ['data, at a path of the same name', 'second', '/echo', 'https://data.example/echo'],
  ])('made for %s buys nothing at %s', async (_, host, path, resource) => {
    const { ask, facilitator } = await open()
    const paid = { ...(await signed()), accepted: offer, resource: { url: resource } }
    const refused = await ask(`${host}.example`, path, {
      ...buying(paid),
      body: path === '/ip' ? '{"ip":"8.8.8.8"}' : '{}',
    })
    expect([refused.status, refused.json.error]).toEqual([402, 'invalid_payment'])
    expect(quoteIn(refused).resource.url).toBe(`https://${host}.example${path}`)
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  it('made for its own address buys nothing at the other’s host', async () => {
    const { ask, facilitator } = await open()
    const paid = { ...(await signed()), accepted: offer, resource: { url: 'https://second.example/echo' } }
    expect((await ask('data.example', '/echo', buying(paid))).status).toBe(404)
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
    expect((await ask('second.example', '/echo', buying(paid))).status).toBe(200)
  })

  it('whose address a proxy has rewritten buys at the same path', async () => {
    const { ask } = await open()
    const paid = { ...(await signed()), accepted: offer, resource: { url: 'http://inside.example/echo' } }
    expect((await ask('second.example', '/echo', buying(paid))).status).toBe(200)
  })
})

describe('a free route', () => {
  const free = (code: string) => ({ error: code, message: expect.any(String), charged: false })

  it('is answered without a quote, a payment or a receipt', async () => {
    const { ask, facilitator } = await open()
    const before = { ...facilitator.calls }
    const heard = await ask('second.example', '/double?of=21', {
      headers: { 'payment-signature': header(await signed()), 'idempotency-key': 'my-first-key' },
    })
    expect([heard.status, heard.json]).toEqual([200, { double: 42 }])
    expect(heard.headers['payment-required']).toBeUndefined()
    expect(facilitator.calls).toEqual(before)
    expect(await registry.metrics()).toMatch(
      /farebox_free_calls_total\{origin="second",operation="doubleIt",status="200"\} \d+\n/,
    )
  })

  it.each([
    ['an unknown parameter', '/double?of=2&by=3', /by/],
    ['a repeated one', '/double?of=2&of=3', /of/],
    ['none where one is needed', '/double', /of/],
    ['one that is too large', '/double?of=101', /of/],
    ['a poisoned prototype', '/double?of=2&__proto__=3', /./],
  ])('refuses %s', async (_, path, message) => {
    const { ask } = await open()
    const { status, json } = await ask('second.example', path)
    expect([status, json]).toEqual([400, free('invalid_request')])
    expect(json.message).toMatch(message)
  })

  it('refuses as it declares', async () => {
    const { ask } = await open()
    const { status, json } = await ask('second.example', '/double?of=13')
    expect([status, json]).toEqual([422, free('odd_day')])
  })

  it('takes a body where it is a POST', async () => {
    const { ask } = await open()
    const post = (body: string) => ask('second.example', '/join', { method: 'POST', body })
    expect((await post('{"one":"a","other":"b"}')).json).toEqual({ joined: 'ab' })
    expect((await post('{"one":"a"}')).json).toEqual(free('invalid_request'))
    expect((await post('{')).json).toEqual(free('invalid_request'))
  })

  it('knows its verbs', async () => {
    const { ask } = await open()
    const wrong = await ask('second.example', '/double?of=2', { method: 'POST', body: '{}' })
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const head = await ask('second.example', '/double?of=2', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
  })

  it('has a rate of its own', async () => {
    const { ask } = await open()
    for (let i = 0; i < 3; i++) expect((await ask('second.example', '/double?of=2')).status).toBe(200)
    const turned = await ask('second.example', '/double?of=2')
    expect([turned.status, turned.json]).toEqual([429, free('too_many_requests')])
    expect(turned.headers['retry-after']).toBe('20')
    expect((await ask('second.example', '/join', { method: 'POST', body: '{}' })).status).toBe(400)
    expect((await ask('second.example', '/echo', { method: 'POST' })).status).toBe(402)
  })

  it('stands in OpenAPI, llms.txt and the catalog', async () => {
    const { ask } = await open()
    const { paths } = (await ask('second.example', '/openapi.json')).json as unknown as {
      paths: Record<string, Record<string, Record<string, never>>>
    }
    expect(paths['/double']?.get).toMatchObject({
      operationId: 'doubleIt',
      tags: ['second'],
      'x-keywords': ['number'],
      parameters: [
        { name: 'of', in: 'query', required: true, schema: { type: 'number', maximum: 100 }, example: 2 },
      ],
      responses: { 422: { description: expect.stringContaining('`odd_day`') } },
    })
    expect(paths['/double']?.get).not.toHaveProperty('x-payment-info')
    expect(JSON.stringify(paths['/double'])).not.toMatch(/receipt|facilitator|Idempotency/i)
    expect(paths['/join']?.post).toMatchObject({ requestBody: { content: expect.anything() } })
    expect((await ask('second.example', '/llms.txt')).text).toContain('### GET /double (free)')
    const page = (await ask('second.example', '/docs', people)).text
    expect(page).toContain('<code>GET /double</code>')
    expect((await ask('second.example', '/')).json.free).toEqual([
      expect.objectContaining({ operation: 'doubleIt', method: 'GET', url: 'https://second.example/double' }),
      expect.objectContaining({ operation: 'joinThem', method: 'POST' }),
    ])
  })
})
