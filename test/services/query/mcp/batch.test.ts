/** A batch of MCP's old form: however many messages are in it, it sells one thing, and its answers have a bound together. */
import { expect, it } from 'vitest'
import { paymentKey } from '../../../../services/query/mcp/payment.ts'
import { echo, signed } from '../../till/paying.ts'
import { openSelling } from '../selling.ts'
import { message } from './message.ts'

type Answer = { id: number; result?: object; error?: { code: number; message: string; data: object } }

const keyed = (id: number, key: string) => message(id, 'echo', {}, { 'farebox/idempotency-key': key })

async function open(said = 'hello') {
  const big = { ...echo, answer: () => ({ said }) }
  const selling = await openSelling({ operations: [big], freeCallsADay: 100 })
  const post = async (messages: object[]) => {
    const response = await selling.ask({ path: '/mcp', body: JSON.stringify(messages) })
    const text = await response.text()
    return { text, answers: (JSON.parse(text) as Answer[]).sort((one, other) => one.id - other.id) }
  }
  return { ...selling, post }
}

it('sells one thing: the others hear so and nothing is verified or charged for them', async () => {
  const { post, pay, facilitator } = await open()
  const [first, second, taken] = [await signed(), await signed(), await signed()]
  await (await pay(taken)).text()
  const { answers } = await post([
    message(1, 'echo', {}, { [paymentKey]: first }),
    message(2, 'echo', {}, { [paymentKey]: second }),
    message(3, 'echo', {}, { [paymentKey]: taken }),
    message(4, 'echo', {}, { [paymentKey]: first }),
    message(5, 'echo'),
    message(6, 'get_service_info'),
  ])
  const refused = (charged: boolean) => ({ error: { data: { error: 'invalid_request', charged } } })
  expect(answers).toMatchObject([
    { result: { structuredContent: { receipt: { charged: true } } } },
    refused(false),
    refused(true),
    refused(true),
    refused(false),
    { result: { structuredContent: {} } },
  ])
  expect(facilitator.calls).toMatchObject({ settle: 2 })
  expect(facilitator.moved.size).toBe(2)
})

it('replays one answer, and not a large one a hundred times', async () => {
  const { post, pay } = await open('"'.repeat(100_000))
  const keys = ['some-key-1', 'some-key-2', 'some-key-3']
  for (const key of keys) await (await pay(await signed(), { headers: { 'idempotency-key': key } })).text()
  const { text, answers } = await post(
    Array.from({ length: 99 }, (_, i) => keyed(i, keys[i % keys.length] as string)),
  )
  expect(answers.filter(({ result }) => result)).toHaveLength(1)
  expect(text.length).toBeLessThan(1_000_000)
})
