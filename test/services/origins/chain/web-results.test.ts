import { expect, it } from 'vitest'
import { NotReady, UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { chainNames } from '../../../../schemas/tables/chains.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { webResults } from '../../../../services/origins/chain/web-results.ts'

const [chain] = chainNames
const token = '0x4200000000000000000000000000000000000006'
const named = { chain, token, name: 'Wrapped Ether', symbol: 'WETH' }
const found = { title: 'WETH', url: 'https://example.com/', snippet: 'a token', date: null }
const finding = (find: (asked: { query: string; num: number }) => unknown) =>
  (async (_: unknown, asked: never) => find(asked)) as unknown as Tools['find']

it('asks for the names of the token, and says who found what', async () => {
  const queries: string[] = []
  const find = finding(({ query }) => {
    queries.push(query)
    return { results: [{ position: 1, ...found }], answerBox: null, source: 'Example Search' }
  })
  expect(await webResults(named, find)).toEqual({
    web_results: [found],
    web_note: expect.stringMatching(/^found by Example Search for "Wrapped Ether WETH token Base"/),
  })
  await webResults({ ...named, name: null, symbol: null }, find)
  expect(queries).toEqual(['Wrapped Ether WETH token Base', token])
})

it('without a search, or while it fails, there are none, and the note says why', async () => {
  expect(
    await webResults(
      named,
      finding(() => undefined),
    ),
  ).toEqual({
    web_results: null,
    web_note: 'no web search is configured here',
  })
  const failing = finding(() => {
    throw new UpstreamFailed('search: 500')
  })
  expect(await webResults(named, failing)).toEqual({
    web_results: null,
    web_note: 'the web search does not answer',
  })
})

it('hides no failure of ours', async () => {
  const broken = finding(() => {
    throw new NotReady('no lookups')
  })
  await expect(webResults(named, broken)).rejects.toThrow('no lookups')
})
