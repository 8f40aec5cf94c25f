/** MCP 2026-07-28, with its own client and in bytes. The clients of before are served beside it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Operation } from '../../../../services/offer/operation.ts'
import { signed } from '../../till/paying.ts'
import { connected, tried } from './connected.ts'
import { message } from './message.ts'

const version = '2026-07-28'

async function modern(url: string, mode: 'auto' | { pin: string } = { pin: version }): Promise<Client> {
  const client = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  onTestFinished(() => client.close())
  return client
}

describe('a client of 2026-07-28', () => {
  it.each(['auto', { pin: version }] as const)('finds it, mode %o', async mode => {
    const { mcpUrl } = await connected()
    const client = await modern(mcpUrl, mode)
    expect(client.getProtocolEra()).toBe('modern')
    expect(client.getServerVersion()).toMatchObject({ name: 'farebox', version: '1.2.3' })
    expect(client.getInstructions()).toContain('A call that fails is never charged')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('tried_echo')
  })

  it('is quoted, pays, and gets the answer and the same again', async () => {
    const { mcpUrl, facilitator } = await connected()
    const client = await modern(mcpUrl)
    const unpaid = await client.callTool({ name: 'echo', arguments: {} })
    expect(unpaid).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } })
    const _meta = { 'x402/payment': await signed() }
    for (const _ of [1, 2]) {
      const paid = await client.callTool({ name: 'echo', arguments: { say: 'there' }, _meta })
      expect(paid.structuredContent).toMatchObject({ said: 'there', receipt: { charged: true } })
      expect(paid._meta?.['x402/payment-response']).toMatchObject({ success: true })
    }
    expect(facilitator.calls.settle).toBe(1)
  })

  it('reads resources and prompts, has free calls, and is told of its mistakes', async () => {
    const { mcpUrl } = await connected()
    const client = await modern(mcpUrl)
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['farebox://catalog'])
    expect((await client.readResource({ uri: 'farebox://catalog' })).contents).toHaveLength(1)
    expect((await client.listPrompts()).prompts).toEqual([])
    expect((await client.callTool({ name: 'tried_echo' })).structuredContent).toMatchObject({
      receipt: { charged: false, free_calls_left: 2 },
    })
    await expect(client.callTool({ name: 'nothing' })).rejects.toThrow('Unknown tool')
    await expect(client.readResource({ uri: 'farebox://nothing' })).rejects.toThrow('Unknown resource')
    await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow('Unknown prompt')
  })
})

const envelope = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const headersOf = (method: string, name?: string) => ({
  'mcp-protocol-version': version,
  'mcp-method': method,
  ...(name && { 'mcp-name': name }),
})

describe('a message of 2026-07-28', () => {
  const asked = (method: string, params: object = {}, _meta: object = envelope) => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { ...params, _meta },
  })

  it('gets its type, its server and how long it holds', async () => {
    const { post } = await connected()
    const answer = await post(asked('server/discover'), headersOf('server/discover'))
    expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toMatchObject([
      200,
      'application/json; charset=utf-8',
      {
        id: 7,
        result: {
          resultType: 'complete',
          supportedVersions: expect.arrayContaining([version]),
          capabilities: { tools: {}, resources: {}, prompts: {} },
          ttlMs: 3_600_000,
          cacheScope: 'public',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'farebox' } },
        },
      },
    ])
    const listed = await post(asked('tools/list'), headersOf('tools/list'))
    expect(await listed.json()).toMatchObject({ result: { resultType: 'complete', cacheScope: 'public' } })
  })

  it.each<[string, object, Record<string, string>, number, number]>([
    ['another method in its header', asked('tools/list'), headersOf('tools/call'), 400, -32_020],
    ['no method in its header', asked('tools/list'), { 'mcp-protocol-version': version }, 400, -32_020],
    ['no version in its header', asked('tools/list'), { 'mcp-method': 'tools/list' }, 400, -32_020],
    [
      'another version in its header',
      asked('tools/list'),
      { ...headersOf('tools/list'), 'mcp-protocol-version': '2025-11-25' },
      400,
      -32_020,
    ],
    [
      'another tool in its header',
      asked('tools/call', { name: 'echo' }),
      headersOf('tools/call', 'shout'),
      400,
      -32_020,
    ],
    ['no tool in its header', asked('tools/call', { name: 'echo' }), headersOf('tools/call'), 400, -32_020],
    [
      'a version that nobody knows',
      asked('tools/list', {}, { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2999-01-01' }),
      { ...headersOf('tools/list'), 'mcp-protocol-version': '2999-01-01' },
      400,
      -32_022,
    ],
    ['nothing about its client', asked('tools/list', {}, {}), headersOf('tools/list'), 400, -32_602],
    ['a method that nobody knows', asked('tools/buy'), headersOf('tools/buy'), 404, -32_601],
    ['a method of before', asked('ping'), headersOf('ping'), 404, -32_601],
    ['a wish to listen', asked('subscriptions/listen'), headersOf('subscriptions/listen'), 404, -32_601],
  ])('with %s is refused, and nothing is sold', async (_, body, headers, status, code) => {
    const { post, facilitator } = await connected()
    const answer = await post(body, headers)
    const json = (await answer.json()) as { id: unknown; error: { code: number } }
    expect([answer.status, json.error.code, json.id]).toEqual([status, code, 7])
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  it('repeats an id only if it is one', async () => {
    const { post } = await connected()
    const wish = { ...asked('subscriptions/listen'), id: { long: 'x'.repeat(9) } }
    expect(await (await post(wish, headersOf('subscriptions/listen'))).json()).toMatchObject({ id: null })
  })

  it('sells to a name that is written in base64, and nothing where a header lies about it', async () => {
    const { post, facilitator } = await connected()
    const paid = asked(
      'tools/call',
      { name: 'echo', arguments: {} },
      {
        ...envelope,
        'x402/payment': await signed(),
      },
    )
    expect((await post(paid, headersOf('tools/call', 'shout'))).status).toBe(400)
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
    const named = `=?base64?${Buffer.from('echo').toString('base64')}?=`
    const answer = await post(paid, headersOf('tools/call', named))
    expect(await answer.json()).toMatchObject({
      result: { structuredContent: { receipt: { charged: true } } },
    })
    expect(facilitator.moved.size).toBe(1)
  })

  it('keeps the digits of a number as they were printed', async () => {
    const exact: Operation = { ...tried, answer: () => ({ said: JSON.rawJSON('1.50') }) } as never
    const { post } = await connected({ operations: [exact], checkAnswers: false })
    const call = asked('tools/call', { name: 'tried_echo', arguments: {} })
    const text = await (await post(call, headersOf('tools/call', 'tried_echo'))).text()
    expect(text).toContain('"structuredContent":{"said":1.50,')
  })

  it('leaves those of before as they were', async () => {
    const { post } = await connected()
    const before = await post(message(1, 'tried_echo'), { 'mcp-protocol-version': '2025-11-25' })
    const text = await before.text()
    expect(JSON.parse(text)).toMatchObject({ id: 1, result: { structuredContent: { said: 'hello' } } })
    expect(text).not.toContain('resultType')
  })
})
