/** Paid answers that nobody fetches take memory. What one buyer leaves stops his own sales alone. */
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Purchase } from '../../../services/till/ledger/purchase.ts'
import { entryOf } from '../../../services/till/ledger/steps.ts'
import { Undelivered } from '../../../services/till/sale/undelivered.ts'
import { nobody } from '../../../services/till/till.ts'
import { echo, header, otherPayer, payTo, signed } from './paying.ts'
import { failure, openBench } from './tills.ts'

const large = { answer: async () => JSON.stringify({ said: randomBytes(90_000).toString('base64') }) }
const [hoarder, other] = [{ caller: 'a hoarder' }, { caller: 'somebody else' }]

it('a payer and a caller have a share of the memory for answers', async () => {
  const bench = await openBench()
  let sold = 0
  const buying = async () => {
    for (; sold < 300; sold++) (await bench.buy(await signed(), { ...large, ...hoarder })).delivered(false)
  }
  await expect(buying()).rejects.toThrow(failure('busy'))
  expect(sold).toBeGreaterThan(100)

  const byOther = () => signed({}, Date.now(), 'base', otherPayer)
  await expect(bench.buy(await signed(), other)).rejects.toThrow(failure('busy'))
  await expect(bench.buy(await byOther(), hoarder)).rejects.toThrow(failure('busy'))
  ;(await bench.buy(await byOther(), other)).delivered(true)
}, 60_000)

const share = 16 << 20
const long = 'x'.repeat(share + 1)

const purchaseOf = (payer: string, answer: string) =>
  ({ state: 'open', delivered: false, promised: { payer, answer } }) as Purchase

const isFull = (undelivered: Undelivered, payer: string, caller = nobody) => {
  try {
    undelivered.admit(payer, caller)
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'busy' })
    return true
  }
}

it('a share is free again once its answers are delivered, or nothing was charged for them', () => {
  const undelivered = new Undelivered()
  const ends: Partial<Purchase>[] = [{ delivered: true }, { state: 'failed' }, { state: 'refused' }]
  for (const [nth, end] of ends.entries()) {
    const purchase = purchaseOf(`payer ${nth}`, long)
    undelivered.add(purchase, 'a caller')
    expect([isFull(undelivered, `payer ${nth}`), isFull(undelivered, 'another', 'a caller')]).toEqual([
      ...[true, true],
    ])
    Object.assign(purchase, { state: 'settled' }, end)
    expect(isFull(undelivered, `payer ${nth}`, 'a caller')).toBe(false)
  }
  const stowed = purchaseOf('payer', long)
  undelivered.add(stowed, nobody)
  expect(isFull(undelivered, 'payer')).toBe(true)
  stowed.promised = { ...stowed.promised, answer: '' }
  expect(isFull(undelivered, 'payer')).toBe(false)
})

it('a share counts the newest 5,000 purchases of a name, for the newest 10,000 names', () => {
  const undelivered = new Undelivered()
  undelivered.add(purchaseOf('first', long), nobody)
  undelivered.add(purchaseOf('second', long), nobody)
  for (let nth = 0; nth < 4_999; nth++) undelivered.add(purchaseOf('second', 'x'), nobody)
  expect(isFull(undelivered, 'second')).toBe(true)
  undelivered.add(purchaseOf('second', 'x'), nobody)
  expect(isFull(undelivered, 'second')).toBe(false)

  undelivered.add(purchaseOf('third', long), nobody)
  for (let nth = 0; nth < 9_998; nth++) undelivered.add(purchaseOf(`payer ${nth}`, 'x'), nobody)
  expect([isFull(undelivered, 'first'), isFull(undelivered, 'third')]).toEqual([false, true])
})

it('nothing more is sold while the answers of all payers fill the memory', async () => {
  const bench = await openBench({ limits: { sweepMs: 600_000 } })
  const payment = await signed()
  const { spendId, trace, payer } = await bench.till.check(bench.till.decode(header(payment)), echo)
  const now = instant(Date.now())
  const promised = {
    ...{ promised_at: now, dead_at: instant(Date.now() + 60_000), origin: 'data', operation: 'echoOnce' },
    ...{ network: 'base' as const, price_usdc: '0.002', payer, pay_to: payTo, fingerprint: spendId },
    ...{ question_sha256: spendId, answer_sha256: spendId, trace },
    ...{ since: null, caller: null, hash_key: '', holds_secret: false },
  }
  const answer = `{"said":"${'x'.repeat(900_000)}"}`
  const steps = Array.from({ length: 75 }, (_, nth) => {
    const of = { spend_id: randomBytes(32).toString('hex'), request_id: `earlier ${nth}` }
    return [
      entryOf('an earlier run', now, { step: 'promised', ...of, promised: { ...promised, answer } }),
      entryOf('an earlier run', now, {
        step: 'settled',
        ...of,
        payment_tx: `0x${String(nth).padStart(64, '0')}`,
      }),
    ]
  })
  for (const two of steps) await bench.log.append(tillPromises.topic, two)
  await bench.restart()
  await expect(bench.buy(payment, { caller: 'somebody' })).rejects.toMatchObject({
    code: 'busy',
    charged: false,
  })
  expect([bench.runs, bench.facilitator.calls.verify]).toEqual([0, 0])
}, 60_000)
