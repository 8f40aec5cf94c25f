/** What the SDK refuses by itself, in both eras: every error says whether a payment beside it was taken, and in words. */
import { expect, it } from 'vitest'
import { paymentKey } from '../../../../services/query/mcp/payment.ts'
import { inWords, withCharges } from '../../../../services/query/mcp/protocol-errors.ts'
import { header, signed } from '../../till/paying.ts'
import { openPost } from './posted.ts'

const version = 'io.modelcontextprotocol/protocolVersion'
const newEra = {
  [version]: '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'a-test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const call = (params: unknown, more: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  ...more,
})
const headers = (name: string, method = 'tools/call') => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  'mcp-name': name,
})

/** Messages that no tool answers, each with the payment of a caller beside its arguments. */
const wrong: [why: string, make: (meta: object) => [message: unknown, headers?: Record<string, string>]][] = [
  ['an unknown tool', meta => [call({ name: 'nope', _meta: meta })]],
  ['no name', meta => [call({ arguments: {}, _meta: meta })]],
  ['arguments in a list', meta => [call({ name: 'echo', arguments: [1], _meta: meta })]],
  ['an unknown method', meta => [call({ _meta: meta }, { method: 'tools/nope' })]],
  ['another protocol', meta => [call({ name: 'echo', _meta: meta }, { jsonrpc: '1.0' })]],
  ['an id that is none', meta => [call({ name: 'echo', _meta: meta }, { id: [] })]],
  ['an old version', meta => [call({ name: 'echo', _meta: meta }), { 'mcp-protocol-version': '1999-01-01' }]],
  ['a cursor', meta => [call({ cursor: 7, _meta: meta }, { method: 'tools/list' })]],
  ['an unknown prompt', meta => [call({ name: 'nope', _meta: meta }, { method: 'prompts/get' })]],
  ['an unknown tool, new', meta => [call({ name: 'nope', _meta: { ...newEra, ...meta } }), headers('nope')]],
  [
    'arguments in a list, new',
    meta => [call({ name: 'echo', arguments: [1], _meta: { ...newEra, ...meta } }), headers('echo')],
  ],
  [
    'a header of another tool, new',
    meta => [call({ name: 'echo', _meta: { ...newEra, ...meta } }), headers('shout')],
  ],
  ['no headers, new', meta => [call({ name: 'echo', _meta: { ...newEra, ...meta } })]],
  [
    'an unknown method, new',
    meta => [call({ _meta: { ...newEra, ...meta } }, { method: 'a/b' }), headers('', 'a/b')],
  ],
  [
    'a version to come, new',
    meta => [
      call({ name: 'echo', _meta: { ...newEra, [version]: '2031-01-01', ...meta } }),
      { ...headers('echo'), 'mcp-protocol-version': '2031-01-01' },
    ],
  ],
]

it.each(wrong)('%s is refused, with the truth about the payment beside it', async (_, make) => {
  const shop = await openPost()
  const [paid, fresh] = [await signed(), await signed()]
  expect((await shop.pay(paid)).status).toBe(200)
  const { error: free } = await shop.post(...make({ [paymentKey]: fresh }))
  expect(free).toMatchObject({ message: expect.stringMatching(/\. Nothing was charged\.$/) })
  expect(free.data).toMatchObject({ error: 'invalid_request', message: free.message, charged: false })
  const { error: taken } = await shop.post(...make({ [paymentKey]: paid }))
  expect(taken.message).toContain('the payment was charged before, with transaction 0x')
  expect(taken.data).toMatchObject({ charged: true })
  expect(shop.facilitator.calls.settle).toBe(1)
})

it('where a payment cannot be found, nobody says that nothing was charged', async () => {
  const shop = await openPost()
  const paid = await signed()
  for (const params of [
    { name: 'echo', arguments: JSON.stringify({ payment: paid }) },
    { name: 'echo', _meta: [{ [paymentKey]: header(paid) }] },
    JSON.stringify({ name: 'echo', arguments: { payment: paid } }),
  ])
    expect((await shop.post(call(params))).error.data).toMatchObject({ charged: null })
  expect((await shop.post(call({ name: 'echo', arguments: 'x' }))).error.data).toMatchObject({
    charged: false,
  })
})

it('each message of a batch has its own truth, and answers keep their digits', async () => {
  const sent = [{ id: 1 }, { id: 2 }, { id: 3 }]
  const error = { code: -32_602, message: 'no', data: { why: 1 } }
  const answers = `[{"id":1,"result":{"rate":1.10}},${JSON.stringify({ id: 2, error })},${JSON.stringify({ id: 3, error })}]`
  const told = await withCharges(answers, sent, async of =>
    JSON.stringify(of) === '[{"id":2}]' ? { tx: '0x1' } : false,
  )
  expect(told).toContain('"rate":1.10')
  expect(JSON.parse(told)).toMatchObject([
    { id: 1, result: {} },
    { error: { data: { why: 1, charged: true } } },
    { error: { data: { charged: false } } },
  ])
})

it('what the SDK finds is told in words', () => {
  const found = [{ code: 'x', path: ['params', 'arguments'], message: 'expected record, received array' }]
  expect(inWords(`MCP error -32602: Invalid tools/call request: ${JSON.stringify(found, null, 2)}`)).toBe(
    'Invalid tools/call request: params.arguments: expected record, received array',
  )
  for (const plain of ['a [text', '[]', 'fx [1]', '[null]'])
    expect(inWords(`MCP error -32602: ${plain}`)).toBe(plain)
})
