/** Answers that are too large for a log record: the store of blobs keeps them, and the promise names them. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Blobs } from '../../../pipelines/rails/blobs/blobs.ts'
import { openBlobs } from '../../../pipelines/rails/blobs/open-blobs.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { tillOpen } from '../../../schemas/till-open.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { Refused } from '../../../services/offer/errors.ts'
import { answerTexts } from '../../../services/till/ledger/answer-text.ts'
import { openTill } from '../../../services/till/open-till.ts'
import type { Sold } from '../../../services/till/till.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { largeAnswer } from './large-answer.ts'
import { echo, header, signed } from './paying.ts'
import { startStubFacilitator } from './stub-facilitator.ts'
import { type Log, openTestBlobs, topics } from './till-options.ts'
import { type Bench, failure, isAnswer, openBench, options, receiptOf, shared } from './tills.ts'

const key = 'the-same-key'
const large = largeAnswer('picture')
const answer = async () => large
const minute = 60_000
const hour = 60 * minute

async function recordsOf(log: Log, { topic }: { topic: Topic } = tillPromises): Promise<string[]> {
  const records: string[] = []
  const watching = await log.watch(topic, batch => {
    records.push(...batch.map(({ value }) => value ?? ''))
  })
  await watching.caughtUp
  await watching.close()
  return records
}

/** The file of the one stored answer. */
const fileOf = async (bench: Bench): Promise<string> => {
  const [name, ...others] = await bench.blobs()
  expect(others).toEqual([])
  return join(bench.folder, 'blobs', name as string)
}

describe('a large answer', () => {
  it('is sold, and stands in the log by its name', async () => {
    const bench = await openBench()
    const sold = await bench.buy(await signed(), { answer })
    expect(isAnswer(sold.body, large)).toBe(true)
    const [promised] = await recordsOf(bench.log)
    expect(promised?.length).toBeLessThan(3000)
    expect(JSON.parse(promised ?? '').promised.answer).toBe(`b${(await bench.blobs())[0]}`)
  })

  it('stays in the record while it is small enough', async () => {
    const bench = await openBench()
    await bench.buy(await signed(), { answer: async () => JSON.stringify({ said: 'x'.repeat(1_000_000) }) })
    expect(await bench.blobs()).toEqual([])
  })

  it('is kept once, however many buy it', async () => {
    const bench = await openBench()
    await Promise.all(Array.from({ length: 3 }, async () => bench.buy(await signed(), { answer })))
    expect(await bench.blobs()).toHaveLength(1)
  })

  it('is replayed to its key, also after a restart', async () => {
    const bench = await openBench()
    ;(await bench.buy(await signed(), { key, answer })).delivered(true)
    await bench.restart()
    const replayed = await bench.till.replay(key, echo, '{}')
    expect(isAnswer(replayed?.body ?? '', large)).toBe(true)
    expect(replayed?.replayed).toBe(true)
    expect(bench.runs).toBe(1)
  })

  it('is replayed by another instance', async () => {
    const bench = await openBench({}, shared)
    ;(await bench.buy(await signed(), { key, answer })).delivered(true)
    const blobs = await openTestBlobs(bench.folder)
    const other = await openTill(options(shared(bench.log), bench.facilitator.url, { blobs }))
    expect(isAnswer((await other.replay(key, echo, '{}'))?.body ?? '', large)).toBe(true)
    await other.close()
    await blobs.close()
  })

  it('is given again if it was not delivered', async () => {
    const bench = await openBench()
    const payment = await signed()
    ;(await bench.buy(payment, { answer })).delivered(false)
    await bench.restart()
    expect(isAnswer((await bench.buy(payment)).body, large)).toBe(true)
    expect(bench.facilitator.calls.settle).toBe(1)
    expect(bench.runs).toBe(1)
  })
})

describe('a large answer that many fetch at once', () => {
  it('is unpacked once, and again only when it was dropped', async () => {
    const gets: string[] = []
    const blobs = new Map<string, Buffer>()
    const texts = answerTexts(
      {
        put: async bytes => {
          const name = `place ${blobs.size}`
          blobs.set(name, Buffer.from(bytes))
          return name
        },
        get: async name => {
          gets.push(name)
          return blobs.get(name) as Buffer
        },
        close: async () => {},
      } as Blobs,
      hour,
    )
    const packed = await texts.pack(large)
    const all = await Promise.all(Array.from({ length: 20 }, () => texts.unpack(packed)))
    expect([new Set(all).size, all[0] === large, gets.length]).toEqual([1, true, 1])
    await texts.unpack(packed)
    expect(gets).toHaveLength(1)
    // Others push it out: what is held has a bound.
    for (let nth = 0; nth < 20; nth++)
      await texts.unpack(await texts.pack(JSON.stringify({ said: `${nth}${'-'.repeat(2 << 20)}` })))
    await texts.unpack(packed)
    expect(gets.filter(name => name === 'place 0')).toHaveLength(2)
  })

  it('that cannot be had now is asked for again by the next one', async () => {
    let isAway = true
    const texts = answerTexts(
      {
        put: async () => 'place',
        get: async () => {
          if (isAway) throw new Error('away')
          return deflateSync(large)
        },
      } as unknown as Blobs,
      hour,
    )
    await expect(texts.unpack('bplace')).rejects.toThrow('away')
    isAway = false
    expect(await texts.unpack('bplace')).toBe(large)
  })

  it('comes sixty times a minute to one caller, however he asks, and is told as charged', async () => {
    let aheadMs = 0
    const bench = await openBench({ now: () => Date.now() + aheadMs })
    const payment = await signed()
    const long = JSON.stringify({ said: 'long '.repeat(2000) })
    ;(await bench.buy(payment, { key, answer: async () => long, caller: 'a reader' })).delivered(true)
    const replay = (caller: string) => bench.till.replay(key, echo, '{}', caller)
    for (let nth = 0; nth < 30; nth++) {
      await replay('a reader')
      await bench.buy(payment, { key, caller: 'a reader' })
    }
    await expect(replay('a reader')).rejects.toThrow(failure('too_many_requests'))
    await expect(bench.buy(payment, { key, caller: 'a reader' })).rejects.toThrow(
      failure('too_many_requests'),
    )
    expect((await replay('another'))?.replayed).toBe(true)
    aheadMs = minute
    expect((await replay('a reader'))?.replayed).toBe(true)
  })
})

describe('a store of blobs that cannot take it', () => {
  it('costs the caller nothing, and the same payment buys once it can', async () => {
    const bench = await openBench()
    const payment = await signed()
    const folder = join(bench.folder, 'blobs')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
    await expect(bench.buy(payment, { answer })).rejects.toThrow(failure('log_unavailable'))
    expect(bench.facilitator.calls.settle).toBe(0)
    expect(await recordsOf(bench.log)).toEqual([])
    // Small answers still work.
    expect((await bench.buy(await signed())).body).toContain('hello')
    rmSync(folder)
    expect(isAnswer((await bench.buy(payment, { answer })).body, large)).toBe(true)
    expect(bench.facilitator.moved.size).toBe(2)
  })
})

describe('a store of blobs that cannot give it back', () => {
  /** Makes a sale that is not delivered and no longer in memory. */
  async function owed() {
    const bench = await openBench()
    const payment = await signed()
    ;(await bench.buy(payment, { key, answer })).delivered(false)
    await bench.restart()
    return { bench, payment, file: await fileOf(bench) }
  }

  it('for now: nobody is told that nothing was charged, and it comes with the next try', async () => {
    const { bench, payment, file } = await owed()
    renameSync(file, `${file}.kept`)
    mkdirSync(file)
    const unknown = { code: 'payment_unknown', status: 503, charged: null }
    await expect(bench.buy(payment, { key })).rejects.toMatchObject(unknown)
    await expect(bench.till.replay(key, echo, '{}')).rejects.toMatchObject(unknown)
    await expect(bench.buy(await signed(), { key })).rejects.toMatchObject(unknown)
    rmSync(file, { recursive: true })
    renameSync(`${file}.kept`, file)
    expect(isAnswer((await bench.buy(payment, { key })).body, large)).toBe(true)
    expect(bench.runs).toBe(1)
    expect(bench.facilitator.calls.settle).toBe(1)
  })

  it.each([
    ['gone', (file: string) => rmSync(file)],
    ['damaged', (file: string) => writeFileSync(file, 'x')],
  ])('ever again, for it is %s: the payer is owed it, so it is made again', async (_what, harm) => {
    const { bench, payment, file } = await owed()
    harm(file)
    await expect(bench.till.replay(key, echo, '{}')).rejects.toMatchObject({ code: 'payment_unknown' })
    const again = await bench.buy(payment, { key, answer: async () => '{"said":"again"}' })
    expect(JSON.parse(again.body).said).toBe('again')
    expect(again.replayed).toBe(true)
    again.delivered(true)
    expect(bench.runs).toBe(2)
    expect(bench.facilitator.calls.settle).toBe(1)
    // From now on the key replays this answer.
    expect(JSON.parse((await bench.till.replay(key, echo, '{}'))?.body ?? '').said).toBe('again')
  })

  it('and that cannot be made again: nobody is told that nothing was charged', async () => {
    const { bench, payment, file } = await owed()
    rmSync(file)
    const refuse = async () => {
      throw new Refused('no_match', 422, 'no')
    }
    await expect(bench.buy(payment, { key, answer: refuse })).rejects.toMatchObject({
      code: 'payment_unknown',
      charged: null,
    })
    expect(receiptOf(await bench.buy(payment, { key })).charged).toBe(true)
    expect(bench.facilitator.calls.settle).toBe(1)
  })
})

describe('the answer of a purchase that stays open', () => {
  it('is kept for as long as it is open, and for seven days after that', async () => {
    let time = Date.now()
    const now = () => time
    const folder = scratchFolder()
    const blobs = await openBlobs(`file:${folder}/blobs`, { now, sweepMs: 10 })
    const log = await openLog(`sqlite:${folder}/log.db`, { topics, now })
    const facilitator = await startStubFacilitator()
    const sweeping = { limits: { unknownMs: 100, sweepMs: 10 } }
    const till = await openTill(options(log, facilitator.url, { blobs, now, ...sweeping }))
    const payment = await till.check(till.decode(header(await signed())), echo)
    const buy = (requestId: string) =>
      till.sell({
        product: echo,
        question: '{}',
        payment,
        idempotencyKey: 'the-same-key',
        requestId,
        caller: '203.0.113.7',
        answer,
      })

    // The money moves, but neither facilitator nor chain says so.
    facilitator.settle = 'error after'
    await expect(buy('first')).rejects.toMatchObject({ code: 'payment_unknown' })
    const hours = () => readdirSync(`${folder}/blobs`).toSorted()
    const [first] = hours()
    for (let passed = 0; passed < 5 * hour; passed += hour) {
      const carried = (await recordsOf(log, tillOpen)).length
      time += hour
      await until(async () => (await recordsOf(log, tillOpen)).length > carried, 'the purchase to be carried')
    }
    await until(() => !hours().includes(first as string), 'the first hour to be swept')

    facilitator.settle = 'well'
    const again = async (requestId: string) => {
      let sold: Sold | undefined
      await until(async () => {
        sold = await buy(requestId).catch(() => undefined)
        return sold
      }, 'the payment to be settled again')
      sold?.delivered(false)
      return isAnswer(sold?.body ?? '', large)
    }
    expect(await again('second')).toBe(true)
    time += 6 * 24 * hour
    expect(await again('third')).toBe(true)
    time += 26 * hour
    // A renewal that was under way when the clock moved lasts some hours more.
    const end = time + 12 * hour
    const isEmpty = () => {
      time = Math.min(time + hour, end)
      return hours().length === 0
    }
    await until(isEmpty, 'the store to be empty')
    await till.close()
    await Promise.all([log.close(), blobs.close(), facilitator.close()])
  })
})
