import { describe, expect, it, onTestFinished } from 'vitest'
import { readContext } from '../../../../pipelines/rails/tracing/context.ts'
import { type Sampler, sampled } from '../../../../pipelines/rails/tracing/sampler.ts'
import { openTracing, traceparent } from '../../../../pipelines/rails/tracing/tracing.ts'
import { paymentKey } from '../../../../services/query/mcp/payment.ts'
import { startReceiver } from '../../../otlp-receiver.ts'
import { connected } from '../../../services/query/mcp/connected.ts'
import { message } from '../../../services/query/mcp/message.ts'
import { openSelling } from '../../../services/query/selling.ts'
import { signed } from '../../../services/till/paying.ts'
import { until } from '../../../until.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'
const always: Sampler = { name: 'parentbased_always_on', ratio: 1 }

async function openTraced(sampler = always, at?: string) {
  const receiver = await startReceiver()
  const problems: unknown[] = []
  const tracing = openTracing({
    url: `${at ?? receiver.url}/v1/traces`,
    headers: { 'x-key': 'a key' },
    resource: { 'service.name': 'farebox' },
    sampler,
    delayMs: 10,
    onError: error => problems.push(error),
  })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= tracing.close().then(receiver.close)
    return closed
  }
  onTestFinished(close)
  return { receiver, problems, flush: () => tracing.close() }
}

describe('the trace of a paid call', () => {
  it("has its steps below the span of the call, continues the caller's trace, and goes on to the facilitator", async () => {
    const { receiver } = await openTraced()
    const shop = await openSelling()
    const headers = { traceparent: `00-${trace}-${parent}-01` }
    const answer = await shop.pay(await signed(), { headers })
    const { receipt } = (await answer.json()) as { receipt: { request_id: string } }
    const steps = ['check', 'answer', 'promise', 'settle', 'respond']
    const named = (name: string) => receiver.spans.find(span => span.name === name)
    await until(() => [...steps, 'POST /echo'].every(named), 'every span')
    const call = named('POST /echo')
    expect(call).toMatchObject({
      traceId: trace,
      parentSpanId: parent,
      attributes: { 'farebox.operation': 'echoOnce', 'farebox.request_id': receipt.request_id },
      resource: { 'service.name': 'farebox' },
      status: {},
    })
    for (const step of steps)
      expect(named(step)).toMatchObject({ traceId: trace, parentSpanId: call?.spanId, status: {} })
    expect(shop.facilitator.traces.at(-1)).toBe(`00-${trace}-${named('settle')?.spanId}-01`)
    expect(receiver.requests[0]).toMatchObject({ url: '/v1/traces', headers: { 'x-key': 'a key' } })
  })

  it('continues the trace of a caller over MCP, who names it with the call or with the request', async () => {
    const { receiver } = await openTraced()
    const shop = await connected()
    const payload = async () => ({ [paymentKey]: await signed() })
    const called = '0af7651916cd43dd8448eb211c80319c'
    const own = { ...(await payload()), traceparent: `00-${called}-${parent}-01` }
    for (const meta of [await payload(), own])
      await shop.post(message(1, 'echo', {}, meta), { traceparent: `00-${trace}-${parent}-01` })
    const calls = () => receiver.spans.filter(({ name }) => name === 'POST /echo')
    await until(() => calls().length === 2, 'both calls')
    expect(calls().map(({ traceId, parentSpanId }) => ({ traceId, parentSpanId }))).toEqual([
      { traceId: trace, parentSpanId: parent },
      { traceId: called, parentSpanId: parent },
    ])
  })

  it('begins here if the caller has none, and names a failure only by its code', async () => {
    const { receiver } = await openTraced()
    const shop = await openSelling()
    Object.assign(shop.facilitator, { settle: 'refused', chain: 'truthful' })
    await shop.pay(await signed(), { headers: { traceparent: 'nonsense' } })
    await until(() => receiver.spans.some(({ name }) => name === 'POST /echo'), 'the span of the call')
    const call = receiver.spans.find(({ name }) => name === 'POST /echo')
    expect(call?.parentSpanId).toBeUndefined()
    expect(call?.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(call?.status).toMatchObject({ code: 2, message: expect.stringMatching(/^[a-z_]+$/) })
  })

  it('is left out if the caller left it out, and its header still goes on', async () => {
    const { receiver, flush } = await openTraced()
    const shop = await openSelling()
    await shop.pay(await signed(), { headers: { traceparent: `00-${trace}-${parent}-00` } })
    await flush()
    expect(receiver.spans).toEqual([])
    expect(shop.facilitator.traces.at(-1)).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`))
  })

  it('costs no call anything while the collector is away', async () => {
    const { problems } = await openTraced(always, 'http://127.0.0.1:9')
    const shop = await openSelling()
    expect((await shop.pay(await signed())).status).toBe(200)
    await until(() => problems.length === 1, 'the complaint')
    expect(String(problems[0])).toContain('traces were lost')
  })

  it('is not made at all without a collector', async () => {
    const shop = await openSelling()
    await shop.pay(await signed(), { headers: { traceparent: `00-${trace}-${parent}-01` } })
    expect(shop.facilitator.traces.filter(sent => sent !== undefined)).toEqual([])
    expect(traceparent()).toBeUndefined()
  })
})

describe('the header of a trace', () => {
  it('is read as W3C writes it', () => {
    expect(readContext(`00-${trace}-${parent}-01`)).toEqual({
      traceId: trace,
      spanId: parent,
      isSampled: true,
    })
    expect(readContext(`00-${trace}-${parent}-00`)?.isSampled).toBe(false)
    // A later version may have more fields.
    expect(readContext(`cc-${trace}-${parent}-01-more`)?.traceId).toBe(trace)
  })

  it.each([
    undefined,
    '',
    `00-${trace}-${parent}-01-more`,
    `ff-${trace}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${parent}-01`,
  ])('is not %s', header => {
    expect(readContext(header)).toBeUndefined()
  })
})

describe('the sampler', () => {
  const kept = (name: Sampler['name'], ratio = 1, isSampled?: boolean) =>
    sampled(
      { name, ratio },
      trace,
      isSampled === undefined ? undefined : { traceId: trace, spanId: parent, isSampled },
    )

  it('keeps the traces that its name promises', () => {
    expect([kept('always_on', 1, false), kept('always_off', 1, true)]).toEqual([true, false])
    expect([kept('traceidratio', 0), kept('traceidratio', 1)]).toEqual([false, true])
  })

  it('follows the parent if its name says so', () => {
    expect([kept('parentbased_always_on', 1, false), kept('parentbased_always_off', 1, true)]).toEqual([
      false,
      true,
    ])
    expect([kept('parentbased_always_on'), kept('parentbased_always_off')]).toEqual([true, false])
    expect(kept('parentbased_traceidratio', 0)).toBe(false)
  })

  it('keeps the configured share of traces', () => {
    const ids = Array.from({ length: 4096 }, (_, n) =>
      (n * 0x9e3779b97f4a7).toString(16).padStart(32, '0').slice(-32),
    )
    const some = ids.filter(id => sampled({ name: 'traceidratio', ratio: 0.25 }, id, undefined)).length
    expect(some / ids.length).toBeGreaterThan(0.2)
    expect(some / ids.length).toBeLessThan(0.3)
  })
})
