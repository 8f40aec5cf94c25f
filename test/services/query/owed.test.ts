import { expect, it, onTestFinished } from 'vitest'
import { defineOperation } from '../../../services/offer/operation.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { originOf } from '../an-origin.ts'
import { echo, type Signed, signed } from '../till/paying.ts'
import { challengeIn, proofOf } from '../till/proving.ts'
import { options } from '../till/tills.ts'
import { openSelling, type Selling } from './selling.ts'
import { serve } from './serve.ts'

const elsewhere = { 'x-forwarded-for': '203.0.113.9' }

/** Sells an answer that the payer does not get: he hangs up during the settlement. */
async function lost({ facilitator, pay }: Selling, headers = {}): Promise<Signed> {
  const payment = await signed()
  facilitator.settle = 'error after'
  expect((await pay(payment, { headers })).status).toBe(503)
  facilitator.settle = 'well'
  return payment
}

const open = () => openSelling({ trustProxy: true, limits: { unknownMs: 300 } })

it('a reader of the chain learns nothing about a payment by any question, and the payer proves that it is his', async () => {
  const selling = await open()
  const payment = await lost(selling)
  const { pay } = selling
  const bodies = ['{}', '{"say":"hello"}', '{"say":1}', '{"no":1}', '[]', '"x"']
  await until(async () => (await pay(payment)).status === 200, 'the payment to be settled again')
  const told = await Promise.all(
    bodies.map(async body => {
      const response = await pay(payment, { body, headers: elsewhere })
      const said = (await response.json()) as { extensions: object; charged: unknown }
      challengeIn(said).info.issuedAt = ''
      challengeIn(said).info.expirationTime = ''
      return JSON.stringify([response.status, said])
    }),
  )
  expect(new Set(told).size).toBe(1)
  const refused = await pay(payment, { headers: elsewhere })
  const said = (await refused.json()) as { charged: unknown; message: string }
  expect([refused.status, said.charged]).toEqual([409, true])
  expect(said.message).toMatch(
    /This call charged nothing; the payment was charged before, with transaction 0x/,
  )
  const proof = await proofOf(challengeIn(said))
  const given = await pay(payment, { headers: { ...elsewhere, 'sign-in-with-x': proof } })
  expect([given.status, await given.json()]).toMatchObject([
    200,
    { said: 'hello', receipt: { charged: true } },
  ])
})

it('another price and payee, a broken body and another schema get the truth, and the answer can be had', async () => {
  const selling = await open()
  const key = { 'idempotency-key': 'the-same-key' }
  const payment = await lost(selling, key)
  // The same log, and an offer that differs in everything.
  const dearer = defineOperation({ ...echo, price: '0.004' })
  const origins = [originOf([dearer])]
  const { config } = options(selling.log, selling.facilitator.url)
  await selling.till.close()
  const till = await openTill({
    ...options(selling.log, selling.facilitator.url, { origins, limits: { unknownMs: 300 } }),
    config: { ...config, payTo: [{ name: 'base', address: `0x${'7'.repeat(40)}` }] },
  })
  const { url, app } = await serve(till, origins)
  const header = Buffer.from(JSON.stringify(payment)).toString('base64')
  const ask = async (body: string, headers = {}, path = '/echo') => {
    const type = { 'content-type': 'application/json', 'payment-signature': header }
    const response = await fetch(url + path, { method: 'POST', body, headers: { ...type, ...headers } })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  // The stub's chain is silent, so nobody can tell yet.
  for (const [body, path] of [
    ['{}', '/echo'],
    ['{"say":', '/echo'],
    ['{"say":1}', '/echo'],
    ['{}', '/gone'],
  ] as const)
    expect((await ask(body, key, path)).body).toMatchObject({ charged: null })
  await app.close()
  await till.close()
})

const hourMs = 3_600_000

it.each([
  ['now', 0],
  ['by a clock that is an hour back', -hourMs],
  ['by a clock that is an hour ahead', hourMs],
])(
  'what was charged is given %s, at another price and payee, and no broken body is told otherwise',
  async (_, aheadMs) => {
    const selling = await open()
    const key = { 'idempotency-key': 'the-same-key' }
    const payment = await lost(selling, key)
    const { facilitator, log, till: before } = selling
    facilitator.chain = 'truthful'
    await before.close()
    const origins = [originOf([defineOperation({ ...echo, price: '0.004' })])]
    const now = () => Date.now() + aheadMs
    const { config } = options(log, facilitator.url)
    const till = await openTill({
      ...options(log, facilitator.url, { origins, now }),
      config: { ...config, payTo: [{ name: 'base', address: `0x${'7'.repeat(40)}` }] },
    })
    const { url, app } = await serve(till, origins)
    onTestFinished(async () => {
      await app.close()
      await till.close()
    })
    const ask = async (body: string) => {
      const signed = Buffer.from(JSON.stringify(payment)).toString('base64')
      const headers = { 'content-type': 'application/json', 'payment-signature': signed, ...key }
      const response = await fetch(`${url}/echo`, { method: 'POST', body, headers })
      return [response.status, await response.json()]
    }
    const given = [200, { said: 'hello', receipt: { charged: true, price_usdc: 0.002 } }]
    // First by a look at the chain, and then from the memory.
    expect(await ask('{}')).toMatchObject(given)
    expect(await ask('{"say":')).toMatchObject([
      400,
      { charged: true, message: expect.stringContaining('0x') },
    ])
    expect(await ask('{}')).toMatchObject(given)
    expect(facilitator.moved.size).toBe(1)
  },
)
