/** What the log knows at which time, and what a start finds there. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Entry, Log } from '../../../pipelines/rails/log/log.ts'
import { openSqliteLog } from '../../../pipelines/rails/log/sqlite-log.ts'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { type SettlementEvent, settlements } from '../../../schemas/settlements.ts'
import { tillOpen } from '../../../schemas/till-open.ts'
import { type TillStep, tillPromises } from '../../../schemas/till-promises.ts'
import { openTill } from '../../../services/till/open-till.ts'
import type { Sold } from '../../../services/till/till.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { echo, header, type Signed, signed } from './paying.ts'
import { startStubFacilitator } from './stub-facilitator.ts'
import { topics } from './till-options.ts'
import { asReplay, failure, openBench, options, receiptOf, settlementsTold, shared } from './tills.ts'

const minute = 60_000
const hour = 60 * minute

/** Wraps the log: a step of the test runs before each append. */
const meeting = (log: Log, meet: (topic: Topic, entries: readonly Entry[]) => Promise<void> | void): Log => ({
  ...shared(log),
  isOwned: log.isOwned,
  async append(topic, entries) {
    await meet(topic, entries)
    return log.append(topic, entries)
  },
})
const isOutcome = ({ value }: Entry): boolean => {
  const { step, state } = JSON.parse(value as string) as Partial<TillStep & SettlementEvent>
  return /settled|delivered|returned/.test(String(step ?? state))
}

/** Presents a payment until its outcome is known. */
async function known(buy: () => Promise<Sold>): Promise<Sold> {
  let sold: Sold | undefined
  await until(async () => {
    sold = await buy().catch(error => {
      if (error.code !== 'payment_unknown') throw error
      return undefined
    })
    return sold
  }, 'the end of the payment')
  return sold as Sold
}

describe('the outcome of a sale', () => {
  it('is told to analysts before the ledger has it, because a killed run tells only of what is open', async () => {
    const told = Promise.withResolvers<void>()
    const appended: string[] = []
    const bench = await openBench({}, log => ({
      ...shared(log),
      async append(topic, entries) {
        const isEnd = entries.some(isOutcome)
        if (isEnd && topic.name === settlements.topic.name) await told.promise
        if (isEnd) appended.push(topic.name)
        return log.append(topic, entries)
      },
    }))
    const sold = await bench.buy(await signed())
    sold.delivered(true)
    expect(appended).toEqual([])
    told.resolve()
    await until(() => appended.length === 2, 'both records')
    expect(appended).toEqual([settlements.topic.name, tillPromises.topic.name])
  })

  it('is in the ledger though the topic of analysts takes nothing', async () => {
    const appended: string[] = []
    const late = Promise.withResolvers<void>()
    const bench = await openBench({}, log => ({
      ...shared(log),
      async append(topic, entries) {
        if (topic.name === settlements.topic.name) {
          // An append ends in time, with an error.
          await late.promise
          throw new Error('the brokers of the topic are away')
        }
        if (entries.some(isOutcome)) appended.push(topic.name)
        return log.append(topic, entries)
      },
    }))
    const sold = await bench.buy(await signed())
    sold.delivered(true)
    expect(appended).toEqual([])
    late.resolve()
    await until(() => appended.length > 0, 'the ledger')
  })

  it('is written after the answer has left', async () => {
    const written = Promise.withResolvers<void>()
    let tried = 0
    const bench = await openBench({}, log =>
      meeting(log, (topic, entries) => {
        if (topic.name !== tillPromises.topic.name || !entries.some(isOutcome)) return
        tried++
        return written.promise
      }),
    )
    const sold = await bench.buy(await signed())
    expect(JSON.parse(sold.body).receipt.charged).toBe(true)
    sold.delivered(true)
    await until(() => tried === 1, 'the outcome to be written')
    written.resolve()
    const [, settled] = await settlementsTold(bench.log, 2)
    expect(settled).toMatchObject({ state: 'settled', resolved: false })
  })

  it('is tried again until the log has it', async () => {
    let refused = 0
    let taken = 0
    const bench = await openBench({}, log =>
      meeting(log, (topic, entries) => {
        if (topic.name !== tillPromises.topic.name || !entries.some(isOutcome)) return
        if (refused === 2) taken++
        else {
          refused++
          throw new Error('the disk is full')
        }
      }),
    )
    const payment = await signed()
    ;(await bench.buy(payment)).delivered(true)
    await until(() => taken === 1, 'the log to take the outcome')
    expect(refused).toBe(2)
    await bench.restart()
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(
      failure('payment_already_used'),
    )
  })

  it('that the log never took is found again by the promise', async () => {
    let isDown = false
    const bench = await openBench({}, log =>
      meeting(log, (_topic, entries) => {
        if (isDown && entries.some(isOutcome)) throw new Error('the disk is full')
      }),
    )
    const payment = await signed()
    isDown = true
    const sold = await bench.buy(payment)
    sold.delivered(true)
    await bench.restart()
    isDown = false
    // The log does not know of the delivery, so the payer gets the answer again and pays once.
    expect((await bench.buy(payment)).body).toBe(sold.body)
    expect([bench.facilitator.moved.size, bench.runs]).toEqual([1, 1])
  })
})

/** Opens a till on a log of its own, both with a clock that the test moves. */
async function openClocked() {
  const folder = scratchFolder()
  const clock = { ms: Date.now() }
  const now = () => clock.ms
  const facilitator = await startStubFacilitator()
  const limits = { unknownMs: 100, sweepMs: 10 }
  const open = async () => {
    const log = await openSqliteLog(`${folder}/log.db`, { topics, now, uptime: now, sweepMs: 10 })
    const till = await openTill(options(log, facilitator.url, { now, limits }))
    return { log, till }
  }
  const shop = {
    clock,
    facilitator,
    ...(await open()),
    async restart() {
      await shop.till.close()
      await shop.log.close()
      Object.assign(shop, await open())
    },
    async buy(payment: Signed, key?: string) {
      return shop.till.sell({
        product: echo,
        question: '{}',
        payment: await shop.till.check(shop.till.decode(header(payment)), echo),
        idempotencyKey: key,
        caller: 'the payer',
        requestId: 'r',
        answer: async () => '{"said":"hello"}',
      })
    },
    async records(topic: Topic) {
      const found = new Map<string, string | null>()
      let count = 0
      const watching = await shop.log.watch(topic, batch => {
        for (const { key, value } of batch) found.set(key, value)
        count += batch.length
      })
      await watching.caughtUp
      await watching.close()
      return { count, newest: [...found].filter(([, value]) => value !== null) }
    },
    promises: async () => (await shop.records(tillPromises.topic)).count,
    carried: async () =>
      (await shop.records(tillOpen.topic)).newest.filter(([key]) => key !== 'checkpoint').length,
  }
  onTestFinished(async () => {
    await shop.till.close()
    await shop.log.close()
    await facilitator.close()
  })
  return shop
}

describe('records that last', () => {
  it('an open promise outlives the retention of the log', async () => {
    const shop = await openClocked()
    const payment = await signed()
    shop.facilitator.settle = 'error after'
    const buy = () => shop.buy(payment, 'the-same-key')
    await expect(buy()).rejects.toThrow(failure('payment_unknown'))
    shop.clock.ms += 2 * minute
    await until(async () => (await shop.carried()) === 1, 'the promise to be carried')
    shop.clock.ms += 13 * hour
    await shop.restart()
    shop.clock.ms += 2 * hour
    await until(async () => (await shop.promises()) === 0, 'the log to forget it')
    await shop.restart()
    await expect(buy()).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
    shop.facilitator.settle = 'well'
    const sold = await known(buy)
    expect(JSON.parse(sold.body).said).toBe('hello')
    expect(shop.facilitator.moved.size).toBe(1)
    sold.delivered(true)
    shop.clock.ms += 11 * minute
    await until(async () => (await shop.carried()) === 0, 'it to be carried no longer')
  })

  it('an answer that nobody took is kept for seven days, and then its payer is owed a refund', async () => {
    const shop = await openClocked()
    const payment = await signed()
    const sold = await shop.buy(payment, 'the-same-key')
    sold.delivered(false)
    await until(async () => (await shop.promises()) === 2, 'its outcome to be written')
    shop.clock.ms += 6 * 24 * hour
    await until(async () => (await shop.carried()) === 1, 'the answer to be carried')
    await shop.restart()
    expect((await shop.buy(payment, 'the-same-key')).body).toBe(asReplay(sold.body))
    shop.clock.ms += 25 * hour
    await until(async () => (await shop.carried()) === 0, 'it to be carried no longer')
    const told = await settlementsTold(shop.log, 3)
    expect(told.at(-1)).toMatchObject({
      state: 'undelivered',
      payment_tx: receiptOf(sold).payment_tx,
      request_id: receiptOf(sold).request_id,
    })
  })

  it('a start begins to read where something still matters, and knows the keys of ten minutes', async () => {
    const shop = await openClocked()
    for (let i = 0; i < 5; i++) (await shop.buy(await signed({}, shop.clock.ms))).delivered(true)
    const place = async () =>
      (await shop.records(tillOpen.topic)).newest.find(([key]) => key === 'checkpoint')?.[1]
    shop.clock.ms += minute
    const key = 'the-same-key'
    ;(await shop.buy(await signed({}, shop.clock.ms), key)).delivered(true)
    shop.clock.ms += 9 * minute
    expect(await shop.till.replay(key, echo, '{}')).toBeDefined()
    await until(async () => {
      shop.clock.ms += 5000
      return (await place()) !== undefined
    }, 'a checkpoint')
    const { position } = JSON.parse((await place()) ?? '') as { position: string }
    // The records from before the call with the key, and no more: a promise of each of five sales, and its outcome in one record or
    // in two.
    expect(Number(position)).toBeGreaterThan(5)
    expect(Number(position)).toBeLessThanOrEqual(5 * 3 + 1)
  })
})

describe('an instance that is cut off from the log', () => {
  it('is dead to the others after 12 s: they say that nobody knows, and then take over', async () => {
    const clock = { ms: Date.now() }
    const now = () => clock.ms
    const folder = scratchFolder()
    const log = await openSqliteLog(`${folder}/log.db`, { topics, now })
    const facilitator = await startStubFacilitator()
    const limits = { waitMs: 100, unknownMs: 400 }
    let isCut = false
    const cut = meeting(shared(log), () => {
      if (isCut) throw new Error('no route to host')
    })
    const first = await openTill(options(cut, facilitator.url, { now, limits }))
    const other = await openTill(options(shared(log), facilitator.url, { now, limits }))
    const payment = await signed()
    const buy = async (till: typeof first) =>
      till.sell({
        product: echo,
        question: '{}',
        payment: await till.check(till.decode(header(payment)), echo),
        idempotencyKey: undefined,
        caller: 'the payer',
        requestId: 'r',
        answer: async () => '{"said":"hello"}',
      })
    facilitator.settle = 'hang'
    const lost = buy(first).catch(error => error)
    await until(() => facilitator.calls.settle === 1, 'the settlement to begin')
    isCut = true
    await expect(buy(other)).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
    clock.ms += 13_000
    facilitator.settle = 'well'
    const sold = await known(() => buy(other))
    expect(JSON.parse(sold.body).said).toBe('hello')
    expect(facilitator.moved.size).toBe(1)
    await Promise.all([other.close(), first.close(), lost])
    await log.close()
    await facilitator.close()
  })
})
