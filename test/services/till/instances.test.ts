/** Instances over one log take turns at a purchase. No wait is without an end, and no instance writes without one. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { tillOpen } from '../../../schemas/till-open.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { Refused } from '../../../services/offer/errors.ts'
import { entryOf } from '../../../services/till/ledger/steps.ts'
import { Ledger } from '../../../services/till/ledger.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { keyOf } from '../../../services/till/sale/replay.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { echo, header, signed, toil } from './paying.ts'
import { challengeOf, proofOf } from './proving.ts'
import { type Log, openTestBlobs, openTestLog } from './till-options.ts'
import { failure, openBench, options, receiptOf, shared } from './tills.ts'

/** The log of an instance with a fast clock. It reports each write. */
const told = (log: Log, wrote: string[], aheadMs = () => 0): Log => {
  const seen = shared(log)
  return {
    ...seen,
    append(topic, entries) {
      wrote.push(...entries.map(({ value }) => `${topic.name} ${value}`))
      return seen.append(topic, entries)
    },
    watch: (topic, hear, ...more) =>
      seen.watch(topic, batch => hear(batch.map(each => ({ ...each, at: each.at + aheadMs() }))), ...more),
  }
}

const hasStep = (step: string) => (written: string) =>
  written.startsWith(tillPromises.topic.name) && written.includes(`"step":"${step}"`)

it('gives an owed answer to its payer long after the sale, and takes the purchase over once', async () => {
  const wrote: string[] = []
  let aheadMs = 0
  const bench = await openBench({ now: () => Date.now() + aheadMs, limits: { sweepMs: 20 } }, log =>
    told(log, wrote, () => aheadMs),
  )
  const payment = await signed()
  const sold = await bench.buy(payment)
  sold.delivered(false)
  await until(() => wrote.some(hasStep('returned')), 'the purchase to be given back')
  aheadMs = 16 * 60_000
  await until(() => wrote.some(each => each.startsWith(tillOpen.topic.name)), 'a sweep')

  const proof = await proofOf(await challengeOf(bench.buy(payment, { caller: 'another address' })))
  const again = await bench.buy(payment, { caller: 'another address', proof })
  expect(receiptOf(again).payment_tx).toBe(receiptOf(sold).payment_tx)
  expect(wrote.filter(hasStep('taken'))).toHaveLength(1)
})

it('a call ends if another instance sells its refused purchase while this one looks at the chain', async () => {
  const bench = await openBench({}, shared)
  const { facilitator } = bench
  let gate = Promise.withResolvers<void>()
  let asked = 0
  const node = createServer(async (request, response) => {
    asked++
    await gate.promise
    const body = (await request.toArray()).join('')
    const answer = await fetch(`${facilitator.url}/chain`, { method: 'POST', body })
    response.writeHead(200, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>(resolve => node.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const wrote: string[] = []
  const usual = options(told(bench.log, wrote), facilitator.url)
  const config = { ...usual.config, rpcUrls: { ...usual.config.rpcUrls, base: [url] } }
  const [first, second] = [bench.till, await openTill({ ...usual, config })]
  onTestFinished(async () => {
    await second.close()
    node.closeAllConnections()
    node.close()
  })

  gate.resolve()
  Object.assign(facilitator, { chain: 'truthful', settle: 'refused' })
  const payment = await signed()
  bench.till = second
  await expect(bench.buy(payment)).rejects.toMatchObject({ charged: false })
  facilitator.settle = 'well'
  gate = Promise.withResolvers()
  const before = asked
  const late = bench.buy(payment).catch(error => error)
  await until(() => asked > before, 'a look')
  bench.till = first
  const sold = await bench.buy(payment, { question: '{"say":"else"}' })
  sold.delivered(true)
  gate.resolve()
  expect((await late).charged).not.toBe(false)
  expect(wrote.filter(hasStep('taken')).length).toBeLessThan(3)
  expect(facilitator.moved.size).toBe(1)
})

it('lets nobody wait for the run of a refused purchase that was carried', async () => {
  const wrote: string[] = []
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const seen = (log: Log) => told(log, wrote, () => aheadMs)
  const bench = await openBench({ now, limits: { sweepMs: 20 } }, seen)
  Object.assign(bench.facilitator, { chain: 'truthful', settle: 'refused' })
  await expect(bench.buy(await signed())).rejects.toMatchObject({ charged: false })
  aheadMs = 65_000
  const carried = (each: string) => each.startsWith(tillOpen.topic.name) && each.includes('"refused":true')
  await until(() => wrote.some(carried), 'the purchase to be carried')
  const { place, purchase } = JSON.parse(wrote.find(carried)?.split(' ').slice(1).join(' ') ?? '')
  await bench.till.close()

  // An instance that only heard of the sale carries it under the run that sold it. The log of the sale is gone.
  const folder = scratchFolder()
  const log = await openTestLog(folder)
  const value = JSON.stringify({ place, position: null, purchase: { ...purchase, holder: 'a run' } })
  await log.append(tillOpen.topic, [{ key: place, value }])
  await log.append(tillPromises.topic, [entryOf('a run', new Date().toISOString(), { step: 'beat' })])
  const blobs = await openTestBlobs(folder)
  const ledger = await Ledger.open({
    ...{ log: shared(log), blobs, now: Date.now, uptime: Date.now },
    onError: () => {},
  })
  expect(ledger.purchases.of(purchase.spend_id)?.state).toBe('refused')
  expect(ledger.isBusy(purchase.spend_id)).toBe(false)
  await ledger.close()
  await log.close()
  await blobs.close()
})

it('gives what is settled while another instance still hands it over', async () => {
  const bench = await openBench({}, shared)
  const other = await openTill(options(shared(bench.log), bench.facilitator.url))
  onTestFinished(() => other.close())
  const payment = await signed()
  // Its connection is dead, and nobody knows yet.
  const sold = await bench.buy(payment)
  bench.till = other
  const isSettled = async () => {
    const word = await other.recalled(other.decode(header(payment)), 'the payer')
    return word !== null && word !== false
  }
  await until(isSettled, 'the settlement to be heard of')
  const again = await bench.buy(payment)
  expect(receiptOf(again).payment_tx).toBe(receiptOf(sold).payment_tx)
  again.delivered(true)
  sold.delivered(false)
})

it('leaves what it has refused to the others at once, though it had claimed the payment', async () => {
  const bench = await openBench({}, shared)
  const other = await openTill(options(shared(bench.log), bench.facilitator.url))
  onTestFinished(() => other.close())
  const payment = await signed()
  const answer = async () => {
    throw new Refused('no_echo', 422, 'Nothing comes back')
  }
  await expect(bench.buy(payment, { operation: toil, answer })).rejects.toThrow(failure('no_echo'))
  bench.till = other
  expect(receiptOf(await bench.buy(payment, { operation: toil })).charged).toBe(true)
  expect(bench.facilitator.moved.size).toBe(1)
})

it('refuses a key that the log holds and the memory does not, after a few tries', async () => {
  const wrote: string[] = []
  const bench = await openBench({}, log => told(log, wrote))
  const key = 'some-idempotency-key'
  const of = { spend_id: 'a'.repeat(64), request_id: 'another', keys: [keyOf(key, echo.path, '{}')] }
  const now = new Date().toISOString()
  await bench.log.append(tillPromises.topic, [
    entryOf('another run', now, { step: 'promised', ...of }),
    entryOf('another run', now, { step: 'delivered', ...of, payment_tx: `0x${'1'.repeat(64)}` }),
  ])
  await expect(bench.buy(await signed(), { key })).rejects.toThrow(failure('idempotency_conflict'))
  expect(wrote.filter(hasStep('yielded')).length).toBeLessThan(5)
  expect(bench.facilitator.calls.settle).toBe(0)
})
