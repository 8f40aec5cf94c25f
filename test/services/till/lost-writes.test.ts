/** Writes that a shared log has lost, or has taken without a word: they shut no key, and use no proof up. */
import { expect, it, onTestFinished } from 'vitest'
import { Refused } from '../../../services/offer/errors.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { type CutLog, cutLog } from './cut-log.ts'
import { header, signed, toil } from './paying.ts'
import { challengeOf, proofOf } from './proving.ts'
import type { Log } from './till-options.ts'
import { failure, openBench, options, receiptOf, shared } from './tills.ts'

async function openCut() {
  const cut: CutLog[] = []
  const bench = await openBench({}, log => {
    const one = cutLog(log)
    cut.push(one)
    return one.log
  })
  const [{ state }] = cut as [CutLog]
  return { bench, state }
}

const isStep = (step: string) => (value: string) => value.includes(`"step":"${step}"`)
const ask = { operation: toil, key: 'the-key-of-an-agent' }

it('the end of an announcement is written again, so that others can sell to its key', async () => {
  const { bench, state } = await openCut()
  let lost = 0
  state.isLost = value => isStep('returned')(value) && lost++ === 0
  const answer = () => Promise.reject(new Refused('no_echo', 422, 'Nothing comes back'))
  await expect(bench.buy(await signed(), { ...ask, answer })).rejects.toThrow(failure('no_echo'))
  await until(() => lost > 0, 'the end of the announcement')
  const other = await openTill(options(shared(bench.log), bench.facilitator.url))
  onTestFinished(() => other.close())
  const first = bench.till
  bench.till = other
  const sold = await bench.buy(await signed(), ask)
  bench.till = first
  expect(receiptOf(sold).charged).toBe(true)
})

it('an announcement that the log has taken without a word is ended, too', async () => {
  const { bench, state } = await openCut()
  state.isUntold = isStep('announced')
  await expect(bench.buy(await signed(), ask)).rejects.toThrow(failure('log_unavailable'))
  state.isUntold = () => false
  const other = await openTill(options(shared(bench.log), bench.facilitator.url))
  onTestFinished(() => other.close())
  const first = bench.till
  bench.till = other
  const sold = await bench.buy(await signed(), ask)
  bench.till = first
  expect(receiptOf(sold).charged).toBe(true)
})

it('a proof that could not be written down is 503, and works later', async () => {
  const { bench, state } = await openCut()
  const payment = await signed()
  ;(await bench.buy(payment)).delivered(true)
  const proof = await proofOf(await challengeOf(bench.buy(payment, { caller: 'elsewhere' })))
  state.isLost = isStep('announced')
  const again = { caller: 'elsewhere', proof }
  await expect(bench.buy(payment, again)).rejects.toThrow(failure('log_unavailable'))
  state.isLost = () => false
  expect(receiptOf(await bench.buy(payment, again)).charged).toBe(true)
  await expect(bench.buy(payment, again)).rejects.toThrow(failure('payment_already_used'))
})

it('a proof that was overheard is worth nothing where the instance that took it has died', async () => {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const late = (log: Log): Log => {
    const seen = shared(log)
    return {
      ...seen,
      watch: (topic, hear, ...more) =>
        seen.watch(topic, batch => hear(batch.map(each => ({ ...each, at: each.at + aheadMs }))), ...more),
    }
  }
  const bench = await openBench({ now }, late)
  const other = await openTill(options(late(bench.log), bench.facilitator.url, { now }))
  onTestFinished(() => other.close())
  const payment = await signed()
  ;(await bench.buy(payment)).delivered(false)
  const proof = await proofOf(await challengeOf(bench.buy(payment, { caller: 'elsewhere' })))
  ;(await bench.buy(payment, { caller: 'elsewhere', proof })).delivered(false)
  await until(() => other.knows(other.decode(header(payment))), 'the other to hear of it')
  await bench.till.close()
  bench.till = { ...other, close: async () => {} }
  aheadMs = 20_000
  await expect(bench.buy(payment, { caller: 'a thief', proof })).rejects.toThrow(
    failure('payment_already_used'),
  )
})
