/** Looks at chains for nobody who waits: how many are under way at once, in all and for one payer. */
import { expect, it, onTestFinished } from 'vitest'
import type { Finding } from '../../../pipelines/domains/payments/finder.ts'
import type { Trace } from '../../../schemas/till-promises.ts'
import type { Purchase } from '../../../services/till/ledger/purchase.ts'
import { Recovery } from '../../../services/till/sale/recovery.ts'
import { Retries } from '../../../services/till/sale/retries.ts'
import { Turns } from '../../../services/till/sale/turns.ts'
import type { Scheme } from '../../../services/till/schemes/scheme.ts'
import { until } from '../../until.ts'
import { idOf, openLedger, signedTo } from './ledgers.ts'
import { offer } from './paying.ts'

/** Each look lasts until the test ends it. */
async function open(payers: readonly string[]) {
  const ledger = await openLedger()
  const looks: { payer: string; end(found: Finding): void }[] = []
  const find = ({ from }: Trace & { from?: string }) => {
    const { promise, resolve } = Promise.withResolvers<Finding>()
    looks.push({ payer: from ?? '', end: resolve })
    return promise
  }
  const schemes = new Map([[offer.network, { network: 'base', find } as unknown as Scheme]])
  const recovery = new Recovery({
    ...{ ledger, turns: new Turns(), schemes, retries: new Retries() },
    ...{ auditMs: 600_000, lied: () => {}, now: Date.now, onError: () => {} },
  })
  onTestFinished(() => recovery.stop())
  for (const [nth, payer] of payers.entries()) {
    const name = `${payer} ${nth}`
    await ledger.promise(idOf(name), name, [], signedTo(payer))
  }
  return { recovery, ledger, looks }
}

const payerOf = (nth: number) => `0x${String(nth).padStart(40, '0')}`
const notYet: Finding = { found: false, final: false, reason: 'not_seen' }

it('are sixteen, and each that ends lets the next one begin', async () => {
  const { recovery, looks } = await open(Array.from({ length: 20 }, (_, nth) => payerOf(nth)))
  await recovery.sweep()
  expect(looks).toHaveLength(16)
  looks[0]?.end(notYet)
  await until(() => looks.length === 17, 'the next look')
  await recovery.sweep()
  expect(looks).toHaveLength(17)
  for (let nth = 1; nth < 20; nth++) {
    await until(() => looks.length > nth)
    looks[nth]?.end(notYet)
  }
})

it('are four of one payer, and he delays nobody else’s', async () => {
  const payers = [...Array.from({ length: 10 }, () => payerOf(1)), payerOf(2), payerOf(3)]
  const { recovery, looks } = await open(payers)
  await recovery.sweep()
  const of = (payer: string) => looks.filter(look => look.payer === payer).length
  expect([1, 2, 3].map(nth => of(payerOf(nth)))).toEqual([4, 1, 1])
  looks.find(({ payer }) => payer === payerOf(1))?.end(notYet)
  await until(() => of(payerOf(1)) === 5, 'the fifth look')
  expect(looks).toHaveLength(7)
})

it('settle what the chain shows, and fail what can never move, with nothing charged', async () => {
  const { recovery, ledger, looks } = await open([payerOf(1), payerOf(2)])
  await recovery.sweep()
  const [moved, dead] = ledger.purchases.open
  for (const look of looks)
    look.end(
      look.payer === payerOf(1)
        ? { found: true, tx: `0x${'7'.repeat(64)}`, position: 3 }
        : { found: false, final: true, reason: 'expired' },
    )
  await until(() => ledger.purchases.open.length === 0, 'both ends')
  expect(moved).toMatchObject({ state: 'settled', tx: `0x${'7'.repeat(64)}`, position: 3 })
  expect(dead?.state).toBe('failed')
})

it('are four at once for a caller who presents refused payments, and as many for another one', async () => {
  const { recovery, ledger, looks } = await open(Array.from({ length: 6 }, () => payerOf(1)))
  const refused = [...ledger.purchases.open]
  for (const purchase of refused) await ledger.recordRefused(purchase, 'insufficient_funds', 'a facilitator')
  const words: unknown[] = []
  const look = (caller: string) => (purchase: (typeof refused)[number]) =>
    recovery.lookFor(caller, purchase).then(word => words.push(word))
  const stranger = refused.map(look('a stranger'))
  await Promise.all(stranger.slice(4))
  expect([words, looks.length]).toEqual([[null, null], 4])
  const other = refused.slice(0, 4).map(look('somebody else'))
  expect(looks).toHaveLength(8)
  for (const { end } of looks) end(notYet)
  await Promise.all([...stranger, ...other])
  expect(words.filter(word => word === notYet)).toHaveLength(8)
})

it('give no purchase a transfer that has paid for another one', async () => {
  const { recovery, ledger, looks } = await open([payerOf(1), payerOf(2)])
  const [first, second] = ledger.purchases.open as [Purchase, Purchase]
  const transfer = { tx: `0x${'7'.repeat(64)}`, position: 3 }
  ledger.recordSettled(first, transfer, false)
  const looking = recovery.look(second)
  looks[0]?.end({ found: true, ...transfer })
  await looking
  expect(second.state).toBe('open')
  expect(recovery.believe(second, { tx: transfer.tx, by: 'a facilitator' }, true)).toBe(false)
  expect(second.state).toBe('open')
  const again = recovery.look(second)
  looks[1]?.end({ found: true, ...transfer, position: 4 })
  await again
  expect(second).toMatchObject({ state: 'settled', position: 4 })
})

it('leave a refused purchase as it is where its payment has bought anew meanwhile', async () => {
  const { recovery, ledger, looks } = await open([payerOf(1)])
  const [refused] = ledger.purchases.open as [Purchase]
  await ledger.recordRefused(refused, 'insufficient_funds', 'a facilitator')
  const looking = recovery.look(refused)
  const anew = await ledger.promise(refused.spendId, 'anew', [], signedTo(payerOf(1)))
  looks[0]?.end({ found: true, tx: `0x${'7'.repeat(64)}`, position: 3 })
  await looking
  expect([refused.state, anew?.state]).toEqual(['refused', 'open'])
  const failing = recovery.look(refused)
  looks[1]?.end({ found: false, final: true, reason: 'expired' })
  await failing
  expect(ledger.purchases.of(refused.spendId)).toBe(anew)
})
