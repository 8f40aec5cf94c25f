import { describe, expect, test } from 'vitest'
import { clockEnd, closureTimes, durationMinutes, updateTime } from '../../../pipelines/sources/faa/times.ts'

const iso = (at: number | undefined) =>
  at === undefined ? undefined : new Date(at).toISOString().slice(0, 16)
const at = (text: string) => Date.parse(`${text}Z`)

test.for([
  ['Thu Sep 24 00:01:24 2026 GMT', '2026-09-24T00:01:24.000Z'],
  ['Thu Oct 1 01:33:39 2026 GMT', '2026-10-01T01:33:39.000Z'],
])('Update_Time %s', ([text, expected]) =>
  expect(new Date(updateTime(text as string) as number).toISOString()).toBe(expected),
)

test.for(['', 'yesterday', 'Thu Feb 31 01:33:39 2026 GMT', 'Thu Foo 1 01:33:39 2026 GMT'])(
  'no Update_Time: %s',
  text => expect(updateTime(text)).toBeUndefined(),
)

describe('the end of a ground stop', () => {
  const updated = at('2026-07-05T20:08')
  test.for([
    ['5:00 pm EDT', '2026-07-05T21:00'],
    ['5:00 pm EST', '2026-07-05T22:00'],
    ['5:00 pm CDT', '2026-07-05T22:00'],
    ['5:00 pm CST', '2026-07-05T23:00'],
    ['5:00 pm MDT', '2026-07-05T23:00'],
    ['5:00 pm MST', '2026-07-06T00:00'],
    ['5:00 pm PDT', '2026-07-06T00:00'],
    ['5:00 pm PST', '2026-07-06T01:00'],
    ['5:00 pm AKDT', '2026-07-06T01:00'],
    ['5:00 pm AKST', '2026-07-06T02:00'],
    ['5:00 pm HST', '2026-07-06T03:00'],
    ['5:00 pm AST', '2026-07-05T21:00'],
    ['8:15 pm EDT.', '2026-07-06T00:15'],
    ['7 PM EDT', '2026-07-05T23:00'],
    ['12:30 am EDT', '2026-07-06T04:30'],
    ['12:30 pm EDT', '2026-07-05T16:30'],
  ])('%s', ([text, expected]) => expect(iso(clockEnd(text as string, updated))).toBe(expected))

  test('after midnight UTC the day is still that of the zone', () =>
    expect(iso(clockEnd('11:00 pm EDT', at('2026-07-06T02:30')))).toBe('2026-07-06T03:00'))

  test('in the small hours means tomorrow, seen in the evening', () =>
    expect(iso(clockEnd('1:00 am EDT', at('2026-07-06T02:30')))).toBe('2026-07-06T05:00'))

  test.for(['4:00 pm', '25:00 pm EDT', 'until further notice', '4:00 pm XYZ', ''])(
    'has no time: "%s"',
    text => expect(clockEnd(text, updated)).toBeUndefined(),
  )
})

describe('a closure without a NOTAM group', () => {
  const times = (start: string, reopen: string, updated: string) => {
    const { startAt, endAt } = closureTimes(start, reopen, at(updated))
    return [iso(startAt), iso(endAt)]
  }
  test.for([
    [
      'the year of now',
      'Sep 18 at 19:28 UTC.',
      'Sep 24 at 02:00 UTC.',
      '2026-09-20T00:00',
      '2026-09-18T19:28',
      '2026-09-24T02:00',
    ],
    [
      'over New Year',
      'Dec 30 at 19:28 UTC.',
      'Jan 02 at 02:00 UTC.',
      '2027-01-01T00:00',
      '2026-12-30T19:28',
      '2027-01-02T02:00',
    ],
    [
      'begun last year',
      'Nov 30 at 19:28 UTC.',
      'Nov 20 at 02:00 UTC.',
      '2026-09-20T00:00',
      '2025-11-30T19:28',
      '2026-11-20T02:00',
    ],
    [
      'over since an hour',
      'Sep 18 at 19:28 UTC.',
      'Sep 19 at 23:00 UTC.',
      '2026-09-20T00:00',
      '2026-09-18T19:28',
      '2026-09-19T23:00',
    ],
    [
      'ahead',
      'Sep 22 at 19:28 UTC.',
      'Sep 24 at 02:00 UTC.',
      '2026-09-20T00:00',
      '2026-09-22T19:28',
      '2026-09-24T02:00',
    ],
    [
      'ahead, over New Year',
      'Dec 30 at 19:28 UTC.',
      'Jan 02 at 02:00 UTC.',
      '2026-12-20T00:00',
      '2026-12-30T19:28',
      '2027-01-02T02:00',
    ],
    [
      'on a leap day',
      'Feb 29 at 00:00 UTC.',
      'Mar 01 at 00:00 UTC.',
      '2028-02-29T12:00',
      '2028-02-29T00:00',
      '2028-03-01T00:00',
    ],
    [
      'by the clock',
      '9:00 am PDT',
      '5:00 pm PDT',
      '2026-07-05T20:00',
      '2026-07-05T16:00',
      '2026-07-06T00:00',
    ],
    ['empty', '', '', '2026-07-05T20:00', undefined, undefined],
  ] as const)('%s', ([, start, reopen, updated, from, to]) =>
    expect(times(start, reopen, updated)).toEqual([from, to]),
  )
})

test.for([
  ['16 minutes', 16],
  ['1 hour', 60],
  ['2 hours', 120],
  ['1 hour and 15 minutes', 75],
  ['2 hours and 7 minutes', 127],
  ['0 minutes', 0],
] as const)('%s', ([text, minutes]) => expect(durationMinutes(text)).toBe(minutes))
