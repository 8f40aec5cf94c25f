/** Unreadable records of the till: each is reported, and stops only the payment that it names. */
import { describe, expect, it } from 'vitest'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { tillOpen } from '../../../schemas/till-open.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { Unread } from '../../../services/till/ledger/unread.ts'
import { until } from '../../until.ts'
import { echo, header, type Signed, signed } from './paying.ts'
import { type Bench, failure, openBench, shared } from './tills.ts'

const spendOf = async ({ till }: Bench, payment: Signed) =>
  (await till.check(till.decode(header(payment)), echo)).spendId

const broken: [string, (spendId: string) => string][] = [
  ['not JSON', () => '{"by":"somebody","step":"prom'],
  ['null', () => 'null'],
  ['a number', () => '7'],
  ['a list', () => '[]'],
  ['an empty object', () => '{}'],
  ['a step that nobody knows', id => JSON.stringify({ by: 'x', step: 'blessed', spend_id: id })],
  [
    'a promise with a field of a later version',
    id =>
      JSON.stringify({
        ...{ by: 'x', step: 'promised', spend_id: id, request_id: 'r', at: new Date().toISOString() },
        ...{ keys: ['secret key'], payment_tx: null },
        promised: {
          ...{ later: true, fingerprint: 'secret', caller: 'secret', hash_key: 'secret' },
          answer: 'the secret of a payer',
        },
      }),
  ],
]

async function rejectsOf({ log }: Bench) {
  const found: { topic: string; place: string; reason: string; event: string }[] = []
  const watching = await log.watch(rejects.topic, batch => {
    for (const { value } of batch) found.push(rejects.event.parse(JSON.parse(value as string)))
  })
  await watching.caughtUp
  await watching.close()
  return found
}

const waiting = async () => (await metrics.paymentsUnread.get()).values[0]?.value

describe.each([
  ['alone', (log: Bench['log']) => log],
  ['among instances', shared],
])('a till %s', (_, as) => {
  it.each(broken)('%s stops nobody but its payment, which nobody calls free', async (_, value) => {
    const bench = await openBench({}, as)
    const [payment, other] = [await signed(), await signed()]
    const key = await spendOf(bench, payment)
    await bench.log.append(tillPromises.topic, [{ key, value: value(key) }])
    await bench.restart()
    const sold = await bench.buy(other)
    sold.delivered(true)
    for (const _ of [1, 2]) {
      const heard = await bench.buy(payment).catch(error => error)
      expect(heard).toMatchObject({ code: 'payment_unknown', status: 503, charged: null })
    }
    expect([bench.runs, bench.facilitator.moved.size, await waiting()]).toEqual([1, 1, 1])
    await until(async () => (await rejectsOf(bench)).length > 0, 'the reject')
    for (const { topic, event } of await rejectsOf(bench)) {
      expect(topic).toBe(tillPromises.topic.name)
      expect(event).not.toContain('secret')
      expect(JSON.parse(event)).toMatchObject({ characters: expect.any(Number) })
    }
    expect(new Set((await rejectsOf(bench)).map(({ place }) => place)).size).toBe(1)
    expect((await metrics.sinkRejects.get()).values).toContainEqual(
      expect.objectContaining({ labels: { topic: tillPromises.topic.name }, value: expect.any(Number) }),
    )
    await bench.restart()
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_unknown'))
  })

  it('a record of till.open hides the payment that it names, and a start goes on', async () => {
    const bench = await openBench({}, as)
    const [payment, other] = [await signed(), await signed()]
    const spend = await spendOf(bench, payment)
    await bench.log.append(tillOpen.topic, [
      { key: 'a-request', value: `{"place":"a-request","purchase":{"spend_id":"${spend}","keys":` },
      { key: 'checkpoint', value: '{"place":"checkpoint","position":"many"}' },
    ])
    await bench.restart()
    ;(await bench.buy(other)).delivered(true)
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_unknown'))
    await until(async () => (await rejectsOf(bench)).length >= 2, 'the rejects')
  })
})

it('a record that comes while the till sells, in the name of its own run, stops nothing', async () => {
  const bench = await openBench({}, shared)
  ;(await bench.buy(await signed())).delivered(true)
  const beginnings: string[] = []
  const watching = await bench.log.watch(tillPromises.topic, batch => {
    for (const { value } of batch) beginnings.push(/^\{"by":"[^"]*",/.exec(value ?? '')?.[0] ?? '')
  })
  await watching.caughtUp
  await watching.close()
  const payment = await signed()
  const key = await spendOf(bench, payment)
  const more = `"request_id":"r","at":"${new Date().toISOString()}","payment_tx":null`
  const named = `"spend_id":"${key}",${more}`
  const another = (digit: string) => `"spend_id":"${digit.repeat(64)}",${more}`
  for (const rest of [
    '',
    '"step":7}',
    '"step":"promised","keys":null}',
    `"step":"promised",${another('1')},"keys":[],"promised":{}}`,
    `"step":"promised",${another('2')},"keys":[],"promised":7,"paying":7}`,
    `"step":"announced",${named},"keys":[${'"a",'.repeat(100_000)}"a"],"promised":null}`,
    `"step":"announced",${named},"keys":["${'a'.repeat(500_000)}"],"promised":null}`,
  ])
    await bench.log.append(tillPromises.topic, [{ key, value: `${beginnings[0]}${rest}` }])
  ;(await bench.buy(await signed())).delivered(true)
  await expect(bench.buy(payment)).rejects.toThrow(failure('payment_unknown'))
})

it('a key that names no payment makes nobody wait, nor does a record without a value', async () => {
  const bench = await openBench({}, shared)
  await bench.log.append(tillPromises.topic, [
    { key: '', value: '{' },
    { key: 'a'.repeat(64), value: null },
  ])
  await bench.restart()
  ;(await bench.buy(await signed())).delivered(true)
  expect(await waiting()).toBe(0)
})

describe('the wait for an unreadable record', () => {
  const hour = 60 * 60_000
  const spend = 'a'.repeat(64)
  const open = () => {
    const shown: Record<string, unknown>[] = []
    const unread = new Unread((_record, _reason, text) => void shown.push(JSON.parse(text)))
    const hear = (value: string, at: number, key = spend) =>
      unread.hear({ ...{ topic: 't', partition: 0, offset: 0n }, key, at, value }, 'a reason')
    return { unread, hear, shown }
  }

  it('begins with the first one, and ends where the chain has said that no money has moved', async () => {
    const { unread, hear } = open()
    hear('{', 1000)
    hear('{', 5000)
    expect([unread.since(spend), await waiting()]).toEqual([1000, 1])
    unread.clear(spend)
    expect([unread.since(spend), await waiting()]).toEqual([undefined, 0])
  })

  it('ends by itself after two hours, and not before', async () => {
    const { unread, hear } = open()
    hear('{', 1000)
    hear('{', 2000, 'b'.repeat(64))
    unread.forget(1000 + 2 * hour)
    expect([unread.since(spend), await waiting()]).toEqual([1000, 2])
    unread.forget(1001 + 2 * hour)
    expect([unread.since(spend), await waiting()]).toEqual([undefined, 1])
  })

  it('shows the operator the fields that name the payment, twenty at most', () => {
    const { hear, shown } = open()
    const named = `"step":"promised","spend_id":"${spend}","request_id":"r-1"`
    hear(`{"by":"x",${named},"caller":"secret"`, 0, 'no payment')
    expect(shown[0]).toMatchObject({ by: 'x', step: 'promised', spend_id: spend, request_id: 'r-1' })
    expect(shown[0]).not.toHaveProperty('caller')
    hear(`{${'"by":"x",'.repeat(20)}"step":"late"`, 0)
    expect(shown[1]).toEqual({ by: 'x', characters: 20 * 9 + 14 })
    hear(`{"answer":"${'a'.repeat(100_000)}","step":"late"`, 0)
    expect(shown[2]).toEqual({ characters: expect.any(Number) })
  })
})
