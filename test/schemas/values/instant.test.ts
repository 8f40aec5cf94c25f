import { expect, it } from 'vitest'
import { instant } from '../../../schemas/values/values.ts'

const now = Date.parse('2026-11-23T07:00:00Z')
const minute = 60_000

it('is what a date of JavaScript prints, in whatever order times are asked', () => {
  const times = Array.from({ length: 2000 }, (_, i) => now + (i % 2 ? -1 : 1) * i ** 3 * 997 + i)
  for (const ms of [...times, ...times.toReversed(), 0, -1, -minute, 1.9, now + 0.5, -62_167_219_200_000])
    expect(instant(ms)).toBe(new Date(Math.floor(ms)).toISOString())
})

it('of minutes far apart, one after the other', () => {
  for (let i = 0; i < 100; i++)
    for (const ms of [now + i, now + 8 * minute * i]) expect(instant(ms)).toBe(new Date(ms).toISOString())
})

it.each([Number.NaN, Infinity, 9e15])('of %d throws', ms => {
  expect(() => instant(ms)).toThrow(RangeError)
})
