import { expect, it } from 'vitest'
import { listingLookup } from '../../../pipelines/lookups/listing.ts'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { kestrel, startEdgar } from '../sources/sec/sec-upstream.ts'

const path = '/files/company_tickers_exchange.json'

it('has the current list, fetched once in ten minutes however many callers ask', async () => {
  let at = Date.parse('2026-11-21T12:00:00Z')
  const edgar = await startEdgar({ now: () => at })
  const { find } = listingLookup.open({})
  const [list, again] = await Promise.all([
    find(undefined, edgar.outside()),
    find(undefined, edgar.outside()),
  ])
  expect(list?.map(({ cik }) => cik)).toContain(kestrel)
  at += 599_000
  expect([again, await find(undefined, edgar.outside())]).toEqual([list, list])
  expect(edgar.paths()).toEqual([path])
  at += 1_000
  await find(undefined, edgar.outside())
  expect(edgar.paths()).toEqual([path, path])
})

it('is tried again by the next caller after a failure', async () => {
  const edgar = await startEdgar()
  const list = edgar.says[path] ?? ''
  edgar.says[path] = { status: 500 }
  const { find } = listingLookup.open({})
  await expect(find(undefined, edgar.outside())).rejects.toBeInstanceOf(UpstreamFailed)
  edgar.says[path] = list
  expect((await find(undefined, edgar.outside()))?.length).toBeGreaterThan(0)
})
