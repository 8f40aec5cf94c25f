/** A log that takes promises and no outcomes: what it does not take is held with a bound, and told when it is well. */
import { expect, it, onTestFinished } from 'vitest'
import type { Entry, Log } from '../../../pipelines/rails/log/log.ts'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { type SettlementEvent, settlements } from '../../../schemas/settlements.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { Outcomes } from '../../../services/till/ledger/outcomes.ts'
import { openPurchase, type Purchase } from '../../../services/till/ledger/purchase.ts'
import { sameLog } from '../../same-log.ts'
import { until } from '../../until.ts'
import { idOf, promisedTo } from './ledgers.ts'
import { signed } from './paying.ts'
import { failure, openBench, settlementsTold } from './tills.ts'

const purchaseOf = (name: string): Purchase =>
  openPurchase({
    ...{ spendId: idOf(name), requestId: name, keys: [], promised: promisedTo('payer') },
    ...{ holder: 'run', writtenAt: 0, isWritten: true },
  })

const told = (name: string, bytes = 0): SettlementEvent =>
  ({ spend_id: name, state: 'settled', request_id: name, reason: 'x'.repeat(bytes) }) as SettlementEvent

function opened(isOwned = true) {
  const appended: { topic: string; entries: readonly Entry[] }[] = []
  const errors: string[] = []
  const log = {
    isOwned,
    isSick: true,
    append: async ({ name }: Topic, entries: readonly Entry[]) => {
      if (log.isSick) throw new Error('sick')
      appended.push({ topic: name, entries })
    },
  }
  const outcomes = new Outcomes({
    log: log as unknown as Log,
    recordOf: ({ requestId }) => ({ key: requestId, value: '{}' }),
    onError: error => errors.push((error as Error).message),
  })
  onTestFinished(() => outcomes.close())
  const of = ({ topic }: { topic: Topic }) => appended.filter(each => each.topic === topic.name)
  return { outcomes, log, errors, of }
}

it.each([true, false])(
  'two hundred thousand outcomes end no process, and all come: alone %s',
  async isOwned => {
    const { outcomes, log, of } = opened(isOwned)
    const purchases = Array.from({ length: 20_000 }, (_, nth) => purchaseOf(`${nth}`))
    for (const purchase of purchases) {
      outcomes.tell(
        purchase,
        Array.from({ length: 10 }, () => told(purchase.requestId)),
      )
      outcomes.add(purchase)
    }
    await outcomes.write()
    await outcomes.write()
    log.isSick = false
    await outcomes.write()
    const [facts, steps] = [settlements, tillPromises].map(topic =>
      of(topic).flatMap(({ entries }) => entries),
    )
    expect([facts?.length, steps?.length]).toEqual([200_000, 20_000])
    expect(new Set(steps?.map(({ key }) => key)).size).toBe(20_000)
    // In the order in which they were told, and in parts that every log takes.
    expect(JSON.parse(facts?.at(-1)?.value ?? '').spend_id).toBe('19999')
    expect(Math.max(...of(settlements).map(({ entries }) => entries.length))).toBe(1000)
  },
)

it('the ledger of a shared log has no outcome that analysts may never hear of', async () => {
  const { outcomes, log, of } = opened(false)
  log.isSick = false
  const append = log.append
  const slow = Promise.withResolvers<void>()
  log.append = async (topic, entries) => {
    if (topic.name === settlements.topic.name) await slow.promise
    await append(topic, entries)
  }
  const purchase = purchaseOf('sold')
  outcomes.tell(purchase, [told('sold')])
  outcomes.add(purchase)
  const writing = outcomes.write()
  await new Promise(resolve => setImmediate(resolve))
  const early = of(tillPromises).length
  slow.resolve()
  await writing
  expect([early, of(tillPromises).length]).toEqual([0, 1])
})

it('they have a bound in bytes: then nothing more is sold, and what ends all the same is left to the next run', async () => {
  const { outcomes, log, errors, of } = opened()
  const [first, last] = [purchaseOf('first'), purchaseOf('last')]
  outcomes.tell(first, [told('first', 65 << 20)])
  expect(outcomes.isFull).toBe(true)
  outcomes.tell(first, [told('first', 65 << 20)])
  for (const purchase of [first, last, last]) outcomes.add(purchase)
  for (let nth = 0; nth < 3; nth++) outcomes.tell(last, [told('last')])
  expect(errors).toEqual(['the log takes no settlements: that of last is left to the next run'])
  log.isSick = false
  await outcomes.write()
  await outcomes.write()
  // Its promise stays open, so that the next run asks the chain, and tells analysts.
  expect(of(tillPromises).flatMap(({ entries }) => entries.map(({ key }) => key))).toEqual(['first'])
  expect([of(settlements).flatMap(({ entries }) => entries).length, outcomes.isFull]).toEqual([2, false])
})

it('a sale goes on while analysts’ topic is sick, and is told when it is well', async () => {
  let isSick = true
  const bench = await openBench({}, log =>
    sameLog(log, {
      isOwned: true,
      append: async (topic, entries) => {
        if (isSick && topic.name === settlements.topic.name) throw new Error('sick')
        await log.append(topic, entries)
      },
    }),
  )
  ;(await bench.buy(await signed())).delivered(true)
  isSick = false
  expect((await settlementsTold(bench.log, 2)).map(({ state }) => state)).toEqual(['intended', 'settled'])
  await until(() => bench.till.closed() === undefined)
})

it('a till whose outcomes have no room sells nothing more, free', async () => {
  const bench = await openBench()
  const isFull = Object.getOwnPropertyDescriptor(Outcomes.prototype, 'isFull') as PropertyDescriptor
  Object.defineProperty(Outcomes.prototype, 'isFull', { ...isFull, get: () => true })
  onTestFinished(() => void Object.defineProperty(Outcomes.prototype, 'isFull', isFull))
  await expect(bench.buy(await signed())).rejects.toThrow(failure('log_unavailable'))
  expect([bench.runs, bench.facilitator.calls.settle]).toEqual([0, 0])
  expect(bench.till.closed()).toBe('The log does not answer')
})
