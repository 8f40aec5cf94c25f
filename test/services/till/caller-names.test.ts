/** The first caller is recognised by a name that tells nobody else who he is. */
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { datasets } from '../../../schemas/index.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { tillSecrets } from '../../../schemas/till-secrets.ts'
import { CallerNames } from '../../../services/till/ledger/caller-names.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { signed } from './paying.ts'
import { challengeOf, proofOf } from './proving.ts'
import { type Log, openTestLog } from './till-options.ts'
import { failure, openBench, options, shared } from './tills.ts'

const caller = '198.51.100.7'
const day = 24 * 60 * 60_000

async function valuesOf(log: Log, dataset: typeof tillPromises | typeof tillSecrets): Promise<string[]> {
  const values: string[] = []
  const watching = await log.watch(dataset.topic, batch => {
    for (const { value } of batch) values.push(value as string)
  })
  await watching.caughtUp
  await watching.close()
  return values
}

it('no record beside a payment reveals the caller, even to an attacker who tries all addresses', async () => {
  const bench = await openBench()
  ;(await bench.buy(await signed(), { caller })).delivered(false)
  const step = (await valuesOf(bench.log, tillPromises))
    .map(value => JSON.parse(value))
    .find(({ promised }) => promised !== null)
  const { spend_id: spendId, promised } = step
  expect(promised.caller).toMatch(/^[0-9a-f]{64}$/)
  const tried = [['caller', spendId, caller], [spendId, caller], caller, spendId + caller]
  expect(tried.map(of => sha256(typeof of === 'string' ? of : JSON.stringify(of)))).not.toContain(
    promised.caller,
  )
  const [secret] = await valuesOf(bench.log, tillSecrets)
  expect(JSON.stringify(step)).not.toContain(JSON.parse(secret as string).secret)
})

it('the first caller gets the answer again on another instance, and after a restart', async () => {
  const bench = await openBench({}, shared)
  const other = await openTill(options(shared(bench.log), bench.facilitator.url))
  const [here, payment] = [bench.till, await signed()]
  ;(await bench.buy(payment, { caller })).delivered(false)
  bench.till = other
  await until(() => other.knows({ json: { ...payment } }), 'the other to hear of the sale')
  const sold = await bench.buy(payment, { caller })
  expect(sold.replayed).toBe(true)
  sold.delivered(false)
  await other.close()
  bench.till = here
  await bench.restart()
  expect((await bench.buy(payment, { caller })).replayed).toBe(true)
  expect(bench.facilitator.calls.settle).toBe(1)
})

it('an address proves nothing once the secret is gone, and the wallet that paid still does', async () => {
  const bench = await openBench()
  const payment = await signed()
  ;(await bench.buy(payment, { caller })).delivered(false)
  await bench.till.close()
  await bench.log.close()
  const file = new DatabaseSync(`${bench.folder}/log.db`)
  file.exec(`delete from "topic:${tillSecrets.topic.name}"`)
  file.close()
  await bench.restart()
  await expect(bench.buy(payment, { caller })).rejects.toThrow(failure('payment_already_used'))
  const proof = await proofOf(await challengeOf(bench.buy(payment, { caller })))
  expect((await bench.buy(payment, { caller, proof })).replayed).toBe(true)
})

it('instances name alike, take a new secret each day, and know the names of the day before', async () => {
  const log = await openTestLog(scratchFolder())
  const clock = { ms: Date.now() }
  const time = { now: () => clock.ms, uptime: () => clock.ms }
  const open = () => CallerNames.open({ log, ...time, onError: () => {} })
  const [one, other] = await Promise.all([open(), open()])
  const all = [one, other, await open()]
  const name = one.of('spend', caller)
  expect(all.map(each => each.of('spend', caller))).toEqual([name, name, name])
  expect([name === one.of('another', caller), one.of('spend', 'unknown')]).toEqual([false, null])

  clock.ms += 60_000
  for (let days = 1; days <= 20; days++) {
    const before = one.of('spend', caller)
    clock.ms += day
    await other.keep()
    await until(() => other.of('spend', caller) === before, 'the old one, for others have not heard')
    clock.ms += 60_000
    await until(() => all.every(each => each.of('spend', caller) !== before), 'a new secret')
    expect(new Set(all.map(each => each.of('spend', caller))).size).toBe(1)
    expect(all.map(each => each.is(before, 'spend', caller))).toEqual([true, true, true])
  }
  expect([one.is(name, 'spend', caller), one.is(null, 'spend', caller)]).toEqual([false, false])
  await Promise.all(all.map(each => each.close()))
  await log.close()
})

it('no table holds the secrets, so no analyst reads them', () => {
  const { audience, topic } = datasets.find(({ name }) => name === tillSecrets.name) ?? {}
  expect([audience, topic?.keep]).toEqual(['log', { ms: 2 * day }])
})
