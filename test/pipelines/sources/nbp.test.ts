import { describe, expect, test } from 'vitest'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { nbp } from '../../../pipelines/sources/nbp.ts'
import { fxBankRates } from '../../../schemas/fx-bank-rates.ts'
import { dayPlus } from '../../../schemas/tables/target-calendar.ts'
import { pollNbp, recorded } from './nbp-upstream.ts'

const now = '2026-04-13T16:30:00Z'

describe('a poll', () => {
  test('reads both tables, each within its check, with the digits as published', async () => {
    const { tables } = await pollNbp(now)
    expect(tables.map(({ series, day }) => `${series} ${day}`)).toEqual([
      ...recorded('A').map(({ effectiveDate }) => `A ${effectiveDate}`),
      ...recorded('B').map(({ effectiveDate }) => `B ${effectiveDate}`),
    ])
    for (const table of tables) expect(fxBankRates.event.safeParse(table).error).toBeUndefined()
    expect(tables.at(-1)?.rates).toMatchObject({ VND: '0.00013832', IRR: '0.0000024', KWD: '11.8724' })
  })

  test('reports an unknown field, and currencies that come and go', async () => {
    expect((await pollNbp(now)).drift).toEqual([])
    const cursor = { newest: { A: '2026-04-09', B: '2026-04-08' }, oldest: '2002-01-02' }
    const { drift } = await pollNbp(now, cursor, (tables, series) =>
      series === 'B'
        ? tables
        : tables.map((table, i) => ({
            ...table,
            official: true,
            rates:
              i === 0
                ? table.rates
                : table.rates.map(rate => ({ ...rate, code: rate.code.replace('USD', 'XYZ') })),
          })),
    )
    expect(drift).toEqual([
      { kind: 'unknown', what: 'official', sample: 'true' },
      { kind: 'set', what: 'currencies of table A', sample: '+XYZ -USD' },
    ])
  })

  test('leaves out worthless money', async () => {
    const { tables } = await pollNbp(now)
    expect(tables.at(-1)?.rates).not.toHaveProperty('ZWL')
  })

  test('leaves out a currency with two rates', async () => {
    const { tables } = await pollNbp(now, undefined, tables =>
      tables.map(table => ({ ...table, rates: [...table.rates, { code: 'EUR', currency: 'euro', mid: 9 }] })),
    )
    expect(tables[0]?.rates).not.toHaveProperty('EUR')
  })

  test('walks back through the history in steps that the bank allows, and ends with it', async () => {
    let { cursor, asked } = await pollNbp(now)
    expect(asked.slice(0, 4)).toEqual([
      'A 2026-01-13 2026-04-13',
      'B 2026-01-13 2026-04-13',
      'A 2025-10-15 2026-01-12',
      'B 2025-10-15 2026-01-12',
    ])
    for (const span of asked) {
      const [, start = '', end = ''] = span.split(' ')
      expect(dayPlus(start, 93) >= end, span).toBe(true)
    }
    const polls = [asked.length]
    while (cursor && cursor.oldest > '2002-01-02') {
      ;({ cursor, asked } = await pollNbp(now, cursor))
      polls.push(asked.length)
    }
    expect(cursor?.oldest).toBe('2002-01-02')
    expect(Math.max(...polls)).toBeLessThanOrEqual(26)
    expect((await pollNbp(now, cursor)).asked).toEqual(['A 2026-04-13 2026-04-13', 'B 2026-04-08 2026-04-13'])
  })

  test('returns only new tables', async () => {
    const cursor = { newest: { A: '2026-04-09', B: '2026-04-08' }, oldest: '2002-01-02' }
    const { tables, cursor: next } = await pollNbp(now, cursor)
    expect(tables.map(({ series, day }) => `${series} ${day}`)).toEqual(['A 2026-04-10', 'A 2026-04-13'])
    expect(next).toEqual({ newest: { A: '2026-04-13', B: '2026-04-08' }, oldest: '2002-01-02' })
    expect((await pollNbp(now, next)).tables).toEqual([])
  })

  test('reads the days of a pause of months again as history', async () => {
    const cursor = { newest: { A: '2025-06-03', B: '2025-05-28' }, oldest: '2002-01-02' }
    const { asked } = await pollNbp(now, cursor)
    expect(asked[0]).toBe('A 2026-01-13 2026-04-13')
    expect(asked[2]).toBe('A 2025-10-15 2026-01-12')
  })
})

describe('a table of another form fails', () => {
  const known = { newest: { A: '2026-04-09', B: '2026-04-08' }, oldest: '2002-01-02' }
  type Change = Parameters<typeof pollNbp>[2]
  const bodies: Record<string, Change> = {
    'a page': () => '<html/>',
    'one table and no list': ([table]) => table,
    'another table': tables => tables.map(table => ({ ...table, table: 'C' })),
    'table A in place of B': tables => tables.map(table => ({ ...table, table: 'A' })),
    'a rate that is text': tables =>
      tables.map(table => ({ ...table, rates: table.rates.map(rate => ({ ...rate, mid: `${rate.mid}` })) })),
    'a code of two letters': tables =>
      tables.map(table => ({ ...table, rates: [...table.rates, { currency: '', code: 'EU', mid: 1 }] })),
    'a day of tomorrow': tables => tables.map(table => ({ ...table, effectiveDate: '2026-04-14' })),
    'a day that was not asked for': tables =>
      tables.map(table => ({ ...table, effectiveDate: '2020-04-14' })),
    'a table that is cut off': tables => tables.map(table => ({ ...table, rates: table.rates.slice(0, 5) })),
    'the newest known day withdrawn': tables => tables.slice(1),
  }
  test.for(Object.entries(bodies))('%s', async ([, change]) => {
    await expect(pollNbp(now, known, change)).rejects.toThrow(UpstreamFailed)
  })
})

describe('a poll is due', () => {
  const cursor = { newest: { A: '2026-04-10', B: '2026-04-08' }, oldest: '2002-01-02' }
  const due = (at: string, known = cursor) => nbp.due?.(Date.parse(at), known)

  test('every five minutes while the table of the day is expected', () => {
    expect(due('2026-04-13T10:10:00Z')).toBe(true)
    expect(due('2026-04-13T10:10:00Z', { ...cursor, newest: { A: '2026-04-13', B: '2026-04-08' } })).toBe(
      false,
    )
  })
  test('otherwise every hour', () => {
    expect([due('2026-04-13T05:02:00Z'), due('2026-04-13T05:12:00Z')]).toEqual([true, false])
    expect(due('2026-04-12T10:10:00Z')).toBe(false)
  })
  test('while the history is incomplete', () =>
    expect(due('2026-04-12T05:12:00Z', { ...cursor, oldest: '2010-01-01' })).toBe(true))
})
