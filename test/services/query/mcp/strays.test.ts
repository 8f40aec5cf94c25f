/** A payment that stands where MCP reads none: nobody is told that nothing was charged, and nothing is sold. */
import { expect, it } from 'vitest'
import { paymentKey } from '../../../../services/query/mcp/payment.ts'
import { header, type Signed, signed } from '../../till/paying.ts'
import { openPost } from './posted.ts'

const call = (params: object, more: object = {}) => ({
  ...{
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { say: 'x' }, ...params },
  },
  ...more,
})

const places: [
  where: string,
  make: (payment: Signed) => [message: object, headers?: Record<string, string>],
][] = [
  ['the header of HTTP', payment => [call({}), { 'payment-signature': header(payment) }]],
  ['the parameters', payment => [call({ payment })]],
  ['the parameters, as text', payment => [call({ payment: header(payment) })]],
  ['_meta, by another name', payment => [call({ _meta: { payment } })]],
  [
    '_meta in the arguments',
    payment => [call({ arguments: { say: 'x', _meta: { [paymentKey]: payment } } })],
  ],
  [
    'the arguments, by the key of _meta',
    payment => [call({ arguments: { say: 'x', [paymentKey]: payment } })],
  ],
  ['_meta beside the parameters', payment => [call({}, { _meta: { [paymentKey]: payment } })]],
  ['a list', payment => [call({ arguments: { say: 'x', payments: [[payment]] } })]],
  ['JSON within a text', payment => [call({ arguments: { say: JSON.stringify(payment) } })]],
]

it.each(places)('in %s is told what has become of it', async (_, make) => {
  const shop = await openPost()
  const [paid, fresh] = [await signed(), await signed()]
  expect((await shop.pay(paid)).status).toBe(200)
  const { error: free } = await shop.post(...make(fresh))
  expect(free.message).toContain('and nowhere else. Nothing was charged.')
  expect(free.data).toMatchObject({ error: 'invalid_request', charged: false })
  const { error: taken } = await shop.post(...make(paid))
  expect(taken.data).toMatchObject({ charged: true })
  expect(taken.message).toContain('the payment was charged before, with transaction 0x')
  expect(shop.facilitator.calls.settle).toBe(1)
})

it('in two places, with two payments of which one was taken, has no single word', async () => {
  const shop = await openPost()
  const [paid, fresh] = [await signed(), await signed()]
  await shop.pay(paid)
  const { error } = await shop.post(call({ payment: fresh, _meta: { [paymentKey]: paid } }))
  expect(error.data).toMatchObject({ charged: true })
  const other = await signed()
  await shop.pay(other)
  const both = await shop.post(call({ payment: other, _meta: { [paymentKey]: paid } }))
  expect(both.error.data).toMatchObject({ charged: null })
})

it('is not seen in what only looks like one', async () => {
  const shop = await openPost()
  const long = `{"a":"${'x'.repeat(200)}"}`
  for (const say of [long, `ey${'x'.repeat(200)}`, Buffer.from(long).toString('base64')]) {
    const answer = await shop.post(call({ arguments: { say } }))
    expect(answer.error).toBeUndefined()
  }
})

it.each([{ toString: null, valueOf: 1 }, 7, null])(
  'is looked for beside a name that is none: %j',
  async name => {
    const shop = await openPost()
    const answer = await shop.post(call({ name }))
    expect(answer.error.data).toMatchObject({ error: 'invalid_request', charged: false })
  },
)
