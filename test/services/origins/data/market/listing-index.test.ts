import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { stem, termsOf } from '../../../../../pipelines/domains/market/words.ts'
import { type ListingText, MarketIndex } from '../../../../../services/origins/data/market/listing-index.ts'
import { judge, judgedTasks, recordedMarket } from '../../../../bench/judging.ts'
import { testRecorded } from '../../../../samples.ts'

const text = (description: string, more: Partial<ListingText> = {}): ListingText => ({
  url: 'https://seller.dev/v1',
  name: null,
  tags: [],
  parameters: [],
  description,
  ...more,
})
const found = (texts: ListingText[], task: string) =>
  new MarketIndex(texts)
    .find(task)
    .sort((a, b) => b.relevance - a.relevance)
    .map(({ place }) => place)
const others = ['Weather of a city', 'Price of a token', 'Geocode an address'].map(each => text(each))

describe('the index', () => {
  test('finds a word in any form, and by its synonyms', () => {
    expect(termsOf('Filings')).toEqual(termsOf('filing'))
    expect(termsOf('scraping websites')).toEqual(termsOf('crawl a website'))
    expect(termsOf('getTokenPrice')).toEqual(termsOf('token prices'))
    expect(found([...others, text('SEC filings of a company')], 'EDGAR filing')).toEqual([3])
  })
  test('is not moved by a word that is repeated a hundred times', () => {
    const stuffed = text('weather '.repeat(100))
    const plain = text('Weather weather weather', { tags: ['weather'] })
    expect(found([stuffed, plain, ...others.slice(1)], 'weather')[0]).toBe(1)
  })
  test('reads tags and paths before descriptions', () => {
    const tagged = text('Something of any address', { tags: ['screenshot'] })
    const path = text('Something else of an address', { url: 'https://seller.dev/takeScreenshot' })
    expect(found([text('A screenshot of any address'), tagged, path, ...others], 'screenshot')).toEqual([
      1, 2, 0,
    ])
  })
  test('ignores addresses and ids', () => {
    const listed = text('A merchant', { url: `https://seller.dev/0x${'ab'.repeat(20)}/stats` })
    expect(found([listed, ...others], 'ababababababababababababababababababab')).toEqual([])
  })
  test('finds nothing if most of the task is unknown', () => {
    expect(found(others, 'weather zyx')).toEqual([0])
    expect(found(others, 'weather on the zyxian zwvonki')).toEqual([])
  })
  test.each([
    ['queries', 'query'],
    ['boxes', 'box'],
    ['prices', 'pric'],
    ['price', 'pric'],
    ['trending', 'trend'],
    ['status', 'status'],
  ])('%s is %s', (word, stemmed) => expect(stem(word)).toBe(stemmed))
})

test('the ranking knows no name of its own', () => {
  const ranking = globSync(
    '{pipelines/domains/market/{words,categories},services/origins/data/market/{listing-index,order}}.ts',
  )
  expect(ranking).toHaveLength(4)
  for (const file of ranking) expect(readFileSync(file, 'utf8')).not.toMatch(/farebox|tollkit/i)
})

testRecorded('on a recorded catalog no task with a known seller goes without an answer', ({ samples }) => {
  const { ndcg, empty, guessed } = judge(judgedTasks(), recordedMarket(samples))
  expect({ ndcg: ndcg >= 0.9, empty, guessed: guessed <= 1 }).toEqual({ ndcg: true, empty: 0, guessed: true })
})
