import { describe, expect, it } from 'vitest'
import type { Promised } from '../../../schemas/till-promises.ts'
import { instant } from '../../../schemas/values/values.ts'
import { openPurchase } from '../../../services/till/ledger/purchase.ts'
import { Purchases } from '../../../services/till/ledger/purchases.ts'

const at = Date.parse('2026-04-13T14:00:00Z')
/** Four of them fill the memory for answers. The till reads their length only. */
const answer = 'x'.repeat(64 << 20)

function sold(purchases: Purchases, name: string, isDelivered = true) {
  const promised = { answer, dead_at: instant(at) } as Promised
  const keys = [`key of ${name}`]
  const purchase = openPurchase({
    ...{ spendId: name, requestId: name, keys, promised },
    ...{ holder: 'run', writtenAt: at, isWritten: true },
  })
  purchases.put(purchase)
  purchases.settled(purchase, { tx: `tx of ${name}`, position: undefined }, at)
  if (isDelivered) purchases.delivered(purchase, at)
  return purchase
}

describe('The memory for answers', () => {
  it('forgets the oldest key when it is full, and never an answer that is owed', () => {
    const purchases = new Purchases('run', () => at)
    const owed = sold(purchases, 'owed', false)
    for (const name of ['first', 'second', 'third']) sold(purchases, name)
    expect(purchases.ofKey('key of first')?.promised.answer).toBe(answer)

    sold(purchases, 'fourth')
    expect(purchases.ofKey('key of first')).toBeUndefined()
    expect(purchases.of('first')).toMatchObject({ state: 'settled', promised: { answer: '' } })
    for (const name of ['second', 'third', 'fourth'])
      expect(purchases.ofKey(`key of ${name}`)?.promised.answer).toBe(answer)
    expect(owed.promised.answer).toBe(answer)
  })

  it('keeps the secrets of refused payments within their bound, the newest', () => {
    const purchases = new Purchases('run', () => at)
    const refused = ['first', 'second', 'third'].map(name => {
      const promised = {
        answer: answer.slice(0, 2 << 20),
        dead_at: instant(at),
        holds_secret: true,
      } as Promised
      const purchase = openPurchase({
        ...{ spendId: name, requestId: name, keys: [], promised },
        ...{ holder: 'run', writtenAt: at, isWritten: true },
      })
      purchases.put(purchase)
      purchases.refused(purchase)
      return purchase
    })
    expect(refused.map(({ promised }) => promised.answer !== '')).toEqual([false, true, true])
  })

  it('has room again when purchases are forgotten', () => {
    const purchases = new Purchases('run', () => at)
    const [first] = ['first', 'second', 'third', 'fourth'].map(name => sold(purchases, name))
    purchases.drop(first as NonNullable<typeof first>)
    sold(purchases, 'fifth')
    expect(purchases.ofKey('key of second')?.promised.answer).toBe(answer)
  })
})
