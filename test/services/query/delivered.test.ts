/**
 * A payer's connection dies after the kernel took the answer. "Delivered" means that the answer has left, not that it has arrived.
 */
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { defineOperation, type Operation } from '../../../services/offer/operation.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { originOf } from '../an-origin.ts'
import { echo, header, type Signed, signed } from '../till/paying.ts'
import { challengeIn, proofOf } from '../till/proving.ts'
import { type Bench, openBench, options, shared } from '../till/tills.ts'
import { serve } from './serve.ts'

const minute = 60_000
const elsewhere = { 'x-forwarded-for': '203.0.113.9' }

async function open(as?: (log: Log) => Log, operation: Operation = echo) {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const origins = [originOf([operation])]
  const behind = { trustProxy: true, checkAnswers: false }
  const bench: Bench = await openBench({ now, origins }, as as never)
  bench.facilitator.chain = 'truthful'
  let serving = await serve(bench.till, origins, behind)
  onTestFinished(() => serving.app.close())
  return {
    bench,
    port: () => serving.port,
    turn(ms: number) {
      aheadMs += ms
    },
    /** `cut`: what the stop does not wait for. */
    async restart(cut = () => {}) {
      const closing = serving.app.close()
      cut()
      await closing
      await bench.restart()
      serving = await serve(bench.till, origins, behind)
    },
    async ask(payment: Signed, headers: Record<string, string> = {}, body = '{}') {
      const type = { 'content-type': 'application/json', 'payment-signature': header(payment) }
      const response = await fetch(`${serving.url}/echo`, {
        method: 'POST',
        body,
        headers: { ...type, ...elsewhere, ...headers },
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
  }
}

const isDelivered = async (log: Log): Promise<boolean> => {
  let found = false
  const watching = await log.watch(tillPromises.topic, batch => {
    for (const { value } of batch) found ||= value?.includes('"step":"delivered"') ?? false
  })
  await watching.caughtUp
  await watching.close()
  return found
}

/** Pays without a key, reads nothing, and resets the connection once the kernel has the answer. */
async function paidAndCut({ bench, port }: Awaited<ReturnType<typeof open>>): Promise<Signed> {
  const payment = await signed()
  const socket = connect(port(), '127.0.0.1').on('error', () => {})
  socket.pause()
  socket.write(
    `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nPAYMENT-SIGNATURE: ${header(payment)}\r\nContent-Length: 2\r\n\r\n{}`,
  )
  await until(() => isDelivered(bench.log), 'the answer to be handed to the kernel')
  expect(socket.bytesRead).toBe(0)
  socket.resetAndDestroy()
  return payment
}

it.each<[string, ((log: Log) => Log) | undefined]>([
  ['of one process', undefined],
  ['that instances share', shared as never],
])('on a log %s: its wallet gets it for ten minutes more, also after a restart', async (_, as) => {
  const shop = await open(as)
  const { ask, turn, restart } = shop
  const payment = await paidAndCut(shop)
  turn(3 * minute)
  const prove = async () => {
    const refused = await ask(payment)
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: 'payment_already_used', charged: true, kept_until: expect.any(String) },
    ])
    return ask(payment, { 'sign-in-with-x': await proofOf(challengeIn(refused.body)) })
  }
  for (const again of [async () => {}, () => restart(), async () => turn(6 * minute), () => restart()]) {
    await again()
    expect(await prove()).toMatchObject({ status: 200, body: { said: 'hello', receipt: { charged: true } } })
  }
  expect(shop.bench.facilitator.calls.settle).toBe(1)
})

it('an answer that a stop cuts off on its way to a slow reader is given by the next run', async () => {
  const large = defineOperation({ ...echo, answer: () => ({ said: 'x'.repeat(16 << 20) }) })
  const shop = await open(undefined, large)
  const payment = await signed()
  const socket = connect(shop.port(), '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  socket.write(
    `POST /echo HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\nContent-Type: application/json\r\nPAYMENT-SIGNATURE: ${header(payment)}\r\nContent-Length: 2\r\n\r\n{}`,
  )
  await new Promise(resolve => socket.once('data', resolve))
  socket.pause()
  await shop.restart(() => void socket.destroy())
  expect(await isDelivered(shop.bench.log)).toBe(false)
  const { status, body } = await shop.ask(payment)
  expect([status, String(body.said).length]).toEqual([200, 16 << 20])
  expect(shop.bench.facilitator.calls.settle).toBe(1)
})

it('after that the words are true: charged, delivered when, and kept no longer', async () => {
  const shop = await open()
  const { ask, turn, restart, bench } = shop
  const before = Date.now()
  const payment = await paidAndCut(shop)
  turn(11 * minute)
  await until(() => !bench.till.knows({ json: { ...payment } }), 'the till to forget the purchase')
  const told = await ask(payment)
  expect(told).toMatchObject({ status: 409, body: { error: 'payment_already_used', charged: true } })
  expect(told.body).not.toHaveProperty('extensions')
  const words = /delivered at (\S+) and is kept no longer\. .* with transaction 0x/
  const at = words.exec(String(told.body.message))?.[1] ?? ''
  expect(Math.abs(Date.parse(at) - before)).toBeLessThan(60_000)

  await restart()
  await until(async () => words.test(String((await ask(payment)).body.message)), 'the same words')
})

it('other instances know it too, and how long', async () => {
  const shop = await open(shared as never)
  const other = await openTill(
    options(shared(shop.bench.log), shop.bench.facilitator.url, { origins: [originOf([echo])] }),
  )
  onTestFinished(() => other.close())
  const payment = await paidAndCut(shop)
  await until(() => other.knows({ json: { ...payment } }), 'the other to hear of the sale')
  await until(() => other.word({ json: { ...payment } }) !== null, 'the other to hear of its end')
  expect(other.word({ json: { ...payment } })).toEqual({ tx: expect.any(String) })
})
