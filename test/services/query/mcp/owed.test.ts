/** Above his rate a caller still gets his paid answer over MCP, as at the paths, and nothing else. */
import { expect, it } from 'vitest'
import { paymentKey } from '../../../../services/query/mcp/payment.ts'
import { until } from '../../../until.ts'
import { type Signed, signed } from '../../till/paying.ts'
import { openSelling, type Selling } from '../selling.ts'
import { message } from './message.ts'

async function open(perMinute: number) {
  const selling = await openSelling({ perMinute, freeCallsADay: 10, limits: { unknownMs: 300 } })
  const post = (body: unknown) =>
    fetch(`${selling.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return { ...selling, post }
}

/** The money has moved, and the payer has no answer. */
async function owed({ facilitator, till, post }: { post(body: unknown): Promise<Response> } & Selling) {
  const payment = await signed()
  facilitator.settle = 'error after'
  expect(await (await post(called(payment))).text()).toContain('payment_unknown')
  facilitator.chain = 'truthful'
  await until(() => till.word({ json: { ...payment } }) !== null, 'the chain to tell')
  return payment
}

const called = (payment?: Signed, name = 'echo', id = 1) =>
  message(id, name, {}, payment && { [paymentKey]: payment })

it('an owed answer is given above the rate', async () => {
  const shop = await open(2)
  const payment = await owed(shop)
  expect((await shop.post(called())).status).toBe(200)
  expect((await shop.post(called())).status).toBe(429)
  const given = await shop.post(called(payment))
  expect([given.status, await given.json()]).toMatchObject([
    200,
    { result: { structuredContent: { said: 'hello', receipt: { charged: true } } } },
  ])
})

it('nothing else is: no other call, no other tool, no batch, no list, no other payment', async () => {
  const shop = await open(1)
  const payment = await owed(shop)
  const others = [
    called(await signed()),
    called(payment, 'get_service_info'),
    called(payment, 'no_such_tool'),
    [called(payment), called(undefined, 'echo', 2)],
    [called(payment)],
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: called(payment).params },
    { jsonrpc: '2.0', method: 'tools/call', params: called(payment).params },
    'a text',
  ]
  for (const body of others) {
    const refused = await shop.post(body)
    expect([JSON.stringify(body).slice(0, 40), refused.status]).toEqual([expect.anything(), 429])
  }
  expect(shop.facilitator.moved.size).toBe(1)
})

it('but not without limit: thirty messages above the rate are read in a minute', async () => {
  const shop = await open(1)
  shop.till.owes = () => true
  const payment = await signed()
  const seen: number[] = []
  for (let i = 0; i < 33; i++) seen.push((await shop.post(called(payment, 'echo', i))).status)
  expect(seen).toEqual([...Array(31).fill(200), 429, 429])
})

it('an error of the protocol says whether a payment beside it was taken', async () => {
  const shop = await open(100)
  const payment = await owed(shop)
  const told = async (body: unknown) => {
    const { error } = (await (await shop.post(body)).json()) as { error: { message: string; data?: object } }
    return error
  }
  expect(await told(called(payment, 'no_such_tool'))).toMatchObject({
    message: expect.stringContaining('Unknown tool: no_such_tool'),
    data: { error: 'invalid_request', charged: true, message: expect.stringContaining('was charged before') },
  })
  expect(await told(called(await signed(), 'no_such_tool'))).toMatchObject({
    data: { charged: false, message: expect.stringContaining('Nothing was charged') },
  })
})
