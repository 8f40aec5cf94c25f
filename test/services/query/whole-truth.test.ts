/** No refusal of a request says anything false about the payment in it. */
import http from 'node:http'
import { expect, it } from 'vitest'
import { paymentKey } from '../../../services/query/mcp/payment.ts'
import { header, type Signed, signed } from '../till/paying.ts'
import { connected } from './mcp/connected.ts'
import { message } from './mcp/message.ts'
import { openSelling } from './selling.ts'
import { takenLongAgo } from './taken.ts'

it.each([
  ['a path that is none', '/nowhere', 'POST'],
  ['a wrong method', '/echo', 'DELETE'],
  ['an address that is none', '/%zz', 'POST'],
])('%s: a forgotten payment is not called free', async (_, path, method) => {
  const { port, facilitator } = await openSelling()
  const { payment, tx } = await takenLongAgo(facilitator)
  const body = await new Promise<string>((resolve, reject) => {
    const headers = { 'payment-signature': header(payment) }
    http
      .request({ host: '127.0.0.1', port, path, method, headers }, async response => {
        resolve((await response.toArray()).join(''))
      })
      .once('error', reject)
      .end()
  })
  expect(JSON.parse(body)).toMatchObject({ charged: true, message: expect.stringContaining(tx) })
})

it('a forgotten payment is called taken, and nothing is said of what is valid now', async () => {
  const { pay, facilitator } = await openSelling()
  const { payment, tx } = await takenLongAgo(facilitator)
  const response = await pay(payment)
  const body = (await response.json()) as { message: string }
  expect([response.status, body]).toMatchObject([409, { error: 'payment_already_used', charged: true }])
  expect(body.message).toMatch(
    /^The payment was taken before, and what it has bought is not kept here any more\. /,
  )
  expect(body.message).toContain(tx)
  expect(body).not.toHaveProperty('extensions')
})

const called = (id: number, payment?: Signed) => message(id, 'echo', {}, payment && { [paymentKey]: payment })

it.each([
  ['two requests with one id', (payment: Signed) => [called(1, payment), called(1)], {}],
  ['a batch', (payment: Signed) => [called(1, payment)], { 'mcp-protocol-version': '2025-06-18' }],
])('%s over MCP: a payment in the body is not called free', async (_, bodyOf, headers) => {
  const { post, facilitator } = await connected()
  const { payment, tx } = await takenLongAgo(facilitator)
  const { error } = (await (await post(bodyOf(payment), headers as Record<string, string>)).json()) as never
  expect(error).toMatchObject({ data: { charged: true }, message: expect.stringContaining(tx) })
  const free = (await (await post(bodyOf(await signed()), headers as Record<string, string>)).json()) as never
  expect(free).toMatchObject({ error: { data: { error: 'invalid_request', charged: false } } })
})

it('several different payments over MCP: nobody can tell in one word', async () => {
  const { post, facilitator } = await connected()
  const [one, other] = [await takenLongAgo(facilitator), await takenLongAgo(facilitator)]
  const told = async (...payments: Signed[]) => {
    const answer = await post([called(1), called(1), ...payments.map((each, i) => called(i + 2, each))])
    return (await answer.json()) as { error: { data: { charged: unknown } } }
  }
  expect((await told(one.payment, other.payment)).error.data.charged).toBe(null)
  expect((await told(one.payment, one.payment)).error.data.charged).toBe(true)
  const many = await Promise.all(Array.from({ length: 9 }, () => signed()))
  expect((await told(...many)).error.data.charged).toBe(null)
})

it.each([
  ['a body that cannot be read', '{'],
  ['a body that is too large', JSON.stringify('x'.repeat(600_000))],
])('%s over MCP says that nobody has looked for a payment in it', async (_, body) => {
  const { post } = await connected()
  const text = await (await post(body)).text()
  expect(JSON.parse(text)).toMatchObject({
    error: { message: expect.stringContaining('nobody has looked'), data: { charged: null } },
  })
})

it('refusals in a crowd are told as they are: nobody needs a look that others have used up', async () => {
  const { pay, facilitator } = await openSelling()
  facilitator.chain = 'truthful'
  expect((await pay()).status).toBe(200)
  Object.assign(facilitator, { settle: 'refused', reason: 'insufficient_funds' })
  const told = await Promise.all(
    Array.from({ length: 25 }, async () => {
      const response = await pay()
      return [response.status, await response.json()]
    }),
  )
  const refused = [402, expect.objectContaining({ error: 'insufficient_funds', charged: false })]
  expect(told).toEqual(Array.from(told, () => refused))
})
