/** Attacks on a real server: the rows of README.md that no other test covers. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineOperation } from '../../services/offer/operation.ts'
import { openTill } from '../../services/till/open-till.ts'
import { scratchFolder } from '../scratch.ts'
import { originOf } from '../services/an-origin.ts'
import { openSelling } from '../services/query/selling.ts'
import { saidByFile } from '../services/sell/said.ts'
import { echo, header, signed } from '../services/till/paying.ts'
import { openTestLog, options } from '../services/till/till-options.ts'
import { until } from '../until.ts'
import { RawClient } from './raw-client.ts'

/** An operation of the code, and one of a file. */
const kinds = ['the code', 'a file'] as const
type Kind = (typeof kinds)[number]

/** The work, or what the upstream of the file does, waits for `work`. */
async function soldBy(kind: Kind, work = async () => {}) {
  if (kind === 'the code') {
    const answer = async ({ say }: { say: string }) => {
      await work()
      return { said: say }
    }
    return { operations: [defineOperation({ ...echo, answer })], path: '/echo', heard: { said: 'hello' } }
  }
  const { operations, find, end } = await saidByFile(async say => {
    await work()
    return JSON.stringify(say)
  })
  onTestFinished(end)
  return { operations, find, path: '/said', heard: { answer: 'hello' } }
}
async function gated(kind: Kind) {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const sold = await soldBy(kind, () => {
    asked++
    return gate.promise
  })
  return { ...sold, open: () => gate.resolve(), asked: () => asked }
}
const requestOf = (path: string, payment: unknown, body = '{}', more = '') =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nPAYMENT-SIGNATURE: ${header(payment)}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`,
  )

describe('a decodable but wrong payment is 402 with a fresh quote, and calls no facilitator', () => {
  it.each<[string, (payment: Awaited<ReturnType<typeof signed>>) => unknown]>([
    ['version 1', payment => ({ ...payment, x402Version: 1 })],
    ['version 99', payment => ({ ...payment, x402Version: 99 })],
    ['version "2"', payment => ({ ...payment, x402Version: '2' })],
    ['no payload', ({ payload: _, ...payment }) => payment],
    ['an empty authorization', payment => ({ ...payment, payload: { signature: '0x', authorization: {} } })],
    ['a nonce of two bytes', payment => changed(payment, { nonce: '0x1234' })],
    ['control characters in from', payment => changed(payment, { from: '0x\u0000\u0007\u001b[31m' })],
    [
      'a network that can be no text',
      payment => ({ ...payment, accepted: { ...payment.accepted, network: { toString: 'x' } } }),
    ],
    [
      'a foreign network',
      payment => ({ ...payment, accepted: { ...payment.accepted, network: 'eip155:1' } }),
    ],
    [
      'another asset',
      payment => ({ ...payment, accepted: { ...payment.accepted, asset: `0x${'1'.repeat(40)}` } }),
    ],
    ['another payTo', payment => changed(payment, { to: `0x${'1'.repeat(40)}` })],
    ['less than the price', payment => changed(payment, { value: '1999' })],
    ['more than the price', payment => changed(payment, { value: '2001' })],
  ])('%s', async (_, spoil) => {
    const { operations, find, end } = await saidByFile()
    onTestFinished(end)
    const { ask, facilitator } = await openSelling({ operations: [echo, ...operations], find })
    for (const path of ['/echo', '/said']) {
      const response = await ask({
        path,
        body: '{}',
        headers: { 'payment-signature': header(spoil(await signed())) },
      })
      expect(response.status).toBe(402)
      expect(response.headers.get('payment-required')).not.toBeNull()
      const told = await response.text()
      expect(JSON.parse(told)).toMatchObject({ error: 'invalid_payment', charged: false })
      // The answer repeats no stranger's words, because its reader may take them for a prompt.
      expect(told).not.toMatch(/\\u001b|eip155:1"|0x1234/)
    }
    expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  const changed = (payment: Awaited<ReturnType<typeof signed>>, change: Record<string, string>) => ({
    ...payment,
    payload: { ...payment.payload, authorization: { ...payment.payload.authorization, ...change } },
  })
})

it('a refusal by the rules of the facilitator is payment_rejected, in our words', async () => {
  const { pay, facilitator } = await openSelling()
  Object.assign(facilitator, { settle: 'refused', reason: 'payer_failed_kyt', chain: 'truthful' })
  const response = await pay()
  const told = await response.text()
  expect([response.status, JSON.parse(told).error]).toEqual([402, 'payment_rejected'])
  expect(told).not.toContain('kyt')
})

it('junk counts against the rate, and calls no facilitator', async () => {
  const { ask, facilitator } = await openSelling({ perMinute: 1 })
  const junk = async () => {
    const forged = await signed()
    forged.payload.signature = `0x${'11'.repeat(64)}1b`
    forged.x402Version = 3
    return (await ask({ body: '{}', headers: { 'payment-signature': header(forged) } })).status
  }
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push(await junk())
  expect(statuses).toEqual([402, 429, 429, 429])
  expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
})

/** Sends a request, and goes away once its work has begun. */
async function hangUp(port: number, request: Buffer, asked: () => number): Promise<void> {
  const leaving = connect(port, '127.0.0.1')
  leaving.write(request)
  await until(() => asked() === 1, 'the work to begin')
  leaving.destroy()
}

it.each(kinds)('a paid answer is sent whatever the rate says, and an unpaid call is 429: %s', async kind => {
  const { open, asked, path, heard, ...sold } = await gated(kind)
  const { port, pay, facilitator } = await openSelling({ perMinute: 1, ...sold })
  const payment = await signed()
  await hangUp(port, requestOf(path, payment), asked)
  open()
  await until(() => facilitator.calls.settle === 1, 'the settlement')
  expect((await pay(undefined, { path })).status).toBe(429)
  const again = await pay(payment, { path })
  expect(again.status).toBe(200)
  expect(await again.json()).toMatchObject({ ...heard, receipt: { charged: true } })
  expect((await pay(undefined, { path })).status).toBe(429)
  expect(asked()).toBe(1)
})

it.each(kinds)(
  'a caller who hangs up during the work gets the answer when he presents the payment again: %s',
  async kind => {
    const { open, asked, path, ...sold } = await gated(kind)
    const { port, pay, facilitator } = await openSelling({ ...sold, trustProxy: true })
    const payment = await signed()
    await hangUp(port, requestOf(path, payment), asked)
    open()
    const again = await pay(payment, { path })
    expect(again.status).toBe(200)
    expect(facilitator.moved.size).toBe(1)
    expect(asked()).toBe(1)
    const elsewhere = await pay(payment, { path, headers: { 'x-forwarded-for': '203.0.113.9' } })
    expect([elsewhere.status, await elsewhere.json()]).toMatchObject([409, { charged: true }])
  },
)

it.each(kinds)('not a byte of the answer leaves before the money has moved: %s', async kind => {
  const { path, ...sold } = await soldBy(kind)
  const { port, facilitator } = await openSelling(sold)
  facilitator.settle = 'hang'
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.on('data', data => {
    heard += data
  })
  socket.write(requestOf(path, await signed()))
  await until(() => facilitator.calls.settle === 1, 'the settlement to begin')
  // The server answers another call, so it had time to write the answer too early.
  await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' })
  expect(heard).toBe('')
  socket.destroy()
  await once(socket, 'close')
})

it('a header of 1 MB gets an answer, not a reset', async () => {
  const { port } = await openSelling()
  const client = new RawClient(port)
  const answer = await client.send(requestOf('/echo', 'x'.repeat(700_000)))
  client.close()
  expect(answer?.status).toBe(431)
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ error: 'headers_too_large', charged: null })
})

it.each(
  kinds.flatMap(kind => [
    ['half a surrogate pair', kind, '{"say":"\\ud800"}', ''] as const,
    ['an Expect that nobody knows', kind, '{}', 'Expect: miracles\r\n'] as const,
  ]),
)('%s is 400, free of charge: %s', async (_, kind, body, more) => {
  const { path, ...sold } = await soldBy(kind)
  const { port, ask, facilitator } = await openSelling(sold)
  const client = new RawClient(port)
  const answer = await client.send(requestOf(path, await signed(), body, more))
  client.close()
  expect(answer?.status).toBe(400)
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ error: 'invalid_request', charged: false })
  expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
  // A caller who has not paid still gets a quote.
  expect((await ask({ path, body, headers: { 'idempotency-key': 'a-good-key' } })).status).toBe(402)
})

it.each(['0', '0.0000001'])('a price of %s never goes on sale', async price => {
  const log = await openTestLog(scratchFolder())
  const operations = [defineOperation({ ...echo, price })]
  const opened = openTill(options(log, 'http://127.0.0.1:9', { origins: [originOf(operations)] }))
  await expect(opened).rejects.toThrow(/cannot be charged/)
  await log.close()
})
