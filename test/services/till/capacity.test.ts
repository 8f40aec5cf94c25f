/** Sales that wait for a facilitator: memory bounds them, and nothing else. The facilitator answers when the test says so. */
import { createHash, randomBytes } from 'node:crypto'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { metricsPage } from '../../../pipelines/rails/metrics.ts'
import { secp256k1 } from '../../../pipelines/rails/signing/secp256k1.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { ConnectionLine } from '../../../services/till/facilitator/connection-line.ts'
import { Places, saleBytes } from '../../../services/till/sale/places.ts'
import { digestOf } from '../../../services/till/schemes/evm-signature.ts'
import type { Payment, Sold } from '../../../services/till/till.ts'
import { solanaPayment, solanaTransaction } from '../../attacks/solana-payment.ts'
import { until } from '../../until.ts'
import { openSelling } from '../query/selling.ts'
import { offer, payTo, type Signed, signed } from './paying.ts'
import { type Bench, openBench, receiptOf, settlementsOf, settlementsTold } from './tills.ts'

const many = 4096

/** Signs as `signed` does, and ten times as fast. */
function payments(count: number, nth = 0): Signed[] {
  const key = createHash('sha256').update(`payer ${nth}`).digest()
  const from = privateKeyToAddress(`0x${key.toString('hex')}`)
  const { caip2: network, asset, domain } = networks.base
  return Array.from({ length: count }, () => {
    const nonce = `0x${randomBytes(32).toString('hex')}`
    const validBefore = String(Math.floor(Date.now() / 1000) + 110)
    const authorization = { from, to: payTo, value: '2000', validAfter: '0', validBefore, nonce }
    const digest = digestOf(authorization, { network, asset, domain })
    const { signature, recovery } = secp256k1.sign(digest, key)
    const text = `0x${Buffer.from(signature).toString('hex')}${(27 + recovery).toString(16)}`
    return { x402Version: 2, accepted: offer, payload: { signature: text, authorization } }
  })
}

/** Lets the facilitator answer all that it was asked. */
const answerAll = ({ facilitator }: Bench) => {
  for (const answer of facilitator.held.splice(0)) answer()
}

it('4,096 at once are all served, and none of them is 503', async () => {
  const bench = await openBench({ limits: { salesBytes: 3 * many * saleBytes } })
  // A payer who has paid nothing here yet has as many at once as he has refusals.
  const [first, ...further] = payments(many + 1) as [Signed, ...Signed[]]
  await bench.buy(first)
  bench.facilitator.settle = 'hold'
  const sales = further.map(payment => bench.buy(payment))
  const ends = Promise.all(sales)
  ends.catch(() => {})
  await Promise.race([ends, until(() => bench.facilitator.held.length === many, 'all to wait', 60_000)])
  answerAll(bench)
  for (const sold of await ends) expect(receiptOf(sold).charged).toBe(true)
})

describe('the memory for sales', () => {
  it('is a bound: beyond it a call is 503 with Retry-After, free, and what is free again is sold', async () => {
    const bench = await openBench({ limits: { salesBytes: 8.5 * saleBytes } })
    bench.facilitator.settle = 'hold'
    const sold: Promise<Sold>[] = []
    const waiting = () => until(() => bench.facilitator.held.length === sold.length, 'all of them to wait')
    const refused = { code: 'busy', charged: false, headers: { 'Retry-After': '1' } }
    // One payer gets half of it, others part of the rest, and the network two thirds.
    for (const [nth, places] of [4, 1, 1].entries()) {
      const [last, ...own] = payments(places + 1, nth) as [Signed, ...Signed[]]
      sold.push(...own.map(payment => bench.buy(payment, { caller: `caller ${nth}` })))
      await waiting()
      await expect(bench.buy(last, { caller: `caller ${nth}` })).rejects.toMatchObject(refused)
    }
    expect(bench.facilitator.calls.settle).toBe(6)
    expect(new Set((await settlementsOf(bench.log)).map(({ state }) => state))).toEqual(new Set())
    answerAll(bench)
    await Promise.all(sold)
    bench.facilitator.settle = 'well'
    await Promise.all(payments(4).map(payment => bench.buy(payment)))
  })

  it('is 503 and Retry-After over HTTP', async () => {
    const selling = await openSelling({ limits: { salesBytes: 1.5 * saleBytes } })
    selling.facilitator.settle = 'hold'
    const [first, second] = payments(2) as [Signed, Signed]
    const paid = selling.pay(first)
    await until(() => selling.facilitator.held.length === 1)
    const refused = await selling.pay(second)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.json()).toMatchObject({ error: 'busy', charged: false })
    for (const answer of selling.facilitator.held.splice(0)) answer()
    expect((await paid).status).toBe(200)
  })

  it('counts the texts of a sale: a long answer that finds no room is free', async () => {
    const bench = await openBench({ limits: { salesBytes: 4 * saleBytes } })
    const long = { answer: async () => JSON.stringify({ said: randomBytes(2 * saleBytes).toString('hex') }) }
    const [first, second] = payments(2) as [Signed, Signed]
    await expect(bench.buy(first, long)).rejects.toMatchObject({ code: 'busy', charged: false })
    expect(bench.facilitator.calls.settle).toBe(0)
    expect(receiptOf(await bench.buy(second)).charged).toBe(true)
  })

  it('has a share for each network, so that a slow one takes no other’s', () => {
    const places = new Places(900 * saleBytes)
    const take = (network: string, nth: number) =>
      places.take({ network, payer: `payer ${nth}`, proven: true } as Payment, `caller ${nth}`)
    const taken = (network: string, from: number) => {
      let nth = from
      for (; ; nth++) {
        try {
          take(network, nth)
        } catch (error) {
          expect(error).toMatchObject({ code: 'busy', charged: false })
          return nth - from
        }
      }
    }
    expect([taken('solana', 0), taken('base', 1000)]).toEqual([600, 200])
  })

  it('has a share for each payer: three that take all they get leave some to the next, and to each as much with time', () => {
    const places = new Places(1000 * saleBytes)
    const held = [0, 1, 2].map(() => [] as ReturnType<typeof places.take>[])
    const payerOf = (nth: number) => ({ network: 'base', payer: `payer ${nth}`, proven: true }) as Payment
    const takeAll = (nth: number) => {
      try {
        for (;;) held[nth]?.push(places.take(payerOf(nth), `caller ${nth}`))
      } catch (error) {
        expect(error).toMatchObject({ code: 'busy' })
      }
    }
    for (const nth of held.keys()) takeAll(nth)
    places.take(payerOf(3), 'another').free()
    // Whoever holds more than his share gets back less than he gives back.
    for (let round = 0; round < 100; round++)
      for (const [nth, own] of held.entries()) {
        for (const place of own.splice(0, 50)) place.free()
        takeAll((nth + 1) % 3)
        takeAll(nth)
      }
    const counts = held.map(({ length }) => length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(60)
    places.take(payerOf(3), 'another').free()
  })
})

describe('connections to the facilitator', () => {
  it('of a network are its own: while one waits for all of its, another sells', async () => {
    const bench = await openBench({ limits: { connections: 1 } })
    bench.facilitator.verify = 'hold'
    const slow = solanaPayment(solanaTransaction('slow')) as never as Signed
    const waiting = bench.buy(slow)
    await until(() => bench.facilitator.held.length === 1)
    const [payment] = payments(1) as [Signed]
    expect(receiptOf(await bench.buy(payment)).network).toBe('base')
    answerAll(bench)
    expect(receiptOf(await waiting).network).toBe('solana')
  })

  it('a payment that would end while it waits for one is refused before anybody sees it', async () => {
    // By this clock the payment has 50 ms left in which it may be settled.
    const now = 1_790_000_000_950
    const bench = await openBench({ limits: { connections: 1 }, now: () => now })
    bench.facilitator.settle = 'hold'
    const first = bench.buy(await signed({}, now))
    await until(() => bench.facilitator.held.length === 1)
    const late = await signed({ validBefore: String(Math.floor(now / 1000) + 9) }, now)
    await expect(bench.buy(late)).rejects.toMatchObject({ code: 'payment_expired', charged: false })
    answerAll(bench)
    expect(receiptOf(await first).charged).toBe(true)
    expect(bench.facilitator.calls.settle).toBe(1)
    expect(await settlementsTold(bench.log, 2)).toHaveLength(2)
  })

  it('are taken in turns by payers', async () => {
    const line = new ConnectionLine(1)
    const leave = await line.take('first', 1000)
    const order: string[] = []
    const turns = ['crowd', 'crowd', 'crowd', 'other'].map(async payer => {
      const turn = await line.take(payer, 300_000)
      order.push(payer)
      turn?.()
      turn?.()
    })
    expect(await line.take('crowd', 1)).toBeUndefined()
    leave?.()
    await Promise.all(turns)
    expect(order).toEqual(['crowd', 'other', 'crowd', 'crowd'])
    expect(await line.take('crowd', 0)).toBeInstanceOf(Function)
  })

  it('are not waited for without end: then the call is free, and the same payment may come again', async () => {
    const bench = await openBench({ limits: { connections: 1, lineMs: 20 } })
    bench.facilitator.settle = 'hold'
    const [one, two] = payments(2) as [Signed, Signed]
    const first = bench.buy(one)
    await until(() => bench.facilitator.held.length === 1)
    const free = { code: 'facilitator_unavailable', charged: false }
    await expect(bench.buy(two)).rejects.toMatchObject(free)
    answerAll(bench)
    await first
    bench.facilitator.settle = 'well'
    expect(receiptOf(await bench.buy(two)).charged).toBe(true)
  })
})

it('the page of metrics shows where sales wait, and how much they hold', async () => {
  const bench = await openBench({ limits: { salesBytes: 64 * saleBytes } })
  bench.facilitator.settle = 'hold'
  const sales = payments(3).map(payment => bench.buy(payment))
  await until(() => bench.facilitator.held.length === 3)
  const page = await metricsPage()
  expect(page).toContain('farebox_sales_in_flight{network="base",step="settle"} 3')
  expect(page).toContain(`farebox_sales_bytes_limit ${64 * saleBytes}`)
  expect(Number(/^farebox_sales_bytes (\d+)$/m.exec(page)?.[1])).toBeGreaterThan(3 * saleBytes)
  answerAll(bench)
  await Promise.all(sales)
  const after = await metricsPage()
  expect(after).toContain('farebox_sales_in_flight{network="base",step="settle"} 0')
  expect(after).toContain('farebox_sales_bytes 0')
  expect(after).toMatch(/^farebox_sale_step_seconds_count\{step="settle"\} [1-9]/m)
})

it('sales in hand do not stand before the purchases that nobody waits for', async () => {
  const bench = await openBench({ limits: { sweepMs: 20, unknownMs: 50 } })
  bench.facilitator.settle = 'hold'
  // Four of one payer are looked up at once, and sixteen of all.
  const sales = [0, 1, 2, 3].flatMap(nth => payments(4, nth)).map(payment => bench.buy(payment))
  await until(() => bench.facilitator.held.length === 16)
  bench.facilitator.settle = 'error after'
  const [left] = payments(1, 4) as [Signed]
  await expect(bench.buy(left)).rejects.toMatchObject({ code: 'payment_unknown' })
  bench.facilitator.chain = 'truthful'
  const settled = async () => (await settlementsOf(bench.log)).some(({ resolved }) => resolved)
  await until(settled, 'its end to be found')
  answerAll(bench)
  await Promise.all(sales)
})

it('one sweep looks at more purchases than at once: the next one begins where one has ended', async () => {
  const bench = await openBench({ limits: { unknownMs: 50 } })
  bench.facilitator.settle = 'error after'
  const unknown = [0, 1, 2, 3].flatMap(nth =>
    payments(12, nth).map(payment => bench.buy(payment, { caller: `caller ${nth}` }).catch(error => error)),
  )
  for (const end of await Promise.all(unknown)) expect(end).toMatchObject({ code: 'payment_unknown' })
  bench.facilitator.chain = 'truthful'
  // The start sweeps once, and the test ends before the next time.
  await bench.restart({ limits: { sweepMs: 2 ** 31 - 1 } })
  const settled = async () => (await settlementsOf(bench.log)).filter(({ resolved }) => resolved).length
  await until(async () => (await settled()) === 48, 'all of them to be found')
})

it('a facilitator that is slow for many has the chain asked for some of them at a time', async () => {
  const bench = await openBench({ limits: { sweepMs: 2 ** 31 - 1 } })
  // The payer is known to pay.
  const [first, ...further] = payments(101) as [Signed, ...Signed[]]
  await bench.buy(first)
  Object.assign(bench.facilitator, { settle: 'hold', chain: 'hanging' })
  const sales = further.map(payment => bench.buy(payment))
  await until(() => bench.facilitator.chainCalls >= 64, 'the chain to be asked')
  expect(bench.facilitator.held).toHaveLength(100)
  answerAll(bench)
  await Promise.all(sales)
  expect(bench.facilitator.chainCalls).toBe(64)
})

it('a facilitator that fails for many at once has the chain asked for some of them', async () => {
  const bench = await openBench({ limits: { sweepMs: 2 ** 31 - 1 } })
  const [first, ...further] = payments(201) as [Signed, ...Signed[]]
  await bench.buy(first)
  Object.assign(bench.facilitator, { settle: 'hold', chain: 'hanging' })
  const sales = further.map(payment => bench.buy(payment).catch(error => error))
  await until(() => bench.facilitator.held.length === 200, 'all to wait')
  const looks = bench.facilitator.chainCalls
  bench.facilitator.breakAll()
  // Sixteen of the payer wait for the outcome, and sixty-four look once. All others hear at once that nobody knows.
  const unknown = async () => {
    const heard = await Promise.all(sales.map(sale => Promise.race([sale, undefined])))
    return heard.filter(end => end !== undefined)
  }
  await until(async () => (await unknown()).length >= 200 - 64 - 16, 'the others to hear it')
  for (const end of await unknown()) expect(end).toMatchObject({ code: 'payment_unknown', charged: null })
  expect(bench.facilitator.chainCalls - looks).toBeLessThan(200)
  bench.till.stop()
  await Promise.all(sales)
})
