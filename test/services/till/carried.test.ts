/** What outlasts its promise in the log is carried, and a start that reads only that knows all of it. */
import { expect, it, onTestFinished } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { openSqliteLog } from '../../../pipelines/rails/log/sqlite-log.ts'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { type CarriedPurchase, tillOpen } from '../../../schemas/till-open.ts'
import { type Promised, type TillStep, tillPromises } from '../../../schemas/till-promises.ts'
import { tillSecrets } from '../../../schemas/till-secrets.ts'
import { instant } from '../../../schemas/values/values.ts'
import { entryOf } from '../../../services/till/ledger/steps.ts'
import { Ledger } from '../../../services/till/ledger.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { idOf, promisedTo, signedTo } from './ledgers.ts'
import { openTestBlobs, shared, topics } from './till-options.ts'

const minute = 60_000
const spend = idOf('spend')
const key = idOf('key')
const tx = `0x${'7'.repeat(64)}`

/** A log that instances share. Its clock stands until the test moves it, and is never behind or ahead of theirs. */
async function openShared(see = (log: Log): Log => log) {
  const folder = scratchFolder()
  const clock = { ms: Date.now() }
  const now = () => clock.ms
  const own = await openSqliteLog(`${folder}/log.db`, { topics, now, uptime: now })
  const blobs = await openTestBlobs(folder)
  const log = see({
    ...shared(own),
    watch: (topic, hear, ...more) =>
      own.watch(topic, batch => hear(batch.map(each => ({ ...each, at: now() }))), ...more),
  })
  const ledgers: Ledger[] = []
  onTestFinished(async () => {
    for (const ledger of ledgers) await ledger.close()
    await own.close()
    await blobs.close()
  })
  const valuesOf = async (topic: Topic) => {
    const found = new Map<string, string | null>()
    const watching = await own.watch(topic, batch => {
      for (const each of batch) found.set(each.key, each.value)
    })
    await watching.caughtUp
    await watching.close()
    return found
  }
  return {
    ...{ clock, now, log },
    open: async (more: Partial<Parameters<typeof Ledger.open>[0]> = {}) => {
      const ledger = await Ledger.open({ ...{ log, blobs, now, uptime: now }, onError: () => {}, ...more })
      ledgers.push(ledger)
      return ledger
    },
    carried: async (requestId: string): Promise<CarriedPurchase | undefined> =>
      JSON.parse((await valuesOf(tillOpen.topic)).get(requestId) ?? '{}').purchase,
    step: async (of: string): Promise<TillStep> =>
      JSON.parse((await valuesOf(tillPromises.topic)).get(of) ?? '{}'),
  }
}

const carriedBy = (holder: string | null, more: Partial<CarriedPurchase> = {}): CarriedPurchase => ({
  ...{ spend_id: spend, request_id: 'r', keys: [key], holder, refused: false },
  ...{ written_at: instant(Date.now() - 20 * minute), payment_tx: null, payment_position: null },
  ...{ settled_at: null, delivered: false, delivered_at: null, promised: promisedTo('payer') },
  ...more,
})
const asRecord = (purchase: CarriedPurchase) => ({
  key: purchase.request_id,
  value: JSON.stringify({ place: purchase.request_id, position: null, forgotten: null, purchase }),
})

it('an open purchase is carried with the run that works on it and the keys that replay it', async () => {
  const { clock, open, carried, step } = await openShared()
  const ledger = await open()
  const purchase = await ledger.promise(spend, 'r', [key], signedTo('payer'))
  const writtenAt = instant(purchase?.writtenAt as number)
  clock.ms += minute - 1
  await ledger.keep()
  expect(await carried('r')).toBe(undefined)
  clock.ms += 1
  await ledger.keep()
  const { by } = await step(spend)
  expect(await carried('r')).toEqual({
    ...{ spend_id: spend, request_id: 'r', keys: [key], holder: by, refused: false },
    ...{ written_at: writtenAt, payment_tx: null, payment_position: null, settled_at: null },
    ...{ delivered: false, delivered_at: null, promised: purchase?.promised },
  })
})

it('what is settled and not delivered is carried with its transfer, and with no delivery', async () => {
  const { clock, open, carried } = await openShared()
  const ledger = await open()
  const purchase = await ledger.promise(spend, 'r', [key], signedTo('payer'))
  const settled_at = instant(ledger.logNow())
  if (purchase) ledger.recordSettled(purchase, { tx, position: 3 }, false)
  clock.ms += minute
  const paid = { payment_tx: tx, payment_position: 3, settled_at, delivered: false, delivered_at: null }
  await until(async () => {
    await ledger.keep()
    return (await carried('r'))?.payment_tx
  }, 'the settlement to be written, and carried')
  expect(await carried('r')).toMatchObject(paid)
  clock.ms += minute
  const delivered_at = instant(ledger.logNow())
  if (purchase) ledger.recordDelivered(purchase)
  await until(async () => {
    await ledger.keep()
    return (await carried('r'))?.delivered_at
  })
  expect(await carried('r')).toMatchObject({ ...paid, delivered: true, delivered_at })
})

it('what a live run works on is nobody else’s, and nor is its key, where a start reads only what is carried', async () => {
  const { log, now, open } = await openShared()
  await log.append(tillOpen.topic, [asRecord(carriedBy('a run'))])
  await log.append(tillPromises.topic, [entryOf('a run', instant(now()), { step: 'beat' })])
  const ledger = await open()
  const purchase = ledger.purchases.of(spend)
  expect(purchase && [ledger.isHeldElsewhere(purchase), ledger.isHeld(purchase)]).toEqual([true, false])
  expect([ledger.isOfAnother(spend), ledger.isBusy(spend), ledger.isBusy(key)]).toEqual([true, true, true])
  expect(await ledger.announce(idOf('another'), 'another', [key])).toBe(false)
  expect(purchase && (await ledger.take(purchase))).toBe(false)
})

it('what this run works on is its own', async () => {
  const { open } = await openShared()
  const ledger = await open()
  const purchase = await ledger.promise(spend, 'r', [], signedTo('payer'))
  expect(purchase && [ledger.isHeldElsewhere(purchase), ledger.isHeld(purchase)]).toEqual([false, true])
  expect([ledger.isOfAnother(spend), ledger.isBusy(spend)]).toEqual([false, false])
})

it('what another run has promised is its own, and what it tells later moves no time of the promise', async () => {
  const { clock, open } = await openShared()
  const [first, other] = [await open(), await open()]
  const purchase = await first.promise(spend, 'r', [key], signedTo('payer'))
  await other.catchUp()
  expect([other.isOfAnother(spend), other.isBusy(key), first.isOfAnother(spend)]).toEqual([true, true, false])
  clock.ms += minute / 2
  if (purchase) first.recordSettled(purchase, { tx, position: 3 }, false)
  await until(() => other.purchases.of(spend)?.state === 'settled', 'the settlement to be heard of')
  expect(other.purchases.of(spend)).toMatchObject({
    ...{ writtenAt: clock.ms - minute / 2, settledAt: clock.ms, tx, position: 3 },
    isWritten: true,
  })
  clock.ms += minute / 2
  if (purchase) first.recordDelivered(purchase)
  await until(() => other.purchases.of(spend)?.delivered, 'the delivery to be heard of')
  expect(other.purchases.of(spend)).toMatchObject({ writtenAt: clock.ms - minute, deliveredAt: clock.ms })
})

it('each promise is handed on with its signed payment, by the run that makes it and by those that hear of it', async () => {
  const { open } = await openShared()
  const heard: unknown[] = []
  const hearing = (run: string) => ({
    promised: (...[id, promised, paying]: [string, Promised, string | null]) =>
      void heard.push([run, id, promised.payer, paying]),
  })
  const [first, other] = [await open(hearing('first')), await open(hearing('other'))]
  await first.promise(spend, 'r', [key], { promised: promisedTo('payer'), paying: 'signed' })
  await other.catchUp()
  expect(heard).toEqual([
    ['first', spend, 'payer', 'signed'],
    ['other', spend, 'payer', 'signed'],
  ])
})

it('a facilitator is told of only where money has moved for what it had refused', async () => {
  const { open } = await openShared()
  const lies: unknown[] = []
  const ledger = await open({ lied: (...lie) => void lies.push(lie) })
  for (const id of [spend, idOf('another')]) {
    const purchase = await ledger.promise(id, id, [], signedTo('payer'))
    if (purchase && id === spend) await ledger.recordRefused(purchase, 'insufficient_funds', 'its address')
    if (purchase) ledger.recordSettled(purchase, { tx, position: undefined }, true)
  }
  expect(lies).toEqual([['refused', 'its address']])
})

it('a process that has the log alone takes each step as it stands there, whichever run has written it', async () => {
  const { log, now, open } = await openShared(each => ({ ...each, isOwned: true }))
  const of = { spend_id: spend, request_id: 'r' }
  const said = { ...of, keys: [key], ...signedTo('payer') }
  await log.append(tillPromises.topic, [entryOf('a run', instant(now()), { step: 'promised', ...said })])
  const first = await open()
  expect(first.purchases.of(spend)).toMatchObject({ state: 'open', doubted: true })
  // The run that was killed seems alive for 12 s, and nobody waits for it.
  await log.append(tillPromises.topic, [entryOf('the next', instant(now()), { step: 'failed', ...of })])
  const second = await open()
  expect([second.purchases.of(spend), second.purchases.ofKey(key)]).toEqual([undefined, undefined])
})

it('what is withdrawn is in the log before the call ends', async () => {
  const { open, step } = await openShared()
  const ledger = await open()
  expect(await ledger.announce(spend, 'r', [key])).toBe(true)
  expect(await step(spend)).toMatchObject({ step: 'announced', request_id: 'r', keys: [key] })
  await ledger.withdraw(spend, 'r')
  expect(await step(spend)).toMatchObject({ step: 'returned', request_id: 'r' })
})

it('what is settled and not delivered is restored as it was', async () => {
  const { log, open } = await openShared()
  const settled_at = instant(Date.now() - 19 * minute)
  const paid = { payment_tx: tx, payment_position: 3, settled_at }
  await log.append(tillOpen.topic, [asRecord(carriedBy(null, paid))])
  const ledger = await open()
  expect(ledger.purchases.of(spend)).toMatchObject({
    ...{ state: 'settled', tx, position: 3, settledAt: Date.parse(settled_at), delivered: false },
    ...{ keys: [key], requestId: 'r', holder: undefined, isWritten: true },
  })
  expect(ledger.purchases.ofKey(key)).toBe(ledger.purchases.of(spend))
  const other = { spendId: idOf('another'), promised: promisedTo('payer') }
  expect(ledger.purchases.paidAnother(other as never, { tx, position: 3 })).toBe(true)
})

it('what is dropped while it lives is carried until a start can hear that it must ask the chain', async () => {
  let isShut = false
  const { clock, open, carried, step } = await openShared(log => ({
    ...log,
    async append(topic, entries) {
      if (isShut && entries.some(each => each.key === 'checkpoint')) throw new Error('the disk is full')
      return log.append(topic, entries)
    },
  }))
  const ledger = await open()
  const dead_at = instant(clock.ms + 60 * minute)
  const purchase = await ledger.promise(spend, 'r', [], {
    promised: promisedTo('payer', { dead_at }),
    paying: null,
  })
  clock.ms += minute
  await ledger.keep()
  if (purchase) ledger.recordSettled(purchase, { tx, position: undefined }, false)
  await until(async () => (await step(spend)).step === 'settled', 'the outcome to be written')
  if (purchase) ledger.purchases.drop(purchase)
  isShut = true
  await expect(ledger.keep()).rejects.toThrow('the disk is full')
  expect((await carried('r'))?.spend_id).toBe(spend)
  isShut = false
  await ledger.keep()
  expect(await carried('r')).toBe(undefined)
})

it.each([tillOpen, tillPromises, tillSecrets])(
  'a ledger that can read $topic.name no more says so',
  async ({ topic }) => {
    const ending = Promise.withResolvers<void>()
    const { open } = await openShared(log => ({
      ...log,
      async watch(asked, ...more) {
        const watching = await log.watch(asked, ...more)
        if (asked.name !== topic.name) return watching
        const ended = Promise.race([watching.ended, ending.promise])
        const { caughtUp } = watching
        return { caughtUp, ended, reached: to => watching.reached(to), close: () => watching.close() }
      },
    }))
    const ledger = await open()
    const ended = expect(ledger.ended).rejects.toThrow('the reading has ended')
    ending.reject(new Error('the reading has ended'))
    await ended
  },
)
