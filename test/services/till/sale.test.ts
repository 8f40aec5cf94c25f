import { describe, expect, it, onTestFinished } from 'vitest'
import { Unsold } from '../../../pipelines/rails/failures.ts'
import { Failure, Refused } from '../../../services/offer/errors.ts'
import { serveLoopback } from '../../../services/sandbox/loopback.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { saleBytes } from '../../../services/till/sale/places.ts'
import { until } from '../../until.ts'
import { echo, header, payer, payTo, shout, signed, toil } from './paying.ts'
import {
  asReplay,
  failure,
  openBench,
  options,
  receiptOf,
  settlementsOf,
  settlementsTold,
  shared,
} from './tills.ts'

describe('a paid call', () => {
  it('is verified, answered, settled, and has its receipt', async () => {
    const bench = await openBench()
    const sold = await bench.buy(await signed(), { requestId: 'the-request' })
    expect(sold.replayed).toBe(false)
    expect(bench.facilitator.calls.settle).toBe(1)
    const [tx] = bench.facilitator.moved.values()
    expect(JSON.parse(sold.body)).toEqual({
      said: 'hello',
      receipt: {
        request_id: 'the-request',
        fetched_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        tool: 'echoOnce',
        price_usdc: 0.002,
        charged: true,
        network: 'base',
        payment_tx: tx,
      },
    })
    expect(JSON.parse(Buffer.from(sold.headers['PAYMENT-RESPONSE'] as string, 'base64').toString())).toEqual({
      success: true,
      transaction: tx,
      network: 'eip155:8453',
      payer: payer.address.toLowerCase(),
    })
    const events = await settlementsTold(bench.log, 2)
    expect(events.map(event => event.state)).toEqual(['intended', 'settled'])
    expect(events[1]).toMatchObject({
      request_id: 'the-request',
      operation: 'echoOnce',
      amount_usdc: '0.002',
      payer: payer.address.toLowerCase(),
      pay_to: payTo,
      payment_tx: tx,
      resolved: false,
    })
    sold.delivered(true)
  })

  it('puts the receipt into an empty answer, and into a long one', async () => {
    const bench = await openBench()
    const empty = await bench.buy(await signed(), { answer: async () => '{}' })
    expect(Object.keys(JSON.parse(empty.body))).toEqual(['receipt'])
    const said = 'o'.repeat(200_000)
    const long = await bench.buy(await signed(), { answer: async () => JSON.stringify({ said }) })
    expect(JSON.parse(long.body)).toMatchObject({ said, receipt: { charged: true } })
  })

  it('costs nothing when it is refused, and the same payment may ask something else', async () => {
    const bench = await openBench()
    const payment = await signed()
    const refuse = async () => {
      throw new Refused('no_echo', 422, 'Nothing comes back')
    }
    await expect(bench.buy(payment, { answer: refuse })).rejects.toThrow(failure('no_echo'))
    expect(bench.facilitator.calls.settle).toBe(0)
    expect(await settlementsOf(bench.log)).toEqual([])
    await bench.buy(payment, { question: '{"say":"again"}' })
    expect(bench.facilitator.moved.size).toBe(1)
  })

  it('is 429 for a payer with too many refusals, but not for an owed answer', async () => {
    const bench = await openBench()
    const owed = await signed()
    ;(await bench.buy(owed)).delivered(false)
    const refuse = async () => {
      throw Object.assign(new Refused('no_echo', 422, 'Nothing comes back'), { asks: 1 })
    }
    for (let i = 0; i < 30; i++)
      await expect(bench.buy(await signed(), { answer: refuse })).rejects.toThrow(failure('no_echo'))
    await expect(bench.buy(await signed())).rejects.toThrow(failure('too_many_requests'))
    expect(receiptOf(await bench.buy(owed)).charged).toBe(true)
  })

  it.each([
    ['one by one', () => new Unsold('answered 403'), 1],
    ['in batches', () => new Failure('upstream_failed', 'answered 403'), 5],
  ])(
    'is 429 for a payer whose questions an upstream answers with nothing to sell, %s',
    async (_, made, asks) => {
      const bench = await openBench()
      const fail = async () => {
        throw Object.assign(made(), { asks })
      }
      for (let i = 0; i < 30; i += asks)
        await expect(bench.buy(await signed(), { answer: fail })).rejects.toThrow('answered 403')
      await expect(bench.buy(await signed())).rejects.toThrow(failure('too_many_requests'))
    },
  )

  it('is refused before any work when its authorization ends too soon', async () => {
    const bench = await openBench()
    const payment = await signed({ validBefore: String(Math.floor(Date.now() / 1000) + 5) })
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_expired'))
    expect(bench.facilitator.calls.settle).toBe(0)
  })

  it('is not settled when the answer took too long', async () => {
    const bench = await openBench({ limits: { answerMs: 20 } })
    const never = () => new Promise<string>(() => {})
    await expect(bench.buy(await signed(), { answer: never })).rejects.toThrow(failure('upstream_failed'))
    expect(bench.facilitator.calls.settle).toBe(0)
  })

  it('is 503 while the memory for sales is spent', async () => {
    const bench = await openBench({ limits: { salesBytes: 1.5 * saleBytes } })
    const gate = Promise.withResolvers<string>()
    const slow = bench.buy(await signed(), { answer: () => gate.promise })
    await until(() => bench.runs === 1)
    await expect(bench.buy(await signed())).rejects.toThrow(failure('busy'))
    gate.resolve('{}')
    await slow
    await bench.buy(await signed())
  })
})

describe('a stop', () => {
  it('does not wait for an unknown outcome', async () => {
    const bench = await openBench({ limits: { stopMs: 20 } })
    bench.facilitator.settle = 'hang'
    const payment = await signed()
    const lost = bench.buy(payment)
    await until(() => bench.facilitator.calls.settle === 1)
    bench.till.stop()
    await expect(lost).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
    bench.facilitator.settle = 'well'
    await bench.restart()
    expect(JSON.parse((await bench.buy(payment)).body).said).toBe('hello')
  })

  it('settles nothing for a caller who was told that nothing was charged', async () => {
    const bench = await openBench({ limits: { stopMs: 20 } })
    const gate = Promise.withResolvers<string>()
    const payment = await signed()
    const cut = bench.buy(payment, { answer: () => gate.promise })
    await until(() => bench.runs === 1)
    bench.till.stop()
    await expect(cut).rejects.toMatchObject({ code: 'shutting_down', charged: false })
    gate.resolve('{}')
    await bench.restart()
    expect(bench.facilitator.calls.settle).toBe(0)
  })
})

describe('a stop while others hang', () => {
  /** Only the stop ends a wait here: the test would run longer than its time-out. */
  const neverMs = 2 ** 31 - 1
  const nodesInARow = 1000
  const long = { limits: { stopMs: 20, unknownMs: neverMs }, timeoutsMs: { settle: neverMs } }

  it('does not wait for the facilitator', async () => {
    const bench = await openBench(long)
    bench.facilitator.settle = 'hang'
    const payment = await signed()
    const lost = bench.buy(payment)
    await until(() => bench.facilitator.calls.settle === 1)
    bench.till.stop()
    await expect(lost).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
    await bench.restart()
    expect(bench.facilitator.calls.settle).toBe(1)
    bench.facilitator.settle = 'well'
    expect(receiptOf(await bench.buy(payment)).charged).toBe(true)
  })

  it('does not wait for a node, neither in a call nor in the look after an earlier run', async () => {
    const bench = await openBench(long)
    const asked = new Set<string>()
    const node = await serveLoopback(({ path }) => {
      asked.add(path)
      return new Promise(() => {})
    })
    onTestFinished(() => node.close())
    const { config } = options(bench.log, bench.facilitator.url)
    const hanging = (path: string) => {
      const base = Array<string>(nodesInARow).fill(node.url + path)
      return { config: { ...config, rpcUrls: { base } } }
    }
    await bench.restart(hanging('/call'))
    bench.facilitator.settle = 'error after'
    const payment = await signed()
    const lost = bench.buy(payment)
    await until(() => asked.has('/call'), 'the call to look')
    bench.till.stop()
    await expect(lost).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
    await bench.restart(hanging('/start'))
    await until(() => asked.has('/start'), 'the earlier purchase to be looked after')
    await bench.restart()
    expect(bench.facilitator.calls.settle).toBe(1)
    bench.facilitator.settle = 'well'
    expect(receiptOf(await bench.buy(payment)).charged).toBe(true)
    expect([bench.runs, bench.facilitator.moved.size]).toEqual([1, 1])
  })
})

describe('copies of one payment', () => {
  it('eight at once: one run, one settlement, one answer', async () => {
    const bench = await openBench()
    const payment = await signed()
    const copies = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const sold = await bench.buy(payment)
        sold.delivered(true)
        return sold
      }),
    )
    // An answer that has left may be lost on its way, so the same caller gets it again.
    expect(copies.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(copies.map(sold => receiptOf(sold).payment_tx)).size).toBe(1)
    expect(bench.runs).toBe(1)
    expect(bench.facilitator.calls).toMatchObject({ settle: 1 })
  })

  it('wait for the first, then are told so', async () => {
    const bench = await openBench({ limits: { waitMs: 50 } })
    const payment = await signed()
    const gate = Promise.withResolvers<string>()
    const first = bench.buy(payment, { answer: () => gate.promise })
    await until(() => bench.runs === 1)
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_in_flight'))
    gate.resolve('{}')
    await first
  })

  it('of others get 409 with the transaction, after a restart too', async () => {
    const bench = await openBench()
    const payment = await signed()
    const sold = await bench.buy(payment)
    sold.delivered(true)
    const used = expect.objectContaining({
      code: 'payment_already_used',
      tx: receiptOf(sold).payment_tx,
    })
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(used)
    await bench.restart()
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(used)
    await expect(bench.buy(payment, { operation: shout })).rejects.toThrow(used)
    expect(bench.runs).toBe(1)
  })

  it('do not buy another path or question of the same price', async () => {
    const bench = await openBench()
    const payment = await signed()
    ;(await bench.buy(payment)).delivered(false)
    await expect(bench.buy(payment, { operation: shout })).rejects.toThrow(failure('payment_already_used'))
    await expect(bench.buy(payment, { question: '{"say":"x"}' })).rejects.toThrow(
      failure('payment_already_used'),
    )
  })

  it('are given the answer that was not delivered, again and again until it is', async () => {
    const bench = await openBench()
    const payment = await signed()
    const first = await bench.buy(payment)
    first.delivered(false)
    const second = await bench.buy(payment)
    expect(second.body).toBe(asReplay(first.body))
    expect(second.headers).toEqual({ ...first.headers, 'Idempotent-Replayed': 'true' })
    second.delivered(false)
    await bench.restart()
    const third = await bench.buy(payment)
    expect(third.body).toBe(asReplay(first.body))
    third.delivered(true)
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(
      failure('payment_already_used'),
    )
    expect(bench.facilitator.calls.settle).toBe(1)
    expect(bench.runs).toBe(1)
  })
})

describe('among instances on one log', () => {
  it.each([echo, toil])('a payment sent to both at once is one settlement: $path', async operation => {
    const bench = await openBench({}, shared)
    const other = await openTill(options(shared(bench.log), bench.facilitator.url))
    for (let round = 0; round < 20; round++) {
      const payment = await signed()
      const here = bench.till
      const both = await Promise.all(
        [here, other].map(async till => {
          bench.till = till
          const sold = await bench.buy(payment, { operation })
          sold.delivered(true)
          return receiptOf(sold).payment_tx
        }),
      )
      bench.till = here
      expect(new Set(both).size).toBe(1)
    }
    await other.close()
    expect(bench.facilitator.calls.settle).toBe(20)
    // Instances announce a costly answer, so one of them makes it. Both may make a cheap answer, and then one of them yields.
    if (operation.costs === 'costly') expect(bench.runs).toBe(20)
  })

  it('what one did not deliver, the other gives', async () => {
    const bench = await openBench({}, shared)
    const other = await openTill(options(shared(bench.log), bench.facilitator.url))
    const payment = await signed()
    const first = await bench.buy(payment)
    first.delivered(false)
    bench.till = other
    const second = await bench.buy(payment)
    expect(second.body).toBe(asReplay(first.body))
    second.delivered(true)
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(
      failure('payment_already_used'),
    )
    await other.close()
    expect(bench.runs).toBe(1)
  })
})

it('a log that takes nothing: 503, free, nothing settled', async () => {
  const bench = await openBench()
  const payment = await signed()
  const checked = await bench.till.check(bench.till.decode(header(payment)), shout)
  await bench.log.close()
  await expect(
    bench.till.sell({
      product: shout,
      question: '{}',
      payment: checked,
      idempotencyKey: undefined,
      caller: 'the payer',
      requestId: 'r',
      answer: async () => '{}',
    }),
  ).rejects.toThrow(failure('log_unavailable'))
  expect(bench.facilitator.calls.settle).toBe(0)
  expect(new Failure('log_unavailable').charged).toBe(false)
})

it('a log that fails after the money has moved: the answer is given from memory', async () => {
  const bench = await openBench()
  const payment = await signed()
  const sold = await bench.buy(payment)
  sold.delivered(false)
  await bench.log.close()
  expect((await bench.buy(payment)).body).toBe(asReplay(sold.body))
})

it('a shared log that fails after the money has moved: nobody is told that nothing was charged', async () => {
  const bench = await openBench({}, shared)
  const payment = await signed()
  ;(await bench.buy(payment)).delivered(false)
  await bench.log.close()
  const again = bench.buy(payment)
  await expect(again).rejects.toThrow(failure('payment_unknown'))
  await expect(again).rejects.toMatchObject({ charged: null })
})
