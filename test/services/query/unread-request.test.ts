/** A request that is refused before its payment is read gets no word about a charge that nobody has looked up. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { until } from '../../until.ts'
import { header, signed } from '../till/paying.ts'
import { openSelling } from './selling.ts'

const post = (payment: unknown, more: string[] = []) =>
  [
    'POST /echo HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `PAYMENT-SIGNATURE: ${header(payment)}`,
    ...more,
    'Content-Length: 2',
    '',
    '{}',
  ].join('\r\n')

/** Reads everything until the server closes. */
async function heard(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('error', () => {})
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

async function said(port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return answerIn(await heard(socket))
}

const answerIn = (text: string) => ({
  status: Number(text.split(' ')[1]),
  body: JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>,
})

it.each<[string, string[], number, string]>([
  ['headers that are too large', [`X: ${'x'.repeat(40_000)}`], 431, 'headers_too_large'],
  ['bytes that are not HTTP', ['X : y'], 400, 'invalid_request'],
  ['two lengths', ['Content-Length: 3'], 400, 'invalid_request'],
])('%s: nobody knows whether the payment in it was charged', async (_, more, status, error) => {
  const { port, pay } = await openSelling()
  const payment = await signed()
  expect((await pay(payment)).status).toBe(200)
  const answer = await said(port, post(payment, more))
  expect(answer).toMatchObject({ status, body: { error, charged: null } })
  expect(answer.body.message).not.toContain('Nothing was charged')
})

it('a request that never ends gets that answer, and no more', async () => {
  const { port, app } = await openSelling()
  const taken = new Promise<Socket>(resolve => app.server.once('connection', resolve))
  const socket = connect(port, '127.0.0.1')
  socket.write(post(await signed()).slice(0, -1))
  const served = await taken
  await until(() => served.bytesRead > 0, 'the first bytes to be read')
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  app.server.emit('clientError', late, served)
  expect(answerIn(await heard(socket))).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^The request was not complete in time\. /), charged: null },
  })
})

it('a connection on which nothing was asked is closed without a word, which a browser would take for an answer', async () => {
  const { port, app } = await openSelling()
  const taken = new Promise<Socket>(resolve => app.server.once('connection', resolve))
  const text = heard(connect(port, '127.0.0.1'))
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  app.server.emit('clientError', late, await taken)
  expect(await text).toBe('')
})

it('a request after a paid call on its connection gets no "not charged" in its place, and the answer is owed', async () => {
  const { port, pay, facilitator } = await openSelling({ limits: { unknownMs: 300 } })
  const payment = await signed()
  const socket = connect(port, '127.0.0.1')
  const text = heard(socket)
  facilitator.settle = 'error after'
  socket.write(post(payment))
  await until(() => facilitator.calls.settle > 0, 'the settlement to begin')
  socket.write('no HTTP\r\n\r\n')
  const answer = answerIn(await text)
  expect(answer).toMatchObject({ status: 400, body: { charged: null } })
  facilitator.settle = 'well'
  await until(async () => (await pay(payment)).status === 200, 'the answer to be had')
  expect(facilitator.moved.size).toBe(1)
})

it('an unmet Expect is refused with the truth of the payment beside it', async () => {
  const { port, facilitator } = await openSelling()
  const past = String(Math.floor(Date.now() / 1000) - 3600)
  const [payment, tx] = [await signed({ validBefore: past }), `0x${randomBytes(32).toString('hex')}`]
  facilitator.chain = 'truthful'
  facilitator.landed.push({ ...(payment.payload.authorization as never as { nonce: string }), tx } as never)
  const expecting = ['Expect: miracles']
  const taken = await said(port, post(payment, expecting))
  expect(taken).toMatchObject({ status: 400, body: { error: 'invalid_request', charged: true } })
  expect(taken.body.message).toContain(tx)
  expect((await said(port, post(await signed(), expecting))).body).toMatchObject({ charged: false })
})
