/** A wallet with only unknown outcomes uses no more than its own share, and causes few requests to the facilitator. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Health } from '../../../services/till/facilitator/health.ts'
import type { Purchase } from '../../../services/till/ledger/purchase.ts'
import { Places, saleBytes } from '../../../services/till/sale/places.ts'
import { Retries } from '../../../services/till/sale/retries.ts'
import type { Payment } from '../../../services/till/till.ts'
import { until } from '../../until.ts'
import { otherPayer, signed } from './paying.ts'
import { failure, openBench, settlementsTold } from './tills.ts'

const theirs = () => signed({}, Date.now(), 'base', otherPayer)

describe('256 payments of one wallet that revert', () => {
  it('stop nobody else, and are settled a few times', async () => {
    const bench = await openBench({ limits: { unknownMs: 4000 } })
    bench.facilitator.moodFor = from => (from === otherPayer.address ? 'error before' : undefined)
    const payments = await Promise.all(Array.from({ length: 256 }, theirs))
    let ended = 0
    const attacks = payments.map(payment =>
      bench.buy(payment, { caller: 'a stranger' }).catch(error => {
        ended++
        return error.code
      }),
    )
    // Sixteen of them wait for an outcome. All others have an answer.
    await until(() => ended >= 256 - 16, 'the attack to be heard')
    for (let i = 0; i < 24; i++) (await bench.buy(await signed())).delivered(true)
    await expect(bench.buy(await theirs())).rejects.toMatchObject({ code: 'busy', charged: false })
    const codes = await Promise.all(attacks)
    const unknown = codes.filter(code => code === 'payment_unknown').length
    const refused = ['busy', 'too_many_requests']
    expect(codes.filter(code => !refused.includes(code))).toHaveLength(unknown)
    expect(bench.facilitator.calls.settle - 24).toBeLessThanOrEqual(unknown + 16 * 3)
  })
})

describe('payments that only the facilitator can judge', () => {
  it('hold four places of a caller at once, and keep no smart wallet of another out', () => {
    const places = new Places(256 * saleBytes)
    const unproven = { payer: 'the named', proven: false } as Payment
    const take = (caller: string) => places.take(unproven, caller)
    const [place] = Array.from({ length: 4 }, () => take('a forger'))
    expect(() => take('a forger')).toThrow(failure('busy'))
    take('the wallet’s own')
    places.take({ ...unproven, proven: true }, 'a forger')
    place?.free()
    place?.free()
    take('a forger')
    expect(() => take('a forger')).toThrow(failure('busy'))
  })
})

describe('an unknown outcome', () => {
  /** Room for more sales than any other bound lets in. */
  const room = 1 << 30
  const payment = (payer: string) => ({ payer, proven: true }) as Payment
  const doubted = (payer: string) => ({ promised: { payer }, state: 'open' }) as Purchase

  it('counts against its payer, sixteen times, until it is known', () => {
    const places = new Places(room)
    const purchases = Array.from({ length: 16 }, (_, nth) => ({ purchase: doubted('payer'), by: `${nth}` }))
    for (const { purchase, by } of purchases.slice(1)) places.doubt(purchase, by)
    places.take(payment('payer'), 'a caller')
    const [first] = purchases as [{ purchase: Purchase; by: string }]
    places.doubt(first.purchase, first.by)
    expect(() => places.take(payment('payer'), 'a caller')).toThrow(failure('busy'))
    places.take(payment('another'), 'a caller')
    first.purchase.state = 'settled'
    places.take(payment('payer'), 'a caller')
  })

  it('counts against its caller, 64 times, whatever wallets he has', () => {
    const places = new Places(room)
    const purchases = Array.from({ length: 64 }, (_, nth) => doubted(`wallet ${nth}`))
    for (const purchase of purchases.slice(1)) places.doubt(purchase, 'a caller')
    places.take(payment('a new wallet'), 'a caller')
    const [first] = purchases as [Purchase]
    places.doubt(first, 'a caller')
    expect(() => places.take(payment('a new wallet'), 'a caller')).toThrow(failure('busy'))
    places.take(payment('a new wallet'), 'another caller')
    first.state = 'failed'
    places.take(payment('a new wallet'), 'a caller')
  })

  it('is waited for by sixteen calls of a payer, and by 256 in all', () => {
    const places = new Places(room)
    const [leave] = Array.from({ length: 16 }, () => places.wait('payer'))
    expect(places.wait('payer')).toBeUndefined()
    leave?.()
    leave?.()
    expect(places.wait('payer')).toBeDefined()
    expect(places.wait('payer')).toBeUndefined()
    const others = Array.from({ length: 240 }, (_, nth) => places.wait(`payer ${nth}`))
    expect(others.every(Boolean)).toBe(true)
    expect(places.wait('one more')).toBeUndefined()
    others[0]?.()
    expect(places.wait('one more')).toBeDefined()
  })
})

describe('a facilitator that is asked too often', () => {
  it('is left alone, and then asked once more', async () => {
    const now = performance.now.bind(performance)
    let aheadMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
    onTestFinished(() => void vi.restoreAllMocks())
    const bench = await openBench({ limits: { unknownMs: 600_000 } })
    Object.assign(bench.facilitator, { settle: 'too many', retryAfter: '60' })
    const waiting = bench.buy(await signed())
    // The till tells of an unknown outcome once it has heard for how long it must ask nothing.
    await settlementsTold(bench.log, 2)
    const refused = bench.buy(await theirs())
    await expect(refused).rejects.toThrow(failure('facilitator_unavailable'))
    expect(bench.facilitator.calls.settle).toBe(1)
    bench.facilitator.settle = 'well'
    aheadMs = 60_000
    expect(JSON.parse((await waiting).body).receipt.charged).toBe(true)
    expect(bench.facilitator.calls.settle).toBe(2)
  })
})

describe('settling again', () => {
  const purchase = {} as Purchase
  const unknown = { outcome: 'unknown', reason: 'status_500', by: 'one', isUnsent: false } as const

  function openAgain() {
    let clock = 0
    vi.spyOn(performance, 'now').mockImplementation(() => clock)
    onTestFinished(() => void vi.restoreAllMocks())
    const retries = new Retries()
    retries.hear(purchase)
    let asked = 0
    const again = async () => {
      asked++
      return unknown
    }
    const health = new Health()
    const settling = { isQuiet: () => health.isQuiet, again }
    const pass = async (seconds: number) => {
      for (let i = 0; i < 10 * seconds; i++) {
        clock += 100
        await retries.settle(purchase, settling)
      }
      return asked
    }
    return { retries, health, pass }
  }

  it('waits longer each time, and ends', async () => {
    const { pass } = openAgain()
    expect([await pass(1), await pass(2), await pass(10), await pass(3600), await pass(3600)]).toEqual([
      ...[1, 2, 3, 6, 6],
    ])
  })

  it('is under way sixteen times at once, for all payments together', async () => {
    const retries = new Retries()
    const open = { isQuiet: () => false }
    const held = Promise.withResolvers<typeof unknown>()
    const waiting = Array.from({ length: 16 }, () =>
      retries.settle({} as Purchase, { ...open, again: () => held.promise }),
    )
    const settling = { ...open, again: async () => unknown }
    expect(await retries.settle({} as Purchase, settling)).toBeUndefined()
    held.resolve(unknown)
    await Promise.all(waiting)
    expect(await retries.settle({} as Purchase, settling)).toBe(unknown)
  })

  it('waits for as long as the facilitator asks for, and no longer than a minute', async () => {
    const { retries, health, pass } = openAgain()
    health.quiet(10_000)
    expect([await pass(9), await pass(2)]).toEqual([0, 1])
    health.quiet(86_400_000)
    retries.hear(purchase, 1)
    expect([await pass(59), await pass(2)]).toEqual([1, 2])
  })
})
