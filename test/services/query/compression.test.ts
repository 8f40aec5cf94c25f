import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineOperation } from '../../../services/offer/operation.ts'
import { PackedPages, takes } from '../../../services/query/compression.ts'
import { header, signed } from '../till/paying.ts'
import { openSelling } from './selling.ts'

const large = { rows: Array.from({ length: 3000 }, (_, at) => ({ at, host: `seller${at}.dev` })) }
const bulk = defineOperation({
  id: 'bulk',
  path: '/bulk',
  price: '0.002',
  costs: 'held',
  title: 'Much',
  about: 'Much',
  tags: [],
  request: z.strictObject({}),
  response: z.object({ rows: z.array(z.object({ at: z.int(), host: z.string() })) }),
  refusals: {},
  example: { request: {}, response: large },
  answer: () => large,
})

/** Returns the bytes as they arrive, because `fetch` would unpack them. */
const raw = async (port: number, headers: Record<string, string>, path = '/bulk', method = 'POST') => {
  const { promise, resolve, reject } = Promise.withResolvers<{
    headers: Record<string, unknown>
    body: Buffer
  }>()
  request({ port, path, method, headers: { 'content-type': 'application/json', ...headers } }, answer => {
    const parts: Buffer[] = []
    answer
      .on('data', part => parts.push(part))
      .on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(parts) }))
  })
    .on('error', reject)
    .end(method === 'POST' ? '{}' : undefined)
  return promise
}

describe('a large paid answer', () => {
  test('is compressed for callers who accept gzip, with the same content; a replay in the other form too', async () => {
    const shop = await openSelling({ operations: [bulk] })
    const key = 'the-same-key-twice'
    const zipped = await raw(shop.port, {
      'payment-signature': header(await signed()),
      'idempotency-key': key,
      'accept-encoding': 'gzip, deflate',
    })
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(zipped.headers['content-length']).toBe(String(zipped.body.length))
    const plain = await raw(shop.port, { 'idempotency-key': key, 'accept-encoding': 'identity' })
    expect(plain.headers).toMatchObject({ 'idempotent-replayed': 'true', vary: 'accept-encoding' })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    const [first, second] = [gunzipSync(zipped.body), plain.body].map(body => JSON.parse(body.toString()))
    expect(first.rows).toEqual(large.rows)
    expect(second).toEqual({ ...first, receipt: { ...first.receipt, replayed: true, charged_now: false } })
    expect(zipped.body.length * 4).toBeLessThan(plain.body.length)
  })

  test('a small one is sent as it is', async () => {
    const shop = await openSelling()
    const answer = await shop.pay(undefined, { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-encoding')).toBeNull()
  })
})

test.each([
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['identity', false],
  ['', false],
  ['gzip;q=0, *', false],
])('%s: %s', (accepted, taken) => expect(takes('gzip', accepted)).toBe(taken))

describe('a long page', () => {
  const body = 'A long page. '.repeat(3000)

  test('leaves packed, by Brotli where it may, and says so', async () => {
    const pages = [{ path: '/long', answer: () => ({ type: 'text/plain', body }) }]
    const shop = await openSelling({ pages })
    const get = (accepted: string) => raw(shop.port, { 'accept-encoding': accepted }, '/long', 'GET')
    const packed = await get('gzip, br')
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept, accept-encoding' })
    expect(brotliDecompressSync(packed.body).toString()).toBe(body)
    const zipped = await get('gzip, br;q=0')
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept, accept-encoding' })
    expect(gunzipSync(zipped.body).toString()).toBe(body)
    const plain = await get('identity')
    expect(plain.headers).toMatchObject({ vary: 'accept, accept-encoding' })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.body.toString()).toBe(body)
  })

  test('is packed once for all who ask for it, and anew where it has changed', async () => {
    const packed = new PackedPages()
    const first = await packed.of(body, 'one', 'br')
    expect((await packed.of(body, 'one', 'br'))?.body).toBe(first?.body)
    expect((await packed.of(body, 'another', 'br'))?.body).not.toBe(first?.body)
    expect(await packed.of('short', 'one', 'br')).toBeUndefined()
  })
})
