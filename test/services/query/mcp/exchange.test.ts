/** An exchange ends, whatever becomes of an answer in it. */
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it } from 'vitest'
import { exchange } from '../../../../services/query/mcp/exchange.ts'
import { StrictServer } from '../../../../services/query/mcp/strict-server.ts'
import { message } from './message.ts'

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

function open(structuredContent: () => Promise<Record<string, unknown>>) {
  const server = new StrictServer({ name: 'test', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }))
  server.setRequestHandler(CallToolRequestSchema, async () => ({
    content: [],
    structuredContent: await structuredContent(),
  }))
  return server
}

it('with one text for all messages', async () => {
  const server = open(async () => ({ said: 1 }))
  const { status, text } = await exchange(server, {
    messages: [list, message(2, 'echo')],
    version: undefined,
  })
  expect([status, (JSON.parse(text) as unknown[]).length]).toEqual([200, 2])
})

it('with an error where the answers cannot be made into a text', async () => {
  const server = open(async () => ({ said: 1n }))
  const asked = exchange(server, { messages: [list, message(2, 'echo')], version: undefined })
  await expect(asked).rejects.toThrow('BigInt')
})

it('with an error where an answer never comes', async () => {
  const server = open(() => new Promise(() => {}))
  await expect(exchange(server, { messages: message(1, 'echo'), version: undefined }, 50)).rejects.toThrow(
    'in time',
  )
})
