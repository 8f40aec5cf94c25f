/** Messages to the MCP endpoint that no client sends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tried } from '../services/query/mcp/connected.ts'
import { message } from '../services/query/mcp/message.ts'
import { openSelling, type Selling } from '../services/query/selling.ts'
import { saidByFile } from '../services/sell/said.ts'
import { echo, type Signed, shout, signed } from '../services/till/paying.ts'

let shop: Selling
const ends: (() => Promise<void> | void)[] = []
beforeAll(async () => {
  const { said, find, end } = await saidByFile()
  ends.push(end)
  const operations = [echo, shout, tried, said]
  shop = await openSelling({ operations, find, freeCallsADay: 1000 }, end => ends.unshift(end))
})
afterAll(async () => {
  const faults = shop.logged.filter(line => line.includes('our fault'))
  for (const end of ends) await end()
  expect(faults).toEqual([])
})

/** The tool of an operation of the code, and that of one of a file. */
const tools = ['echo', 'said']

interface Heard {
  status: number
  text: string
  json: Record<string, never> & { error?: { code: number; message: string }; id?: unknown }
}

async function post(body: unknown, headers: Record<string, string> = {}): Promise<Heard> {
  const response = await fetch(`${shop.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, json: text ? JSON.parse(text) : {} }
}

/** The message is refused, the seller loses nothing, and nothing is sold. */
async function refused(body: unknown, headers?: Record<string, string>): Promise<Heard> {
  const { calls, moved } = shop.facilitator
  const before = [calls.verify, calls.settle, moved.size]
  const heard = await post(body, headers)
  expect(heard.status).toBeLessThan(500)
  expect(heard.text).not.toMatch(/node_modules|\.ts:|"charged":true/)
  expect([calls.verify, calls.settle, moved.size]).toEqual(before)
  return heard
}

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const names = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '',
  ' fx',
  'x'.repeat(100_000),
]

describe('a name that JavaScript knows', () => {
  it.each(names)('is no tool: %.20s', async name => {
    expect((await refused(message(1, name))).json.error).toMatchObject({ code: -32602 })
  })

  it.each(names)('is no method: %.20s', async method => {
    expect((await refused({ jsonrpc: '2.0', id: 1, method })).json.error?.code).toBeLessThan(0)
  })

  it.each([
    'file:///etc/passwd',
    'farebox:/../health',
    'farebox://catalog/..',
    'http://127.0.0.1/',
    ...names,
  ])('is no resource: %.20s', async uri => {
    const asked = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } }
    expect((await refused(asked)).json.error).toMatchObject({ code: -32602 })
  })

  it('is no argument, wherever it stands', async () => {
    for (const given of [
      '{"__proto__":{"say":"x"}}',
      '{"constructor":{"say":"x"}}',
      '{"say":{"__proto__":1}}',
    ]) {
      for (const name of ['tried_echo', 'said']) {
        const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`
        const { text } = await refused(call)
        expect(text).toContain('invalid_request')
      }
    }
    expect(({} as Record<string, unknown>).say).toBeUndefined()
  })
})

describe('an id', () => {
  it.each<[string, string]>([
    ['of a hundred thousand letters', JSON.stringify('i'.repeat(100_000))],
    ['of nothing', 'null'],
    ['that is an object', '{"toString":1}'],
    ['that is a list', '[1]'],
    ['beyond all numbers', '1e999'],
    ['with a fraction', '1.5'],
    ['that is a truth', 'true'],
  ])('%s is repeated once or refused', async (_, id) => {
    for (const name of tools) {
      const { text } = await refused(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`,
      )
      expect(text.length).toBeLessThan(150_000)
    }
  })
})

describe('words beside a call', () => {
  it.each<[string, string]>([
    ['a progress token that is an object', '{"progressToken":{"a":1}}'],
    ['a progress token of a hundred thousand letters', `{"progressToken":"${'p'.repeat(100_000)}"}`],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['a prototype', '{"__proto__":{"x402/payment":"x"}}'],
    ['a payment that is a number', '{"x402/payment":7}'],
    ['a payment that is a truth', '{"x402/payment":true}'],
    ['a payment that is a list', '{"x402/payment":[{}]}'],
    ['a payment of nothing', '{"x402/payment":{}}'],
    ['a payment without an end', `{"x402/payment":${deep(20_000)}}`],
    ['a payment whose extensions are nothing', '{"x402/payment":{"extensions":null}}'],
    ['a payment whose extensions are a list', '{"x402/payment":{"extensions":[1]}}'],
    ['a payment whose extensions are a number', '{"x402/payment":{"extensions":5}}'],
    ['a payment whose resource is a number', '{"x402/payment":{"resource":5}}'],
    ['a payment of 400 KB', `{"x402/payment":"${'A'.repeat(400_000)}"}`],
    ['a key that is an object', '{"farebox/idempotency-key":{"a":1}}'],
    ['a key that is a list', '{"farebox/idempotency-key":["12345678"]}'],
    ['a key with a line break', '{"farebox/idempotency-key":"12345678\\r\\nX: y"}'],
    ['a trace with a line break', '{"traceparent":"00-\\r\\nX: y"}'],
    ['a task', '{"io.modelcontextprotocol/related-task":{"taskId":"1"}}'],
  ])('%s buys nothing', async (_, meta) => {
    for (const name of tools)
      await refused(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{},"_meta":${meta}}}`,
      )
  })
})

describe('a message', () => {
  it.each<[string, unknown]>([
    ['that is an answer', { jsonrpc: '2.0', id: 1, result: {} }],
    ['that is a question and an answer', { ...message(1, 'echo'), result: {} }],
    ['of another protocol', { ...message(1, 'echo'), jsonrpc: '1.0' }],
    ['that asks to be sampled', { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: {} }],
    ['that asks the person', { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: {} }],
    ['that sets the log', { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'debug' } }],
    [
      'that subscribes',
      { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'farebox://catalog' } },
    ],
    ['in a batch in a batch', [[message(1, 'echo')]]],
    ['that is a text', '"tools/call"'],
    ['without an end', deep(100_000)],
  ])('%s changes nothing', async (_, sent) => {
    await refused(sent)
  })

  it('that awaits no answer buys nothing, though it pays', async () => {
    for (const name of tools) {
      const { id: _, ...call } = message(1, name, {}, { 'x402/payment': await signed() })
      expect((await refused(call)).status).toBe(202)
    }
  })

  it.each([
    ['echo', 'said'],
    ['said', 'answer'],
  ])('cannot call back the paid call of another, nor hear its answer: %s', async (name, field) => {
    const sessions = { 'mcp-session-id': 'the-same', 'last-event-id': '1' }
    const buys = async (say: string) =>
      post(message(7, name, { say }, { 'x402/payment': await signed() }), sessions)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
    const [first, , second] = await Promise.all([buys('first'), post(cancel, sessions), buys('second')])
    for (const [said, { json }] of [
      ['first', first],
      ['second', second],
    ] as const)
      expect(json).toMatchObject({
        id: 7,
        result: { structuredContent: { [field]: said, receipt: { charged: true } } },
      })
  })

  it('in a batch of three hundred counts three hundred times, before anything runs', async () => {
    const limited = await openSelling({ operations: [echo, tried], freeCallsADay: 1000, perMinute: 100 })
    const batch = Array.from({ length: 300 }, (_, i) => message(i, 'tried_echo'))
    const response = await fetch(`${limited.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(batch),
    })
    expect(response.status).toBe(429)
    expect(await response.text()).not.toContain('receipt')
  })
})

it('a payment for one tool, wrapped as that for another, buys neither', async () => {
  for (const name of tools) {
    const payment: Signed = { ...(await signed()), resource: { url: 'mcp://tool/shout' } }
    const { text } = await refused(message(1, name, {}, { 'x402/payment': payment }))
    expect(text).toContain('invalid_payment')
  }
})
