/** Promises without a written outcome, in a process that runs on until a start reads from behind them. */
import { expect, it, onTestFinished } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { openSqliteLog } from '../../../pipelines/rails/log/sqlite-log.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { tillOpen } from '../../../schemas/till-open.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { instant } from '../../../schemas/values/values.ts'
import { openPurchase, type Purchase } from '../../../services/till/ledger/purchase.ts'
import { Ledger } from '../../../services/till/ledger.ts'
import { sameLog } from '../../same-log.ts'
import { scratchFolder } from '../../scratch.ts'
import { idOf, promisedTo, signedTo } from './ledgers.ts'
import { openTestBlobs, topics } from './till-options.ts'

const minute = 60_000
const hour = 60 * minute

/** A ledger with a clock that the test moves, on a log that refuses what the test names. */
async function openMoved(as = (log: Log): Log => log) {
  const folder = scratchFolder()
  const clock = { ms: Date.now() }
  const now = () => clock.ms
  const sick = new Set<string>()
  const [sqlite, blobs] = await Promise.all([
    openSqliteLog(`${folder}/log.db`, { topics, now }),
    openTestBlobs(folder),
  ])
  const log = as(
    sameLog(sqlite, {
      async append(topic, entries) {
        const isEnd = entries.some(({ value }) => /"step":"(settled|delivered|failed)"/.test(value ?? ''))
        if (sick.has(topic.name) && (isEnd || topic.name !== tillPromises.topic.name)) throw new Error('sick')
        await sqlite.append(topic, entries)
      },
    }),
  )
  const open = () => Ledger.open({ log, blobs, now, uptime: now, onError: () => {} })
  const bench = {
    clock,
    sick,
    log: sqlite,
    ledger: await open(),
    promise: (name: string, lifeMs = minute) => {
      const life = { promised_at: instant(clock.ms), dead_at: instant(clock.ms + lifeMs) }
      return bench.ledger.promise(idOf(name), name, [], signedTo('payer', life)) as Promise<Purchase>
    },
    async restart() {
      await bench.ledger.close()
      bench.ledger = await open()
    },
    /** Lets so many minutes pass, with sales, so that the checkpoint moves. */
    async pass(minutes: number) {
      for (let nth = 0; nth < minutes; nth++) {
        clock.ms += minute
        const sold = await bench.promise(`at ${clock.ms}`)
        sold.state = 'failed'
        await bench.ledger.keep()
      }
    },
    async carried() {
      const found = new Map<string, string | null>()
      const watching = await sqlite.watch(tillOpen.topic, batch => {
        for (const { key, value } of batch) found.set(key, value)
      })
      await watching.caughtUp
      await watching.close()
      return found
    },
  }
  onTestFinished(async () => {
    await bench.ledger.close()
    await sqlite.close()
    await blobs.close()
  })
  return bench
}
const sold = { tx: '0xpaid', position: 1 }

it('what analysts were not told is found open by a start, however long its process has run on', async () => {
  const bench = await openMoved()
  const { ledger, sick } = bench
  const [filling, untold] = [await bench.promise('filling'), await bench.promise('untold')]
  sick.add(settlements.topic.name)
  for (let nth = 0; nth < 3; nth++) ledger.recordDoubt(filling, 'x'.repeat(50 << 20))
  ledger.recordSettled(untold, sold, false)
  ledger.recordDelivered(untold)
  sick.clear()
  await bench.pass(40)
  expect(Number(JSON.parse((await bench.carried()).get('checkpoint') ?? '').position)).toBeGreaterThan(3)
  await bench.restart()
  expect(bench.ledger.purchases.open).toContainEqual(
    expect.objectContaining({ requestId: 'untold', state: 'open', doubted: true, isTold: false }),
  )
  // The run that found it has told it, and carries it no longer.
  const found = bench.ledger.purchases.of(idOf('untold')) as Purchase
  bench.ledger.recordSettled(found, sold, true)
  bench.ledger.recordDelivered(found)
  await bench.pass(20)
  expect((await bench.carried()).get('untold')).toBeNull()
})

it.each([true, false])('nor is one lost whose outcome the ledger itself refuses: alone %s', async isOwned => {
  const bench = await openMoved(log => sameLog(log, { isOwned }))
  const { ledger, sick } = bench
  const [late, dead] = [await bench.promise('late'), await bench.promise('dead')]
  sick.add(tillPromises.topic.name)
  ledger.recordSettled(late, sold, false)
  ledger.recordDelivered(late)
  ledger.recordFailed(dead, 'the chain says so', true).catch(() => {})
  await bench.pass(40)
  expect(ledger.purchases.of(idOf('dead'))).toBeUndefined()
  await bench.restart()
  expect(bench.ledger.purchases.open.map(({ requestId }) => requestId)).toEqual(
    expect.arrayContaining(['late', 'dead']),
  )
})

it('a promise of a clock that was ahead is carried when the clock is right again', async () => {
  const bench = await openMoved()
  bench.clock.ms += hour
  await bench.promise('ahead', 2 * minute)
  bench.clock.ms -= hour
  await bench.pass(40)
  await bench.restart()
  expect(bench.ledger.purchases.of(idOf('ahead'))).toMatchObject({ state: 'open' })
})

it('a start asks the chain about what has left the memory, also where the checkpoint has not moved since', async () => {
  const bench = await openMoved()
  const { ledger, clock } = bench
  const first = await bench.promise('first', hour)
  await ledger.recordRefused(first, 'no funds', 'a facilitator')
  await bench.pass(40)
  expect((await bench.carried()).get('first')).toBeTypeOf('string')
  const place = async () => JSON.parse((await bench.carried()).get('checkpoint') ?? '').position
  const from = await place()
  // A crowd of others pushes it out.
  for (let nth = 0; nth < 50_000; nth++) {
    const life = { promised_at: instant(clock.ms), dead_at: instant(clock.ms + 30 * minute) }
    const purchase = openPurchase({
      ...{ spendId: idOf(`${nth}`), requestId: `${nth}`, keys: [], promised: promisedTo('payer', life) },
      ...{ holder: 'run', writtenAt: clock.ms, isWritten: true },
    })
    ledger.purchases.put(purchase)
    ledger.purchases.refused(purchase)
  }
  expect(ledger.purchases.of(idOf('first'))).toBeUndefined()
  await ledger.keep()
  expect((await bench.carried()).get('first')).toBeNull()
  expect(await place()).toBe(from)
  await bench.restart()
  const deadAt = Date.parse(first.promised.dead_at)
  expect(bench.ledger.purchases.of(idOf('first'))).toBeUndefined()
  expect(bench.ledger.purchases.mayHaveForgotten(deadAt, idOf('first'))).toBe(true)
})
