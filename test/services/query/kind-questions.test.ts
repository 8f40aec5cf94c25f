/** Questions as people and models write them: what can mean one thing only is read as it, and nothing else is. */
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { airportStatus } from '../../../services/origins/data/airport/airport-status.ts'
import { fx } from '../../../services/origins/data/fx/fx.ts'
import { fxBatch } from '../../../services/origins/data/fx/fx-batch.ts'
import { geocode } from '../../../services/origins/data/geocode/geocode.ts'
import { geocodeReverse } from '../../../services/origins/data/geocode/geocode-reverse.ts'
import { weather } from '../../../services/origins/data/weather/weather.ts'
import { search } from '../../../services/origins/web/search/search.ts'
import { questionOf } from '../../../services/query/answers.ts'

describe('A number as text', () => {
  it('is read where only a number is wanted, also within a batch', () => {
    expect(questionOf(geocodeReverse, { lat: '38.9', lon: '-77' })).toEqual({ lat: 38.9, lon: -77 })
    expect(questionOf(weather, { lat: '0', lon: '0.5', periods: '3' })).toMatchObject({
      ...{ lat: 0, lon: 0.5, periods: 3 },
    })
    const items = [{ from: 'usd', to: 'JPY', amount: '100' }]
    expect(questionOf(fxBatch, { items })).toEqual({ items: [{ from: 'USD', to: 'JPY', amount: 100 }] })
    // The question of the caller is left as it came: its hash is in the receipt.
    expect(items).toEqual([{ from: 'usd', to: 'JPY', amount: '100' }])
  })

  it.each([
    '1,000',
    '1e3',
    ' 1',
    '1 ',
    '+1',
    '01',
    '.5',
    '5.',
    '0x10',
    'NaN',
    'Infinity',
    '',
    '١',
    '1'.repeat(16),
  ])('%j is refused, because it may mean another number', amount => {
    const asked = () => questionOf(fx, { from: 'USD', to: 'JPY', amount })
    expect(asked).toThrow('amount: it should be a number, and is a text')
  })

  it('keeps the bounds of the number', () => {
    expect(() => questionOf(geocodeReverse, { lat: '91', lon: '0' })).toThrow('lat: it should be at most 90')
    expect(() => questionOf(weather, { lat: '1', lon: '2', periods: '1.5' })).toThrow('periods')
  })

  it('is no text where a text is wanted, nor the other way round', () => {
    expect(() => questionOf(geocode, { address: 5 })).toThrow('address: it should be a text, and is a number')
    expect(() => questionOf(geocodeReverse, { lat: ['1'], lon: { valueOf: '2' } })).toThrow('lat')
    expect(() => questionOf(geocodeReverse, null)).toThrow('The body should be an object')
  })
})

describe('A code', () => {
  it.each([
    [fx, { from: ' usd ', to: 'JPY\n', date: ' 2026-11-20' }, { from: 'USD', to: 'JPY', date: '2026-11-20' }],
    [airportStatus, { airport: ' kjfk ' }, { airport: 'KJFK' }],
    [search, { query: 'tides', country: 'US ' }, { country: 'us' }],
  ] as const)('%# is read without the white space around it', (operation, asked, read) => {
    expect(questionOf<z.ZodType>(operation, asked)).toMatchObject(read)
  })

  it.each(['US$', 'U SD', 'US D', '$', 'dollars'])('%j is refused, because it may mean another one', from => {
    expect(() => questionOf(fx, { from, to: 'JPY' })).toThrow('from: it should be three letters')
  })
})

describe('What is wrong', () => {
  it.each([
    [() => questionOf(search, { query: '  ' }), 'query: it should be a text to search for, and it is empty'],
    [() => questionOf(fx, { from: 'US', to: 'JPY' }), 'from: it should be three letters'],
    [
      () => questionOf(fx, { from: 'USD', to: 'JPY', date: 'May' }),
      'date: it should be a date as YYYY-MM-DD',
    ],
    [() => questionOf(weather, { lat: 1 }), 'Send both lat and lon, or neither'],
  ])('is a sentence: %#', (asked, told) => {
    expect(asked).toThrow(told)
  })
})
