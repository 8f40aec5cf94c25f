import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { exact } from '../../../schemas/values/values.ts'
import { verified } from '../../../services/client/verify.ts'
import { number, withItsDigits } from '../../../services/offer/answer.ts'
import { defineOperation } from '../../../services/offer/operation.ts'
import { chosenOf, narrowed } from '../../../services/query/chosen-fields.ts'
import { bareAnswer, hashOf } from '../../../services/query/signing/answer-hash.ts'
import { Signer } from '../../../services/query/signing/signer.ts'
import { signerKey } from '../../../services/sandbox/keys.ts'
import type { Sold } from '../../../services/till/till.ts'
import { header, signed } from '../till/paying.ts'
import { openSelling } from './selling.ts'

let runs = 0
const tide = defineOperation({
  id: 'tide',
  path: '/tide',
  price: '0.002',
  costs: 'held',
  title: 'Tide',
  about: 'Tide',
  tags: [],
  request: z.strictObject({ port: z.string() }),
  response: z.strictObject({ port: z.string(), height: exact(), hours: z.array(z.int()) }),
  refusals: {},
  example: { request: { port: 'x' }, response: { port: 'x', height: 1, hours: [1] } },
  answer: ({ port }) => {
    runs++
    return { port, height: number('2.10'), hours: [1, 2, 3] }
  },
})
/** With fields within fields, in lists, of any name, and of any form. */
const coast = defineOperation({
  ...tide,
  id: 'coast',
  path: '/coast',
  response: z.strictObject({
    stations: z.array(
      z.strictObject({ name: z.string(), tide: z.strictObject({ height: exact() }).nullable() }),
    ),
    at: z.record(z.string(), z.union([z.strictObject({ x: z.int() }), z.int()])),
    any: z.unknown(),
  }),
  example: {
    request: { port: 'x' },
    response: { stations: [{ name: 'a', tide: { height: 1 } }], at: {}, any: 1 },
  },
  answer: () => ({
    stations: [
      { name: 'a', tide: { height: number('2.10') } },
      { name: 'b', tide: null },
    ],
    at: { any: 1, port: { x: 1 } },
    any: [],
  }),
})
const body = JSON.stringify({ port: 'x' })
const key = (name: string) => ({ headers: { 'idempotency-key': `${name}-key` } })

const open = () => openSelling({ operations: [tide, coast], signer: new Signer([signerKey], Date.now) })
const proven = (answer: Response) =>
  JSON.parse(Buffer.from(answer.headers.get('payment-response') ?? '', 'base64').toString()).extensions[
    'offer-receipt'
  ].info.answer.payload.answerSha256

describe('fields of an answer', () => {
  it('are delivered alone, with the receipt, in their own digits, and the signature is of them', async () => {
    const shop = await open()
    const answer = await shop.pay(await signed(), { path: '/tide?fields=height', body })
    const text = await answer.text()
    expect(text).toMatch(/^\{"height":2\.10,"receipt":\{/)
    const json = JSON.parse(text)
    expect(json.receipt).toMatchObject({ charged: true, price_usdc: 0.002 })
    expect(proven(answer)).toBe(hashOf(bareAnswer(json)))
  })

  it('are of what was bought: the same key gets others, and all, for one payment and one run', async () => {
    const shop = await open()
    const before = runs
    await shop.pay(await signed(), { path: '/tide?fields=port', body, ...key('tide') })
    const ask = async (path: string) => {
      const answer = await shop.ask({ path, body, ...key('tide') })
      const json = (await answer.json()) as Record<string, unknown>
      expect(answer.headers.get('idempotent-replayed')).toBe('true')
      expect(proven(answer)).toBe(hashOf(bareAnswer(json)))
      return Object.keys(json)
    }
    expect(await ask('/tide?fields=hours&fields=port')).toEqual(['port', 'hours', 'receipt'])
    expect(await ask('/tide?fields=receipt')).toEqual(['receipt'])
    expect(await ask('/tide')).toEqual(['port', 'height', 'hours', 'receipt'])
    expect([runs - before, shop.facilitator.calls.settle]).toEqual([1, 1])
  })

  it('within fields are delivered alone, through lists, in their own digits, and the signature is of them', async () => {
    const shop = await open()
    const path = '/coast?fields=stations.tide.height,stations.name,at.port,receipt.payment_tx'
    const answer = await shop.pay(await signed(), { path, body })
    const text = await answer.text()
    const json = JSON.parse(text)
    expect(text).toContain('"height":2.10')
    expect(json).toEqual({
      stations: [
        { name: 'a', tide: { height: 2.1 } },
        { name: 'b', tide: null },
      ],
      at: { port: { x: 1 } },
      receipt: { payment_tx: expect.stringMatching(/^0x/) },
    })
    expect(proven(answer)).toBe(hashOf(bareAnswer(json)))
    const settlement = answer.headers.get('payment-response') ?? ''
    const { addresses } = new Signer([signerKey], Date.now)
    expect(await verified({ settlement, answer: json }, { signers: addresses })).toMatchObject({
      valid: true,
    })
  })

  it('and the field itself, wanted beside what is within it, is whole', async () => {
    const shop = await open()
    const answer = await shop.pay(await signed(), {
      path: '/coast?fields=at.any,at,at.port.x,receipt.tool',
      body,
    })
    expect(await answer.json()).toEqual({ at: { any: 1, port: { x: 1 } }, receipt: { tool: 'coast' } })
  })

  it.each([
    ['receipt.payment_txt', 'those of receipt are request_id, fetched_at, tool'],
    ['receipt.charged.now', 'receipt.charged has none within'],
    ['stations.tide.heigth', 'those of stations.tide are height'],
    ['stations.0.name', 'those of stations are name, tide'],
    ['stations.', 'those of stations are name, tide'],
    ['.stations', 'out of receipt, stations, at, any'],
    ['stations.__proto__', 'those of stations are name, tide'],
    ['at.port.x.y', 'at.port.x has none within'],
    ['a.b.c.d.e.f.g.h.i.j.k.l.m', 'out of receipt, stations, at, any'],
    [Array.from({ length: 101 }, () => 'at').join(','), 'out of receipt, stations, at, any'],
  ])('%j within fields is refused before anything is charged', async (fields, told) => {
    const shop = await open()
    const answer = await shop.pay(await signed(), { path: `/coast?fields=${fields}`, body })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ charged: false, message: expect.stringContaining(told) }),
    ])
    expect(shop.facilitator.calls.settle).toBe(0)
  })

  it('of any name are taken where the answer has fields of any name', async () => {
    const shop = await open()
    const answer = await shop.pay(await signed(), {
      path: '/coast?fields=at.nowhere.x,any.thing.at.all',
      body,
    })
    expect(await answer.json()).toEqual({ at: {}, any: [], receipt: expect.anything() })
  })

  it.each(['heigth', '', 'height,', '__proto__'])(
    '%j is refused before anything is charged',
    async fields => {
      const shop = await open()
      const answer = await shop.pay(await signed(), { path: `/tide?fields=${fields}`, body })
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({
          charged: false,
          message: expect.stringContaining(
            'fields: a list of fields of the answer, out of receipt, port, height, hours',
          ),
        }),
      ])
      expect(shop.facilitator.calls.settle).toBe(0)
    },
  )

  it('that do not exist keep nobody from an answer that he has paid for', async () => {
    const shop = await open()
    const payment = header(await signed())
    const ask = (fields: string) =>
      shop.ask({ path: `/tide${fields}`, body, headers: { 'payment-signature': payment } })
    expect((await ask('')).status).toBe(200)
    const again = await ask('?fields=heigth')
    expect([again.status, Object.keys((await again.json()) as object)]).toEqual([
      200,
      ['port', 'height', 'hours', 'receipt'],
    ])
  })

  it('change nothing of a quote', async () => {
    const shop = await open()
    expect((await shop.ask({ path: '/tide?fields=heigth', body })).status).toBe(402)
  })
})

describe('the text of chosen fields', () => {
  const receipt = '"receipt":{"tool":"tide"}'
  it.each([
    `{"a":1.10,"b":"x",${receipt}}`,
    `{"a":{"b":[1,{"a":"]}"}],"c":"}"},"b":[[],{},"\\\\"],${receipt}}`,
    `{"a":"quote \\" and \\\\","b":"\\\\\\"",${receipt}}`,
    `{"b":null,"a":"\\u0022,\\"b\\":1",${receipt}}`,
    `{${receipt}}`,
    `{"c":true,"\\u0061":-1e3,"b":[],${receipt}}`,
    `{ "c" : [ 1 , 2 ] , "a" : "é 漢 🌊" ,\n ${receipt} }`,
    `{ "c" : [ ] , "a" : [ { "b" : 2.0 , "c" : [ { } , [ ] ] } , null , { "b" : "," } , "b" ] , ${receipt} }`,
    `{"a":[[{"b":1.50,"c":{"b":[{"a":1},{"b":"]"}]}}],[]],"b":{"a":{"b":{}}},${receipt}}`,
  ])('is that of the fields, as they were written: %s', json => {
    for (const fields of [
      ...[['a'], ['b'], ['a', 'c'], ['receipt'], ['a.b'], ['a.c.b', 'a.b'], ['a.c.b.a', 'b.a', 'c.x']],
      ...[
        ['a', 'a.b', 'receipt.tool'],
        ['receipt.nothing', 'c.x.y'],
      ],
    ]) {
      const { body } = narrowed({ body: json, answerName: 'it' } as Sold, fields)
      const read = withItsDigits(json) as Record<string, unknown>
      expect(JSON.stringify(withItsDigits(body))).toBe(JSON.stringify(chosenOf(read, fields)))
    }
  })

  it('has a name of its own for each choice', () => {
    const sold = { body: `{"a":1,${receipt}}`, answerName: 'it' } as Sold
    const names = [undefined, ['a'], ['a', 'b'], ['b', 'a']].map(each => narrowed(sold, each).answerName)
    expect(new Set(names).size).toBe(3)
  })
})
