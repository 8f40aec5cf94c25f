import { describe, expect, test } from 'vitest'
import { berlin, dayPlus, isTargetDay, lastDue, targetDays } from '../../../schemas/tables/target-calendar.ts'

/** The weekdays of a year on which TARGET is closed. */
function closings(year: number): string[] {
  const found: string[] = []
  for (let day = `${year}-01-01`; day.startsWith(String(year)); day = dayPlus(day, 1)) {
    const weekday = new Date(day).getUTCDay()
    if (weekday >= 1 && weekday <= 5 && !isTargetDay(day)) found.push(day)
  }
  return found
}

describe('TARGET closing days', () => {
  test.each([
    [2024, ['2024-01-01', '2024-03-29', '2024-04-01', '2024-05-01', '2024-12-25', '2024-12-26']],
    [2025, ['2025-01-01', '2025-04-18', '2025-04-21', '2025-05-01', '2025-12-25', '2025-12-26']],
    [2026, ['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-12-25']],
    [2027, ['2027-01-01', '2027-03-26', '2027-03-29']],
    [2038, ['2038-01-01', '2038-04-23', '2038-04-26']],
  ])('of %i', (year, expected) => expect(closings(year)).toEqual(expected))

  test('national holidays are not among them, and no holiday moves off a weekend', () => {
    for (const day of ['2025-07-04', '2025-10-03', '2026-12-28', '2027-05-03'])
      expect(isTargetDay(day)).toBe(true)
  })

  test('are left out of a count', () => {
    expect(targetDays('2026-04-02', '2026-04-07')).toBe(1)
    expect(targetDays('2026-04-02', '2026-04-06')).toBe(0)
    expect(targetDays('2026-04-07', '2026-04-02')).toBe(0)
    expect(targetDays('2026-04-10', '2026-04-17')).toBe(5)
  })
})

describe('the time in Frankfurt', () => {
  const at = (text: string) => berlin(Date.parse(text))

  test('changes from CET to CEST and back at 01:00 UTC', () => {
    expect(at('2026-03-29T00:59:59Z')).toEqual({ day: '2026-03-29', minute: 119 })
    expect(at('2026-03-29T01:00:00Z')).toEqual({ day: '2026-03-29', minute: 180 })
    expect(at('2026-10-25T00:59:59Z')).toEqual({ day: '2026-10-25', minute: 179 })
    expect(at('2026-10-25T01:00:00Z')).toEqual({ day: '2026-10-25', minute: 120 })
  })

  test('is a day ahead of UTC late in the evening', () => {
    expect(at('2026-07-01T21:59:59Z').day).toBe('2026-07-01')
    expect(at('2026-07-01T22:00:00Z')).toEqual({ day: '2026-07-02', minute: 0 })
    expect(at('2026-12-31T22:59:59Z').day).toBe('2026-12-31')
    expect(at('2026-12-31T23:00:00Z').day).toBe('2027-01-01')
  })

  test('makes a day due at 18:00', () => {
    expect(lastDue(Date.parse('2026-04-14T15:59:59Z'))).toBe('2026-04-13')
    expect(lastDue(Date.parse('2026-04-14T16:00:00Z'))).toBe('2026-04-14')
    expect(lastDue(Date.parse('2026-11-16T16:59:59Z'))).toBe('2026-11-15')
    expect(lastDue(Date.parse('2026-11-16T17:00:00Z'))).toBe('2026-11-16')
  })
})
