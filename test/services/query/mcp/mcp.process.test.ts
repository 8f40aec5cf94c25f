import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Operation } from '../../../../services/offer/operation.ts'
import { paymentKey, settlementKey } from '../../../../services/query/mcp/payment.ts'
import { trialReceipt } from '../../../../services/query/mcp/trial-receipt.ts'
import { receipt } from '../../../../services/till/receipt.ts'
import { until } from '../../../until.ts'
import { echo, header, offer, type Signed, signed } from '../../till/paying.ts'
import { challengeIn, proofOf } from '../../till/proving.ts'
import { settlementsOf, settlementsTold } from '../../till/tills.ts'
import { callerOf, clientOf, connected, tried } from './connected.ts'
import { message } from './message.ts'

const inMeta = (payment: unknown) => ({ [paymentKey]: payment })
const asTool = (payment: Signed, tool = 'echo') => ({ ...payment, resource: { url: `mcp://tool/${tool}` } })

describe('the tools', () => {
  it('are the operations and the two that are free', async () => {
    const { client } = await connected()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'echo',
      'shout',
      'tried_echo',
      'get_service_info',
      'try_it_free',
    ])
    expect(tools[0]).toMatchObject({
      description: 'Echo. Says what was said. Paid: 0.002 USDC.',
      inputSchema: { type: 'object', properties: { say: { default: 'hello' }, payment: expect.anything() } },
      annotations: { readOnlyHint: true },
      _meta: { 'x402/price': { amount: '0.002', currency: 'USDC' }, examples: [{ say: 'hello' }] },
    })
    expect(client.getInstructions()?.length).toBeLessThanOrEqual(1700)
    expect(client.getServerVersion()).toMatchObject({ name: 'farebox', version: '1.2.3' })
  })

  it('stand beside resources', async () => {
    const { client } = await connected()
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['farebox://catalog'])
    const { contents } = await client.readResource({ uri: 'farebox://catalog' })
    expect(JSON.parse(String((contents[0] as { text?: string }).text)).operations).toHaveLength(3)
    await expect(client.readResource({ uri: 'farebox://nothing' })).rejects.toThrow('Unknown resource')
  })

  it('tell of the service, and let it be tried', async () => {
    const { call } = await connected()
    expect((await call('get_service_info')).json).toMatchObject({
      health: { live: true },
      prices_usdc: { echo: '0.002' },
      toolsets: { testing: 'Things to test with' },
    })
    expect((await call('get_service_info', { tool: 'echo' })).json).toMatchObject({
      tool: 'echo',
      operation_id: 'echoOnce',
      price_usdc: '0.002',
      url: 'https://farebox.example/echo',
      arguments: { properties: { say: { type: 'string' } } },
      answer: { type: 'object', properties: { said: { type: 'string' } } },
      free_refusals: { no_echo: { status: 422 } },
      example: { request: { say: 'hello' }, response: { said: 'hello' } },
    })
    for (const tool of ['ecko', '__proto__', 7]) {
      const { result, json } = await call('get_service_info', { tool })
      expect([result.isError, json.error, json.message]).toEqual([
        true,
        'invalid_request',
        expect.stringContaining('Known are echo, shout, tried_echo'),
      ])
    }
    expect((await call('try_it_free')).json).toMatchObject({
      free_calls_left: 3,
      free_tools: [{ tool: 'tried_echo', arguments: { say: 'hello' } }],
      sample: { tool: 'tried_echo', answer: { said: 'hello' } },
    })
  })

  it('are few where few are chosen, and say what they answer', async () => {
    const { mcpUrl } = await connected()
    const client = await clientOf(`${mcpUrl}?tools=shout`)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['shout', 'get_service_info', 'try_it_free'])
    expect(tools[0]?.outputSchema).toEqual({
      type: 'object',
      properties: { said: { type: 'string' }, receipt: { type: 'object' } },
    })
    // The client has the schema now, and checks both results against it.
    const call = callerOf(client)
    expect((await call('shout')).json).toHaveProperty('accepts')
    expect((await call('shout', {}, inMeta(await signed()))).json).toMatchObject({ said: 'hello' })
    const wrong = await fetch(`${mcpUrl}?tools=shut`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect([wrong.status, await wrong.text()]).toEqual([
      400,
      expect.stringContaining('out of echo, testing, shout'),
    ])
  })

  it('are known by name alone', async () => {
    const { client } = await connected()
    for (const name of ['nothing', 'echo\n', '__proto__', 'toString'])
      await expect(client.callTool({ name })).rejects.toThrow(/-32602.*Unknown tool/s)
  })
})

describe('a call that is not paid', () => {
  it('gets the quote', async () => {
    const { call, till } = await connected()
    const { result, json } = await call('echo')
    expect(result.isError).toBe(true)
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(json) }])
    expect(json.error).toMatch(/^Payment required: 0\.002 USDC\./)
    expect(json).toMatchObject({
      x402Version: 2,
      resource: { url: 'mcp://tool/echo' },
      accepts: [offer, { network: expect.stringMatching(/^solana:/) }],
      extensions: { bazaar: { info: { input: { type: 'mcp', toolName: 'echo' } } } },
    })
    expect(till.closed()).toBeUndefined()
  })

  it('gets the quote with an example of the answer where that is short', async () => {
    const said = 'x'.repeat(1_000)
    const long: Operation = { ...tried, trial: false, example: { request: {}, response: { said } } } as never
    const { call } = await connected({ operations: [echo, long] })
    const outputOf = async (name: string) =>
      ((await call(name)).json as unknown as { extensions: { bazaar: { info: { output: object } } } })
        .extensions.bazaar.info.output
    expect(await outputOf('echo')).toEqual({ type: 'json', example: { said: 'hello' } })
    expect(await outputOf('tried_echo')).toEqual({ type: 'json' })
  })

  it('learns of wrong arguments first', async () => {
    const { call, facilitator } = await connected()
    for (const given of [{ say: 7 }, { sey: 'hello' }, JSON.parse('{"constructor": 1}')])
      expect((await call('echo', given)).json).toMatchObject({ error: 'invalid_request', charged: false })
    expect(facilitator.calls.settle).toBe(0)
  })

  it.each([
    ['a number', 7],
    ['a list', []],
    ['a word', 'demo'],
    ['a hash', '0x1234'],
    ['a long text', 'A'.repeat(100_000)],
    ['an empty object', {}],
    ['a payment of another version', { x402Version: 1 }],
    ['extensions that are null', { x402Version: 2, extensions: null }],
    ['half of a surrogate pair', Buffer.from('{"x402Version":2,"payload":"\\ud800"}').toString('base64')],
  ])('gets the quote again for an invented payment: %s', async (_, payment) => {
    const { call } = await connected()
    for (const heard of [await call('echo', { payment }), await call('echo', {}, inMeta(payment))]) {
      expect(heard.result.isError).toBe(true)
      expect(heard.json.error).toMatch(/^Payment required: .*Not accepted, \w+: /)
      expect(heard.json.accepts).toHaveLength(2)
    }
  })
})

describe('a call that is paid', () => {
  it.each([
    ['in _meta', async () => [{}, inMeta(asTool(await signed()))]],
    ['in the argument, as an object', async () => [{ payment: asTool(await signed()) }]],
    [
      'with the whole quote in it, as clients echo it',
      async () => [
        {},
        inMeta({ ...asTool(await signed()), extensions: { bazaar: { info: 'x'.repeat(9000) } } }),
      ],
    ],
    ['in the argument, as a header’s text', async () => [{ payment: header(await signed()) }]],
    [
      'in both, the same',
      async () => {
        const payment = await signed()
        return [{ payment }, inMeta(payment)]
      },
    ],
  ] as [string, () => Promise<[object, Record<string, unknown>?]>][])('is answered: %s', async (_, how) => {
    const { call, facilitator, log } = await connected()
    const [given, meta] = await how()
    const { result, json } = await call('echo', { say: 'there', ...given }, meta)
    expect(result.isError).toBeUndefined()
    expect(json.said).toBe('there')
    expect(receipt.parse(json.receipt)).toMatchObject({ tool: 'echoOnce', price_usdc: 0.002, charged: true })
    expect(JSON.parse(String((result.content[0] as { text?: string }).text))).toEqual(json)
    const [tx] = [...facilitator.moved.values()]
    expect(result._meta?.[settlementKey]).toMatchObject({ success: true, transaction: tx })
    await until(async () => (await settlementsOf(log)).some(({ state }) => state === 'settled'))
  })

  it('is refused for two payments that differ', async () => {
    const { call, facilitator } = await connected()
    const { json } = await call('echo', { payment: await signed() }, inMeta(await signed()))
    expect(json.error).toContain('is not the one in _meta')
    expect(facilitator.calls.settle).toBe(0)
  })

  it('pays the tool with a payment that was made for its path, but for no other tool', async () => {
    const { call, facilitator } = await connected()
    const paid = { ...(await signed()), resource: { url: 'https://farebox.example/echo' } }
    expect((await call('echo', {}, inMeta(paid))).json.said).toBe('hello')
    const other = asTool(await signed(), 'shout')
    expect((await call('echo', {}, inMeta(other))).json.error).toContain('resource is not what is asked for')
    expect(facilitator.calls.settle).toBe(1)
  })

  it('is not charged when it fails', async () => {
    const { call, facilitator } = await connected()
    const { json, result } = await call('echo', { say: 7 }, inMeta(await signed()))
    expect([result.isError, json.error, json.charged]).toEqual([true, 'invalid_request', false])
    Object.assign(facilitator, { settle: 'refused', chain: 'truthful' })
    const refused = await call('echo', {}, inMeta(await signed()))
    expect(refused.json.error).toMatch(/^Payment required: .*insufficient_funds/)
    expect(refused.result._meta?.[settlementKey]).toMatchObject({ success: false })
    expect(facilitator.moved.size).toBe(0)
  })

  it('is replayed to its key, over MCP and HTTP', async () => {
    const { call, ask, facilitator } = await connected()
    const key = { 'farebox/idempotency-key': 'only-once-1' }
    const first = await call('echo', {}, { ...inMeta(await signed()), ...key })
    const again = await call('echo', {}, key)
    expect(again.json.receipt).toEqual({
      ...(first.json.receipt as unknown as object),
      replayed: true,
      charged_now: false,
    })
    const http = await ask({ body: '{}', headers: { 'idempotency-key': 'only-once-1' } })
    expect(http.headers.get('idempotent-replayed')).toBe('true')
    expect((await call('echo', {}, { 'farebox/idempotency-key': 'short' })).json.error).toBe(
      'invalid_idempotency_key',
    )
    expect(facilitator.calls.settle).toBe(1)
  })

  it('is replayed to a key that a model can write: an argument', async () => {
    const { call, facilitator } = await connected()
    const given = { say: 'once', idempotency_key: 'written-by-a-model' }
    const first = await call('echo', given, inMeta(await signed()))
    const again = await call('echo', given)
    expect(first.json).toMatchObject({ said: 'once', receipt: { charged: true } })
    expect(again.json).toMatchObject({ said: 'once', receipt: { replayed: true, charged_now: false } })
    const meta = { 'farebox/idempotency-key': 'written-by-a-model' }
    expect((await call('echo', { say: 'once' }, meta)).json).toMatchObject({ receipt: { replayed: true } })
    const other = { 'farebox/idempotency-key': 'written-by-a-host' }
    expect((await call('echo', given, other)).json.error).toBe('invalid_idempotency_key')
    for (const idempotency_key of ['short', 1_234_567_890, ['written-by-a-model']])
      expect((await call('echo', { idempotency_key })).json.error).toBe('invalid_idempotency_key')
    expect(facilitator.calls.settle).toBe(1)
  })

  it('gives the fields that its caller wants, and the receipt', async () => {
    const two: Operation = {
      ...echo,
      response: z.strictObject({
        said: z.string(),
        twice: z.number(),
        by: z.array(z.strictObject({ name: z.string(), age: z.number() })),
      }),
      answer: () => ({ said: 'hello', twice: JSON.rawJSON('1.50'), by: [{ name: 'Echo', age: 3 }] }),
    } as never
    const { call, facilitator } = await connected({ operations: [two] })
    const payment = inMeta(await signed())
    const { json, result } = await call('echo', { fields: ['twice'] }, payment)
    expect(Object.keys(json)).toEqual(['twice', 'receipt'])
    expect((result.content[0] as { text?: string }).text).toContain('"twice":1.50')
    const within = await call('echo', { fields: ['by.name', 'receipt.charged'] }, payment)
    expect(within.json).toEqual({ by: [{ name: 'Echo' }], receipt: { charged: true } })
    expect((within.result.content[0] as { text?: string }).text).toBe(JSON.stringify(within.json))
    const nothing = { fields: null, idempotency_key: null, payment: null }
    expect((await call('echo', nothing, payment)).json).toMatchObject({ said: 'hello', twice: 1.5 })
    for (const fields of [['thrice'], ['by.nickname'], [], 'twice', [7], 7])
      expect((await call('echo', { fields }, inMeta(await signed()))).json).toMatchObject({
        error: 'invalid_request',
        charged: false,
      })
    // Who has paid gets his answer, whatever he wants of it.
    expect((await call('echo', { fields: ['thrice'] }, payment)).json).toMatchObject({ said: 'hello' })
    expect(facilitator.calls.settle).toBe(1)
  })

  it('shows a picture as a picture, and not as text', async () => {
    const pictured: Operation = {
      ...tried,
      response: z.strictObject({ title: z.string(), image: z.string(), type: z.string() }),
      picture: { data: 'image', type: 'type' },
      answer: () => ({ title: 'A dot', image: 'R0lGODlhAQABAAAAACw=', type: 'image/gif' }),
    } as never
    const { call, facilitator } = await connected({ operations: [pictured] })
    const payment = inMeta(await signed())
    for (const meta of [undefined, payment, payment]) {
      const { result, json } = await call('tried_echo', {}, meta)
      expect(Object.keys(json)).toEqual(['title', 'type', 'receipt'])
      expect(result.content).toEqual([
        { type: 'text', text: JSON.stringify(json) },
        { type: 'image', data: 'R0lGODlhAQABAAAAACw=', mimeType: 'image/gif' },
      ])
    }
    expect((await call('tried_echo', { fields: ['title'] }, payment)).result.content).toHaveLength(1)
    expect(facilitator.calls.settle).toBe(1)
  })

  it.each([
    ['a number', 1_234_567_890],
    ['a list', ['only-once-1']],
    ['an object', { toString: 1 }],
  ])('with a key that is %s, buys nothing', async (_, key) => {
    const { call, facilitator } = await connected()
    const meta = { ...inMeta(await signed()), 'farebox/idempotency-key': key }
    expect((await call('echo', {}, meta)).json.error).toBe('invalid_idempotency_key')
    expect(facilitator.calls.settle).toBe(0)
  })

  it('has no proof or trace in what is no text', async () => {
    const { call } = await connected()
    const meta = { 'x402/sign-in-with-x': { toString: 1 }, traceparent: { toString: null } }
    expect((await call('echo', {}, { ...inMeta(await signed()), ...meta })).json).toHaveProperty('said')
  })

  it('is sold once, however often its caller presents the payment, over HTTP and MCP at once', async () => {
    const { call, pay, facilitator } = await connected()
    const payment = await signed()
    // One is served, and as many wait in line as may: beyond them, a busy machine turns some away.
    const presented = 1 + 32
    const served = await Promise.all(
      Array.from({ length: presented }, async (_, i) => {
        if (i % 2) return (await pay(payment)).status === 200
        return (await call('echo', {}, inMeta(payment))).result.isError !== true
      }),
    )
    expect(served.filter(Boolean)).toHaveLength(presented)
    expect([facilitator.moved.size, facilitator.calls.settle]).toEqual([1, 1])
  })

  it('is given again to a proof of the wallet, whatever the arguments are, and to nobody who has none', async () => {
    const { mcpUrl, call, log, facilitator } = await connected({ trustProxy: true })
    const payment = inMeta(await signed())
    expect((await call('echo', {}, payment)).json.said).toBe('hello')
    const stranger = callerOf(await clientOf(mcpUrl, { 'x-forwarded-for': '203.0.113.9' }))
    const refused = await Promise.all(
      [{}, { say: 'x' }, { say: 1 }].map(given => stranger('echo', given, payment)),
    )
    for (const { json } of refused)
      expect(json).toMatchObject({ error: 'payment_already_used', charged: true })
    const proof = await proofOf(challengeIn(refused[0]?.json as object))
    const given = await stranger('echo', {}, { ...payment, 'x402/sign-in-with-x': proof })
    expect(given.json).toMatchObject({ said: 'hello', receipt: { replayed: true } })
    expect(facilitator.calls.settle).toBe(1)
    const told = await settlementsTold(log, 2)
    expect(told.filter(({ state }) => state === 'settled')).toHaveLength(1)
  })

  it('is given again when it was lost', async () => {
    const work = Promise.withResolvers<void>()
    let begun = 0
    const slow: Operation = {
      ...tried,
      answer: async () => {
        begun++
        await work.promise
        return { said: 'at last' }
      },
    }
    const { mcpUrl, app, call, facilitator, log } = await connected({ operations: [slow] })
    const connections = () =>
      new Promise<number>((resolve, reject) =>
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      )
    const payment = inMeta(await signed())
    const gone = new AbortController()
    const lost = fetch(mcpUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message(1, 'tried_echo', {}, payment)),
      signal: gone.signal,
    })
    await until(() => begun === 1)
    const before = await connections()
    gone.abort()
    await expect(lost).rejects.toThrow()
    await until(async () => (await connections()) < before)
    work.resolve()
    await until(async () => (await settlementsOf(log)).some(({ state }) => state === 'settled'))
    expect((await call('tried_echo', {}, payment)).json.said).toBe('at last')
    expect(facilitator.calls.settle).toBe(1)
  })

  it('says so if nobody can tell whether it was charged', async () => {
    const { call, facilitator } = await connected({ limits: { unknownMs: 300 } })
    facilitator.settle = 'error after'
    const { json, result } = await call('echo', {}, inMeta(await signed()))
    expect([result.isError, json.error, json.charged]).toEqual([true, 'payment_unknown', null])
  })
})

describe('a free call', () => {
  it('is given three times a day, and the fourth gets the quote', async () => {
    const { call, log } = await connected()
    for (const left of [2, 1, 0]) {
      const { json, result } = await call('tried_echo', { say: String(left) })
      expect(result.isError).toBeUndefined()
      expect(trialReceipt.parse(json.receipt)).toMatchObject({
        tool: 'triedOnce',
        charged: false,
        price_usdc: 0,
        network: null,
        payment_tx: null,
        free_calls_left: left,
      })
    }
    expect((await call('tried_echo')).json.error).toMatch(
      /^Payment required: 0\.002 USDC\. Your 3 free calls of today are used; there are new ones at 00:00 UTC\. Sign/,
    )
    expect((await call('echo')).json.error).not.toContain('free calls')
    expect((await call('try_it_free')).json.free_calls_left).toBe(0)
    const free = (await settlementsOf(log)).filter(({ state }) => state === 'free')
    expect(free).toHaveLength(3)
    expect(free[0]).toMatchObject({ operation: 'triedOnce', network: 'none', amount_usdc: '0', payer: '' })
  })

  it('is not used up by a payment, nor by a failure', async () => {
    const { call } = await connected({
      operations: [
        {
          ...tried,
          answer: ({ say }: never, _: never, refuse: never) =>
            say === 'no' ? (refuse as (c: string, m: string) => never)('no_echo', 'Nothing') : { said: say },
        } as never,
      ],
    })
    await call('tried_echo', {}, inMeta(await signed()))
    const refused = await call('tried_echo', { say: 'no' })
    expect([refused.result.isError, refused.json.error]).toEqual([true, 'no_echo'])
    expect((await call('try_it_free')).json.free_calls_left).toBe(3)
  })

  it('is not given for a costly tool', async () => {
    const { call } = await connected()
    expect((await call('echo')).result.isError).toBe(true)
    expect((await call('try_it_free')).json.free_calls_left).toBe(3)
  })
})

describe('the endpoint', () => {
  it('takes POST alone', async () => {
    const { mcpUrl } = await connected()
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const refused = await fetch(mcpUrl, { method })
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    }
    const asked = await fetch(mcpUrl, { method: 'OPTIONS' })
    for (const name of ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'])
      expect(asked.headers.get('access-control-allow-headers')).toContain(name)
    expect(asked.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('answers pages of any site, and none that reaches it under a name of its own', async () => {
    const { post } = await connected()
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    for (const origin of [
      'https://farebox.example',
      'https://agents.example',
      'http://localhost:3000',
      'null',
    ])
      expect([origin, (await post(ping, { origin })).status]).toEqual([origin, 200])
    for (const origin of ['agents.example', 'https://agents.example/', '*', ''])
      expect([origin, (await post(ping, { origin })).status]).toEqual([origin, 403])
  })

  it('issues no session', async () => {
    const { post } = await connected()
    const started = await post({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    expect(started.headers.get('mcp-session-id')).toBeNull()
    expect(((await started.json()) as { result: object }).result).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, resources: {} },
    })
    expect((await post({ jsonrpc: '2.0', id: 2, method: 'ping' })).status).toBe(200)
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
  })

  it('refuses a body that is no message', async () => {
    const { post } = await connected()
    expect((await post('{')).status).toBe(400)
    expect((await post('{"jsonrpc":"2.0"}')).status).toBe(400)
    expect((await post('[]')).status).toBe(400)
    expect((await post(`"${'x'.repeat(600_000)}"`)).status).toBe(413)
    expect((await post('{"__proto__": 1}')).status).toBe(400)
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  const calling = (params: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  it.each([
    ['no JSON', '{', 400, -32700],
    [
      'a field that is written twice',
      '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}',
      400,
      -32700,
    ],
    ['no message', { jsonrpc: '2.0' }, 400, -32700],
    ['another protocol', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32700],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32700],
    ['an empty batch', [], 400, -32600],
    ['two requests with one id', [message(1, 'echo'), message(1, 'shout')], 400, -32600],
    ['a body that is too large', `"${'x'.repeat(600_000)}"`, 413, -32600],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'tools/buy' }, 200, -32601],
    ['a call of nothing', calling({}), 200, -32602],
    ['a call without parameters', calling(undefined), 200, -32602],
    ['a name that is no text', calling({ name: 7 }), 200, -32602],
    ['arguments that are no object', calling({ name: 'echo', arguments: 7 }), 200, -32602],
    ['_meta that is no object', calling({ name: 'echo', _meta: 'paid' }), 400, -32700],
    ['an unknown tool', calling({ name: 'ecko' }), 200, -32602],
    [
      'a greeting without a version',
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
      200,
      -32602,
    ],
    [
      'a page of tools that is no text',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 7 } },
      200,
      -32602,
    ],
    ['half of a surrogate pair', calling({ name: 'echo', arguments: { say: '\ud800' } }), 400, -32700],
    [
      'a resource without an address',
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: {} },
      200,
      -32602,
    ],
  ])('names a fault, and charges nothing: %s', async (_, body, status, code) => {
    const { post, facilitator } = await connected()
    const answer = await post(body)
    const json = (await answer.json()) as {
      jsonrpc: string
      error: { code: number; message: string; data: { charged: boolean | null } }
    }
    expect([answer.status, json.jsonrpc, json.error?.code]).toEqual([status, '2.0', code])
    expect(json.error.message).toMatch(/\w/)
    // Of a body that nobody has read, nobody knows what payment is in it.
    expect([false, null]).toContain(json.error.data.charged)
    expect(json.error.message).toContain(
      json.error.data.charged === null ? 'nobody has looked' : 'Nothing was',
    )
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  it('knows the versions of the protocol', async () => {
    const { post } = await connected()
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
      expect((await post(list, { 'mcp-protocol-version': version })).status).toBe(200)
    expect((await post(list, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
  })

  it('takes a batch of an old client, and sells one payment in it once', async () => {
    const { post, facilitator } = await connected()
    const payment = await signed()
    const batch = [
      message(1, 'get_service_info'),
      message(2, 'echo', {}, inMeta(payment)),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
      message(3, 'echo', {}, inMeta(payment)),
    ]
    const answers = (await (await post(batch)).json()) as { id: number; result?: { isError?: boolean } }[]
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3])
    expect(answers.filter(({ result }) => result && !result.isError)).toHaveLength(2)
    expect(facilitator.moved.size).toBe(1)
    expect((await post(batch, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(400)
    expect((await post([message(1, 'echo'), message(1, 'shout')])).status).toBe(400)
  })

  it('sells nothing to a task', async () => {
    const { post, facilitator } = await connected()
    const asked = message(1, 'echo', {}, inMeta(await signed()))
    const answer = await post({ ...asked, params: { ...asked.params, task: { ttl: 1000 } } })
    expect(await answer.json()).toMatchObject({ error: { code: expect.any(Number) } })
    expect(facilitator.calls.settle).toBe(0)
  })

  it('leaks nothing of an error of ours', async () => {
    const broken = {
      ...tried,
      answer: () => {
        throw new Error('the secret of the house')
      },
    }
    const { post, logged } = await connected({ operations: [broken as never] })
    const answer = await (await post(message(1, 'tried_echo'))).text()
    expect(JSON.parse(answer)).toMatchObject({ error: { code: -32603 } })
    expect(answer).not.toContain('secret')
    expect(logged.join()).toContain('the secret of the house')
  })

  it('turns a caller away before the body is read', async () => {
    const { post } = await connected({ perMinute: 4 })
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await post('{')).status)
    expect(statuses.at(-1)).toBe(429)
    expect(await (await post('{')).json()).toMatchObject({
      jsonrpc: '2.0',
      error: { code: -32000, data: { error: 'too_many_requests', charged: null } },
    })
  })
})
