import { describe, expect, test } from 'vitest'
import { type FxDay, fxDaily, fxRates } from '../../schemas/fx-rates.ts'
import { dayPlus, isTargetDay } from '../../schemas/tables/target-calendar.ts'

const of = (day: string, rates: Record<string, string> = { USD: '1.1684' }): FxDay => ({ day, rates })
const fresh = (now: string, newest: string, date?: string) =>
  fxDaily.fresh({ now: Date.parse(now), polledAt: undefined, newest: of(newest), asked: { date } })

describe('the event', () => {
  test('is one publication day, with its date as order and identity', () => {
    expect(fxRates.topic).toEqual({ name: 'fx.rates', keep: 'newest' })
    expect(fxRates.keyOf(of('2026-04-13'))).toBe('2026-04-13')
  })

  test.each(['1.1684', '20082.05', '0.87058', '143.20', '186', '0.00000001', '9999999999.99999999'])(
    'accepts the rate %s',
    rate => expect(fxRates.event.safeParse(of('2026-04-13', { USD: rate })).success).toBe(true),
  )
  test.each([
    '0',
    '0.000',
    '-1',
    '+1',
    '1e3',
    '.5',
    '1.',
    '01.2',
    '1,17',
    'N/A',
    '',
    ' 1',
    '1.123456789',
    '12345678901',
  ])('refuses the rate "%s"', rate =>
    expect(fxRates.event.safeParse(of('2026-04-13', { USD: rate })).success).toBe(false),
  )
  test.each(['usd', 'US', 'USDT', 'U5D'])('refuses the code "%s"', code =>
    expect(fxRates.event.safeParse({ day: '2026-04-13', rates: JSON.parse(`{"${code}":"1"}`) }).success).toBe(
      false,
    ),
  )
  test('refuses a day that does not exist, and unknown fields', () => {
    expect(fxRates.event.safeParse(of('2026-02-30')).success).toBe(false)
    expect(fxRates.event.safeParse({ ...of('2026-04-13'), base: 'EUR' }).success).toBe(false)
  })
})

describe('freshness', () => {
  test('an empty view is not fresh', () => {
    expect(fxDaily.fresh({ now: 0, polledAt: 0, newest: undefined, asked: {} })).toBe(false)
  })

  test('lasts through every hour of two years while the feed keeps its schedule', () => {
    let newest = '2025-12-31'
    for (let now = Date.parse('2026-01-01T00:00:00Z'); now < Date.parse('2028-01-01'); now += 3_600_000) {
      const at = new Date(now).toISOString()
      // In winter the ECB publishes by 17:00 UTC at the latest.
      if (at.slice(11, 13) === '17' && isTargetDay(at.slice(0, 10))) newest = at.slice(0, 10)
      expect(fresh(at, newest), at).toBe(true)
      expect(fresh(at, newest, at.slice(0, 10)), at).toBe(true)
    }
  })

  test('ends if a fourth day is missing, at 18:00 in Frankfurt', () => {
    const monday = '2026-04-13'
    expect(fresh('2026-04-16T20:00:00Z', monday)).toBe(true)
    expect(fresh('2026-04-17T15:59:59Z', monday)).toBe(true)
    expect(fresh('2026-04-17T16:00:00Z', monday)).toBe(false)
    expect(fresh('2026-11-20T16:59:59Z', '2026-11-16')).toBe(true)
    expect(fresh('2026-11-20T17:00:00Z', '2026-11-16')).toBe(false)
  })

  test('days without expected rates are not missing', () => {
    expect(fresh('2026-04-06T20:00:00Z', '2026-04-02')).toBe(true)
    expect(fresh('2026-04-09T20:00:00Z', '2026-04-02')).toBe(true)
    expect(fresh('2026-04-10T16:00:00Z', '2026-04-02')).toBe(false)
  })

  test('of a past day lasts for ever', () => {
    const longAfter = '2026-07-01T12:00:00Z'
    expect(fresh(longAfter, '2026-04-13')).toBe(false)
    expect(fresh(longAfter, '2026-04-13', '2026-04-13')).toBe(true)
    expect(fresh(longAfter, '2026-04-13', '2026-04-11')).toBe(true)
    expect(fresh(longAfter, '2026-04-10', '2026-04-12')).toBe(true)
    expect(fresh(longAfter, '2026-04-10', '2026-04-13')).toBe(false)
  })

  test('of a day in a gap ends with the feed itself', () => {
    for (const days of [1, 2, 3]) {
      const date = dayPlus('2026-04-13', days)
      expect(fresh('2026-04-16T20:00:00Z', '2026-04-13', date)).toBe(true)
      expect(fresh('2026-04-17T20:00:00Z', '2026-04-13', date)).toBe(false)
    }
  })
})
