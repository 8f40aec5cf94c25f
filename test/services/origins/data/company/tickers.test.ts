import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { indexOf, normalised } from '../../../../../services/origins/data/company/tickers.ts'
import { testRecorded } from '../../../../samples.ts'

const row = ([ticker, cik]: readonly [string, number | null]) => ({
  ticker,
  cik,
  day: '2025-06-01',
  name: '',
  exchange: null,
})
const listed: [string, number | null][] = [
  ['AAPL', 320193],
  ['BRK-A', 1067983],
  ['BRK-B', 1067983],
  ['BAC', 70858],
  ['BAC-PK', 70858],
  ['BF-B', 14693],
  ['GRP-UN', 1415744],
  ['AB-C', 1],
  ['AB-D', 2],
  ['A-BC', 3],
  ['GONE', null],
  ['US', 4],
]
const index = indexOf(listed.map(row))

describe('a ticker', () => {
  it.each([
    ['AAPL', 320193],
    [' aapl ', 320193],
    ['$AAPL', 320193],
    ['NASDAQ:AAPL', 320193],
    ['NYSE: BRK.B', 1067983],
    ['AAPL.US', 320193],
    ['BRK.B', 1067983],
    ['BRK/B', 1067983],
    ['brk/b', 1067983],
    ['BRK B', 1067983],
    ['BRKB', 1067983],
    ['BFB', 14693],
    ['brk-b', 1067983],
    ['BRK', 1067983],
    ['BAC.PRK', 70858],
    ['BAC-PR-K', 70858],
    ['BAC^K', 70858],
    ['BAC PR K', 70858],
    ['BACPK', 70858],
  ])('%s is of %i', (asked, cik) => expect(index.cikOf(asked)).toBe(cik))

  it.each([
    ['AAPPL', 'nothing near it is taken for it'],
    ['GONE', 'it has left the list'],
    ['ABC', 'two companies could be meant by AB-C and A-BC'],
    ['AB', 'its classes are of two companies'],
    ['BRK-C', 'there is no such class'],
    ['', 'it is none'],
  ])('%s is unknown: %s', asked => expect(index.cikOf(asked)).toBeUndefined())

  it('is spelled one way', () => expect(normalised(' nyse:brk/b ')).toBe('BRK-B'))
})

describe('the list of 27 March 2026', () => {
  const read = (samples: string) => {
    const file = join(samples, 'c-sec/tickers/company_tickers-2026-03-27.json')
    const rows: { ticker: string; cik_str: number }[] = Object.values(JSON.parse(readFileSync(file, 'utf8')))
    const first = new Map<string, number>()
    for (const { ticker, cik_str } of rows) if (!first.has(ticker)) first.set(ticker, cik_str)
    return { first, whole: indexOf([...first].map(row)) }
  }

  testRecorded('answers to every ticker in it by its own spelling', ({ samples }) => {
    const { first, whole } = read(samples)
    expect(first.size).toBeGreaterThan(9000)
    expect([...first].filter(([ticker, cik]) => whole.cikOf(ticker) !== cik)).toEqual([])
  })

  testRecorded('answers to every class with a dot', ({ samples }) => {
    const { first, whole } = read(samples)
    const classes = [...first].filter(([ticker]) => ticker.includes('-'))
    expect(classes.length).toBeGreaterThan(100)
    expect(classes.filter(([ticker, cik]) => whole.cikOf(ticker.replaceAll('-', '.')) !== cik)).toEqual([])
  })

  testRecorded('knows Alphabet by both its classes, and Berkshire by its base', ({ samples }) => {
    const { whole } = read(samples)
    expect([whole.cikOf('GOOG'), whole.cikOf('GOOGL'), whole.cikOf('BRK')]).toEqual([
      1652044, 1652044, 1067983,
    ])
  })
})
