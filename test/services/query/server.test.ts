import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ipLookup } from '../../../pipelines/lookups/ip.ts'
import { NotConfigured } from '../../../pipelines/rails/failures.ts'
import { defineOperation, type Operation, type Tools } from '../../../services/offer/operation.ts'
import { echo, header, seek, signed } from '../till/paying.ts'
import { openSelling, type Selling, sharedSelling } from './selling.ts'

const unsold = sharedSelling()

const free = (code: string) => ({
  error: code,
  message: expect.stringMatching(/\. Nothing was charged\.$/),
  charged: false,
})
/** Nobody has read whether the request holds a payment. */
const unread = (code: string) => ({
  error: code,
  message: expect.stringMatching(/\. We do not know whether you were charged: retry the same payment\.$/),
  charged: null,
})
const quoteIn = (response: Response) =>
  JSON.parse(Buffer.from(response.headers.get('payment-required') ?? '', 'base64').toString())

/** Sends bytes that no HTTP client sends, and returns the answer. */
async function raw(port: number, text: string): Promise<{ status: number; body: string }> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', part => {
    answer += part
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body }
}
const closing = 'Host: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

describe('an unpaid call', () => {
  it.each([
    ['no body', {}],
    ['a question', { body: '{"say":"hi"}' }],
    ['a wrong question', { body: '{"shout":1}' }],
    ['broken JSON', { body: '{' }],
    ['a body that is not JSON', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['broken JSON and a key', { body: '{', headers: { 'idempotency-key': '12345678' } }],
  ])('gets the quote, with %s', async (_, ask) => {
    const { ask: call } = unsold()
    const response = await call(ask)
    expect(response.status).toBe(402)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const quote = quoteIn(response)
    expect(quote).toMatchObject({
      x402Version: 2,
      resource: { url: 'https://farebox.example/echo' },
      accepts: [{ network: 'eip155:8453', amount: '2000' }, { network: expect.stringMatching(/^solana:/) }],
    })
    const { error, message, charged, ...mirrored } = (await response.json()) as Record<string, unknown>
    expect({ error, message, charged }).toEqual(free('payment_required'))
    expect(mirrored).toEqual({ ...quote, error: undefined })
  })

  it.each(['', '{"shout":1}'])(
    'learns that version 1 is not read, and what reads version 2: %j',
    async body => {
      const { ask: call } = unsold()
      const { accepted, payload } = await signed()
      const old = { x402Version: 1, scheme: accepted.scheme, network: 'base', payload }
      const response = await call({ body, headers: { 'x-payment': header(old) } })
      const told = (await response.json()) as { message: string }
      expect([response.status, told]).toMatchObject([402, { error: 'invalid_payment', charged: false }])
      expect(told.message).toMatch(/x402 version 1, and version 2 is read here.*@x402\/fetch 2/)
      expect(quoteIn(response).error).toContain('version 2 is read here')
    },
  )

  it.each(['***', header(null)])('learns it where its header of version 1 is %j, too', async sent => {
    const { ask: call } = unsold()
    const response = await call({ headers: { 'x-payment': sent } })
    const told = (await response.json()) as { message: string }
    expect([response.status, told]).toMatchObject([400, { error: 'invalid_payment_header', charged: false }])
    expect(told.message).toMatch(/^X-PAYMENT is not .* version 1, and version 2 is read here.*@x402\/fetch 2/)
  })

  it('gets it on HEAD too, and nothing runs', async () => {
    const { ask } = unsold()
    const response = await ask({ method: 'HEAD', headers: { 'payment-signature': header(await signed()) } })
    expect([response.status, await response.text()]).toEqual([402, ''])
    expect(quoteIn(response).accepts).toHaveLength(2)
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('with %s gets the list of verbs', async method => {
    const { ask } = unsold()
    const response = await ask({ method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, HEAD, OPTIONS'])
    expect(await response.json()).toEqual(free('method_not_allowed'))
  })

  it('of an unknown path is 404, never 402', async () => {
    const { ask } = unsold()
    for (const path of ['/nothing', '/echo/', '/ECHO', '//echo', '/echo;x=1', '/echo.']) {
      const response = await ask({ path })
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toEqual(free('not_found'))
    }
  })

  it('cannot pass the gate in another spelling of the path', async () => {
    const { port } = unsold()
    for (const target of ['http://elsewhere/echo', '/%65cho', '/echo?x=1', '/echo#x', '/echo?/../free']) {
      const { status } = await raw(port, `POST ${target} HTTP/1.1\r\n${closing}`)
      expect([target, [402, 404].includes(status)]).toEqual([target, true])
    }
  })

  it('may be made by a page of another origin', async () => {
    const { ask } = unsold()
    const preflight = await ask({ method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    const allowed = preflight.headers.get('access-control-allow-headers')
    expect(allowed).toContain('PAYMENT-SIGNATURE')
    // A page whose client is of version 1 could not read what the 402 tells it.
    expect(allowed).toContain('X-PAYMENT')
    const response = await ask()
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED')
  })
})

describe('a paid call', () => {
  it('is answered with a receipt and the settlement', async () => {
    const { pay } = await openSelling()
    const response = await pay(await signed(), { body: '{"say":"hi"}' })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await response.json()).toEqual({
      said: 'hi',
      receipt: {
        request_id: expect.any(String),
        fetched_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
        tool: 'echoOnce',
        price_usdc: 0.002,
        charged: true,
        network: 'base',
        payment_tx: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    })
    expect(
      JSON.parse(Buffer.from(response.headers.get('payment-response') ?? '', 'base64').toString()),
    ).toMatchObject({
      success: true,
      network: 'eip155:8453',
    })
  })

  it('treats an absent body as an empty question', async () => {
    const { ask } = await openSelling()
    const response = await ask({ headers: { 'payment-signature': header(await signed()) } })
    expect(await response.json()).toMatchObject({ said: 'hello' })
  })

  it.each([
    ['no base64', '***', 400, 'invalid_payment_header'],
    ['no JSON', Buffer.from('{').toString('base64'), 400, 'invalid_payment_header'],
    ['no object', Buffer.from('null').toString('base64'), 400, 'invalid_payment_header'],
    ['an empty object', Buffer.from('{}').toString('base64'), 402, 'invalid_payment'],
  ])('with a payment that is %s: refused free', async (_, payment, status, code) => {
    const { ask, facilitator } = unsold()
    const response = await ask({ body: '{}', headers: { 'payment-signature': payment } })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject(free(code))
    if (status === 402) expect(quoteIn(response).accepts).toHaveLength(2)
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  it.each([
    ['an unknown field, named', '{"shout":1}', /shout/],
    ['a wrong field, named', '{"say":1}', /say/],
    ['broken JSON', '{', /JSON/],
    ['an array', '[]', /object/],
    ['null', 'null', /object/],
    ['an unknown field of any name, named', '{"__proto__":{"say":"x"}}', /There is no field "__proto__"/],
    ['another such', '{"constructor":{"prototype":1}}', /There is no field "constructor"/],
    ['a field written twice, named', '{"say":"x", "say":"y"}', /The field "say" is written twice/],
    ['the same in another spelling', '{"say":"x","s\\u0061y":"y"}', /The field "say" is written twice/],
    [
      'one written twice within',
      '{"say":[{"a,{":1},{"a,{":1,"b":[],"a,{":2}]}',
      /The field "a,{" is written twice/,
    ],
  ])('with %s is 400 before the payment is checked', async (_, body, message) => {
    const { pay, facilitator } = unsold()
    const response = await pay(await signed(), { body })
    const answer = (await response.json()) as { message: string }
    expect([response.status, answer]).toEqual([400, free('invalid_request')])
    expect(answer.message).toMatch(message)
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  it('checks the header before the body', async () => {
    const { ask } = unsold()
    const response = await ask({ body: '{', headers: { 'payment-signature': '***' } })
    expect(await response.json()).toEqual(free('invalid_payment_header'))
  })

  it('with a body that is too large is 413, with another type 415, with large headers 431', async () => {
    const { ask, port } = unsold()
    const payment = { 'payment-signature': header(await signed()) }
    const large = await ask({ body: JSON.stringify({ say: 'x'.repeat(70_000) }), headers: payment })
    expect([large.status, await large.json()]).toEqual([413, free('body_too_large')])
    const typed = await ask({ body: 'say=hi', headers: { ...payment, 'content-type': 'text/plain' } })
    expect([typed.status, await typed.json()]).toEqual([415, free('unsupported_media_type')])
    const heavy = await raw(
      port,
      `POST /echo HTTP/1.1\r\nPAYMENT-SIGNATURE: ${'A'.repeat(20_000)}\r\n${closing}`,
    )
    expect([heavy.status, JSON.parse(heavy.body)]).toEqual([431, unread('headers_too_large')])
  })

  it('that is not HTTP is 400', async () => {
    const { port } = unsold()
    const { status, body } = await raw(port, 'HELLO\r\n\r\n')
    expect([status, JSON.parse(body)]).toEqual([400, unread('invalid_request')])
  })

  it('that is refused by its operation is free', async () => {
    const refusing = defineOperation({
      ...echo,
      answer: (_question, _tools, refuse) => refuse('no_echo', 'No echo here'),
    })
    const { pay, facilitator } = await openSelling({ operations: [refusing] })
    const response = await pay()
    expect([response.status, await response.json()]).toEqual([
      422,
      { error: 'no_echo', message: 'No echo here. Nothing was charged.', charged: false },
    ])
    expect(facilitator.calls.settle).toBe(0)
  })

  it.each([
    [
      'whose upstream fails',
      502,
      'upstream_failed',
      (tools: { find(l: never, k: never): unknown }) => tools.find({} as never, {} as never),
    ],
    [
      'whose view is empty',
      503,
      'not_ready',
      (tools: { view(v: never, a: never): unknown }) => tools.view({} as never, {} as never),
    ],
    [
      'whose chain has no node here',
      503,
      'not_configured',
      () => {
        throw new NotConfigured('Arbitrum has no node here')
      },
    ],
    [
      'whose operation is broken',
      500,
      'internal_error',
      () => {
        throw new TypeError('secret detail')
      },
    ],
  ])('%s is free', async (_, status, code, fail) => {
    const failing = defineOperation({ ...echo, answer: (_question, tools) => fail(tools as never) as object })
    const { pay, facilitator } = await openSelling({ operations: [failing] })
    const response = await pay()
    const answer = await response.text()
    expect([response.status, JSON.parse(answer)]).toEqual([status, free(code)])
    expect(answer).not.toContain('secret')
    expect(facilitator.calls.settle).toBe(0)
  })

  it('whose answer does not fit its response is our fault: free, and logged by path without its content', async () => {
    const hidden = { said: 'whisper', secret: 'hush' }
    const leaking = defineOperation({ ...echo, answer: () => hidden })
    const { pay, facilitator, logged } = await openSelling({ operations: [leaking] })
    const response = await pay()
    expect([response.status, await response.json()]).toEqual([500, free('internal_error')])
    expect(facilitator.calls.settle).toBe(0)
    const faults = logged.map(line => JSON.parse(line)).filter(({ level }) => level >= 50)
    expect(faults).toEqual([
      expect.objectContaining({
        path: '/echo',
        err: expect.objectContaining({
          message: 'the answer of /echo does not fit its response: Unrecognized key: "secret"',
        }),
      }),
    ])
    expect(logged.join('')).not.toMatch(/whisper|hush/)
    const unchecked = await openSelling({ operations: [leaking], checkAnswers: false })
    expect((await unchecked.pay()).status).toBe(200)
  })

  it('is 503 while the facilitator is away, and the next is answered', async () => {
    const { pay, facilitator } = await openSelling({ operations: [seek] })
    facilitator.verify = 'error before'
    const response = await pay(undefined, { path: '/seek' })
    expect([response.status, await response.json()]).toEqual([503, free('facilitator_unavailable')])
    facilitator.verify = 'well'
    expect((await pay(undefined, { path: '/seek' })).status).toBe(200)
  })

  it('leaves nothing of question, answer or payment in the log of the process', async () => {
    const refusing = defineOperation({
      ...echo,
      answer: (_question, _tools, refuse) => refuse('no_echo', 'No echo here'),
    })
    const { pay, logged } = await openSelling({ operations: [refusing] })
    await pay(await signed(), { body: '{"say":"whisper"}' })
    expect(logged.join('')).not.toMatch(/whisper|No echo here/)
  })
})

describe('a key', () => {
  it.each([
    ['7 characters', '1234567'],
    ['129 characters', 'x'.repeat(129)],
    ['a space', '1234 5678'],
    ['no ASCII', 'sch\u00fcssel1'],
  ])('of %s is 400, paid or not', async (_, key) => {
    const { ask, pay, facilitator } = unsold()
    for (const response of [
      await ask({ headers: { 'idempotency-key': key } }),
      await pay(undefined, { headers: { 'idempotency-key': key } }),
    ])
      expect([response.status, await response.json()]).toEqual([400, free('invalid_idempotency_key')])
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  it('has the paid answer again, without a payment and with another one, and nothing is charged', async () => {
    const { ask, pay, facilitator } = await openSelling()
    const key = { 'idempotency-key': 'my-first-key' }
    expect((await ask({ body: '{"say":"hi"}', headers: key })).status).toBe(402)
    const first = await (await pay(await signed(), { body: '{"say":"hi"}', headers: key })).json()
    for (const again of [
      await ask({ body: '{ "say": "hi" }', headers: key }),
      await pay(await signed(), { body: '{"say":"hi"}', headers: key }),
    ]) {
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
      const { receipt, ...answer } = (await again.json()) as { receipt: object }
      expect({ ...answer, receipt }).toEqual({
        ...(first as object),
        receipt: { ...(first as { receipt: object }).receipt, replayed: true, charged_now: false },
      })
    }
    expect(facilitator.calls.settle).toBe(1)
    expect((await ask({ body: '{"say":"ho"}', headers: key })).status).toBe(402)
    expect((await ask({ path: '/shout', body: '{"say":"hi"}', headers: key })).status).toBe(402)
  })

  it('on two calls in flight is one call and one payment', async () => {
    const { pay, facilitator } = await openSelling()
    const headers = { 'idempotency-key': 'both-at-once' }
    const responses = await Promise.all([pay(await signed(), { headers }), pay(await signed(), { headers })])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(facilitator.calls.settle).toBe(1)
    expect(responses.filter(response => response.headers.get('idempotent-replayed') === 'true')).toHaveLength(
      1,
    )
  })
})

describe('the rate', () => {
  it('turns a caller away with the seconds to wait, paid or not', async () => {
    const { ask, pay, facilitator } = await openSelling({ perMinute: 2 })
    await ask()
    await ask()
    for (const response of [await ask(), await pay(), await ask({ method: 'HEAD' })]) {
      expect(response.status).toBe(429)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      const text = await response.text()
      if (text) expect(JSON.parse(text)).toEqual(free('too_many_requests'))
    }
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  it('counts each call before any of it is read, whichever way it fails', async () => {
    const key = { 'idempotency-key': 'short' }
    const garbled = { headers: { 'payment-signature': '%%%' } }
    const failing: [number, (selling: Selling) => Promise<Response>][] = [
      [400, ({ pay }) => pay(undefined, { body: '{' })],
      [400, ({ pay }) => pay(undefined, { body: '{"say":1}' })],
      [400, ({ pay }) => pay(undefined, { body: '"\\ud800"' })],
      [413, ({ pay }) => pay(undefined, { body: ' '.repeat(70_000) })],
      [415, ({ pay }) => pay(undefined, { headers: { 'content-type': 'text/plain' } })],
      [400, ({ pay }) => pay(undefined, { headers: key })],
      [400, ({ ask }) => ask({ headers: key })],
      [400, ({ ask }) => ask(garbled)],
    ]
    for (const [status, call] of failing) {
      const selling = await openSelling({ perMinute: 3 })
      const seen: number[] = []
      for (let i = 0; i < 4; i++) seen.push((await call(selling)).status)
      expect(seen).toEqual([status, status, status, 429])
    }
  })

  it('is one for a whole /64, whatever a proxy makes of its addresses', async () => {
    const { ask } = await openSelling({ perMinute: 3, trustProxy: true })
    const from = async (ip: string) => (await ask({ headers: { 'x-forwarded-for': ip } })).status
    const mine = ['2001:db8::1', '2001:DB8:0:0:9::7', '[2001:db8::2]:99', '2001:db8::3%eth0']
    expect([await from(mine[0] as string), await from(mine[1] as string)]).toEqual([402, 402])
    expect([await from(mine[2] as string), await from(mine[3] as string)]).toEqual([402, 429])
    expect(await from('2001:db8:0:1::1')).toBe(402)
    for (const typed of ['198.51.100.9', '::ffff:198.51.100.9', '198.51.100.9:1'])
      expect(await from(typed)).toBe(402)
    expect(await from('198.51.100.9')).toBe(429)
  })

  it('has a bound even for owed answers: thirty calls above the limit', async () => {
    const selling = await openSelling({ perMinute: 1, rateNow: () => 0 })
    selling.till.owes = () => true
    const payment = await signed()
    const seen: number[] = []
    for (let i = 0; i < 33; i++) seen.push((await selling.pay(payment, { body: '{' })).status)
    expect(seen).toEqual([...Array(31).fill(400), 429, 429])
  })

  it('tells the caller his standing', async () => {
    const { ask, pay } = await openSelling({ perMinute: 60 })
    const first = await ask()
    expect(first.headers.get('ratelimit-policy')).toBe('"requests";q=60;w=60, "refusals";q=30;w=60')
    expect(first.headers.get('ratelimit')).toMatch(/^"requests";r=59;t=1$/)
    expect((await pay()).headers.get('ratelimit')).toMatch(/^"requests";r=58;t=\d$/)
    expect(first.headers.get('access-control-expose-headers')).toContain('RateLimit, RateLimit-Policy')
  })
})

describe('a payer who is refused', () => {
  const picky = (asks: number): Operation =>
    defineOperation({
      ...echo,
      costs: 'looked up',
      async answer({ say }, { find }, refuse) {
        if (say === 'hello') return { said: say }
        for (let i = 0; i < asks; i++) await find(ipLookup, { family: 4, text: say, value: 0n })
        return refuse('no_echo', 'Nothing comes back')
      },
    })
  const refused = { body: '{"say":"nothing"}' }

  it('without a cost for us may go on as he likes', async () => {
    const { pay } = await openSelling({ operations: [picky(0)] })
    for (let i = 0; i < 35; i++) {
      const { status, headers } = await pay(await signed(), refused)
      expect([status, headers.get('ratelimit')]).toEqual([422, expect.not.stringContaining('refusals')])
    }
    expect((await pay()).status).toBe(200)
  })

  it('at the cost of 30 requests to upstreams waits, and learns how long', async () => {
    const find: Tools['find'] = async (_lookup, _key, mayAsk) => {
      await mayAsk?.()
      return undefined
    }
    const { pay, facilitator } = await openSelling({ operations: [picky(10)], find })
    for (const left of [20, 10, 0]) {
      const { status, headers } = await pay(await signed(), refused)
      expect([status, headers.get('ratelimit')]).toEqual([
        422,
        expect.stringMatching(new RegExp(`^"requests";r=\\d+;t=\\d+, "refusals";r=${left};t=60$`)),
      ])
    }
    const late = await pay(await signed())
    expect([late.status, await late.json()]).toEqual([429, free('too_many_requests')])
    expect(late.headers.get('ratelimit')).toMatch(/"refusals";r=0;t=\d+$/)
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(facilitator.calls.settle).toBe(0)
  })
})
