/** A wallet with only unknown outcomes uses no more than its own share, and causes few requests to the facilitator. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
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
    expect(codes.filter(code => code !== 'busy')).toHaveLength(unknown)
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
  const unknown = { outcome: 'unknown', reason: 'status_500' } as const

  function openAgain() {
    let clock = 0
    vi.spyOn(performance, 'now').mockImplementation(() => clock)
    onTestFinished(() => void vi.restoreAllMocks())
    const retries = new Retries()
    retries.hear(purchase, unknown)
    let asked = 0
    const settle = async () => {
      asked++
      return unknown
    }
    const pass = async (seconds: number) => {
      for (let i = 0; i < 10 * seconds; i++) {
        clock += 100
        await retries.settle(purchase, settle)
      }
      return asked
    }
    return { retries, pass }
  }

  it('waits longer each time, and ends', async () => {
    const { pass } = openAgain()
    expect([await pass(1), await pass(2), await pass(10), await pass(3600), await pass(3600)]).toEqual([
      ...[1, 2, 3, 6, 6],
    ])
  })

  it('waits for as long as the facilitator asks for, and no longer than a minute', async () => {
    const { retries, pass } = openAgain()
    retries.hear(purchase, { ...unknown, retryAfterMs: 10_000 })
    expect([await pass(9), await pass(2)]).toEqual([0, 1])
    retries.hear(purchase, { ...unknown, retryAfterMs: 86_400_000 }, 1)
    expect([await pass(59), await pass(2)]).toEqual([1, 2])
  })
})
