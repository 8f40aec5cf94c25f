/** Crowds of payments that strangers have refused: they leave the memory, stay known, and make nobody else wait. */
import { describe, expect, it } from 'vitest'
import type { Promised } from '../../../schemas/till-promises.ts'
import { instant } from '../../../schemas/values/values.ts'
import { openPurchase, type Purchase } from '../../../services/till/ledger/purchase.ts'
import { Purchases } from '../../../services/till/ledger/purchases.ts'
import { type PromisingParts, promising } from '../../../services/till/sale/promise.ts'
import { type UnspentParts, unspent } from '../../../services/till/sale/unspent.ts'
import type { Payment, Sale } from '../../../services/till/till.ts'
import { idOf } from './ledgers.ts'
import { failure } from './tills.ts'

const minute = 60_000
const at = Date.parse('2026-04-13T14:00:00Z')
const hour = 60 * minute

/** A memory, and promises for payments that live for so long. */
function opened() {
  const clock = { ms: 0 }
  const purchases = new Purchases(
    'run',
    () => at + clock.ms,
    () => clock.ms,
  )
  const put = (name: string, lifeMs: number): Purchase => {
    const now = at + clock.ms
    const life = { promised_at: instant(now), dead_at: instant(now + lifeMs) }
    const promised = { ...life, answer: '{}', network: 'base' } as Promised
    const purchase = openPurchase({
      ...{ spendId: idOf(name), requestId: name, keys: [], promised },
      ...{ holder: 'run', writtenAt: now, isWritten: true },
    })
    purchases.put(purchase)
    return purchase
  }
  return { clock, purchases, put }
}

/** Whether a sale of this payment asks the chain first. */
async function asksChain(purchases: Purchases, name: string, lifeMs: number): Promise<boolean> {
  let asked = 0
  const parts = {
    ledger: { purchases },
    recovery: { find: async () => ({ found: false, final: false, reason: 'not_seen', asked: asked++ }) },
    schemes: new Map([['a chain', { longestLifeMs: hour }]]),
    now: () => at,
  } as unknown as UnspentParts
  const payment = { spendId: idOf(name), firstDeadAt: at + lifeMs, trace: { network: 'a chain' } }
  await unspent(parts).mustBeNew({ caller: 'a caller', payment } as Sale)
  return asked > 0
}

/** Whether a payment of this life is still taken. */
function takes(purchases: Purchases, lifeMs: number): boolean {
  const parts = { ledger: { purchases }, now: () => at } as unknown as PromisingParts
  try {
    promising(parts).mustNotOutlast({ deadAt: at + lifeMs } as Payment)
    return true
  } catch (error) {
    expect(error).toEqual(failure('invalid_payment'))
    expect(String(error)).toContain('sign one that ends within 180 seconds')
    return false
  }
}

describe.each([
  ['three minutes', 3 * minute, 10_000],
  ['an hour', hour, 50_000],
])('payments that live for %s, refused in a crowd', (_, lifeMs, most) => {
  const crowd = () => {
    const bench = opened()
    for (let nth = 0; nth <= most; nth++) bench.purchases.refused(bench.put(`refused ${nth}`, lifeMs))
    return bench
  }

  it('leave the memory, and only they ask the chain', async () => {
    const { clock, purchases } = crowd()
    expect([0, 1].map(nth => purchases.of(idOf(`refused ${nth}`)) !== undefined)).toEqual([false, true])
    expect(await asksChain(purchases, 'refused 0', lifeMs)).toBe(true)
    expect(await asksChain(purchases, 'an honest one', lifeMs)).toBe(false)
    expect(await asksChain(purchases, 'an honest one', minute)).toBe(false)
    // It is known for as long as it may live.
    clock.ms += lifeMs
    expect(await asksChain(purchases, 'refused 0', lifeMs)).toBe(true)
  })

  it('shut out nobody, whatever the life of his payment', () => {
    const { purchases } = crowd()
    expect([minute, hour].map(life => takes(purchases, life))).toEqual([true, true])
  })
})

describe('payments that live for an hour and have bought', () => {
  it('shut out nobody when their answers are kept no longer, and are known', async () => {
    const { clock, purchases, put } = opened()
    for (let nth = 0; nth <= 50_000; nth++) {
      const purchase = put(`sold ${nth}`, hour)
      purchases.settled(purchase, { tx: `tx ${nth}`, position: undefined }, at)
      purchases.delivered(purchase, at)
    }
    expect(takes(purchases, hour)).toBe(true)
    expect(purchases.of(idOf('sold 0'))).toBeDefined()
    clock.ms += 11 * minute
    for (let nth = 0; nth < 12; nth++) purchases.forget()
    expect(purchases.of(idOf('sold 0'))).toBeUndefined()
    expect(purchases.word(idOf('sold 0'))).toMatchObject({ tx: 'tx 0' })
    expect(purchases.mayHaveForgotten(at + hour, idOf('sold 0'))).toBe(true)
    expect(await asksChain(purchases, 'an honest one', hour)).toBe(false)
  })
})

describe('payments that live for an hour and are open or owed', () => {
  it('are taken no more above fifty thousand, and those of our quotes are', () => {
    const { purchases, put } = opened()
    const open = Array.from({ length: 50_000 }, (_, nth) => put(`open ${nth}`, hour))
    const [first, second] = open as [Purchase, Purchase]
    expect([hour, 2 * minute].map(life => takes(purchases, life))).toEqual([false, true])
    purchases.refused(first)
    expect(takes(purchases, hour)).toBe(true)
    // Its money has moved late: the answer is owed.
    purchases.settled(first, { tx: 'late', position: undefined }, at)
    expect(takes(purchases, hour)).toBe(false)
    purchases.drop(second)
    expect(takes(purchases, hour)).toBe(true)
  })
})

it('a start that knows no bits asks the chain about all that is as old', () => {
  const { purchases, put } = opened()
  expect(purchases.leftTo).toBe(0)
  for (let nth = 0; nth <= 50_000; nth++) purchases.refused(put(`refused ${nth}`, hour))
  expect(purchases.leftTo).toBe(at + hour)
})
