import { expect, it } from 'vitest'
import { origins } from '../../../services/origins/index.ts'
import { behindOf } from '../../../services/pages/behind.ts'
import { docsPage, withBehind } from '../../../services/query/catalog/docs-page.ts'
import { offeredBy } from '../../../services/query/catalog/offered.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { polled } from '../origins/ask.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const open = origins.map(origin => ({ ...origin, url: '' }))
const told = { contact: '', paidOn: '', requestsAMinute: 1, mcpUrl: '' }
const offered = (path: string) => {
  const found = offeredBy(open).find(each => each.path === path)
  if (!found) throw new Error(path)
  return found
}

it('names the sources of an operation, how fresh they are, and the views that it reads', async () => {
  const shelf = new Shelf(() => now)
  polled(shelf, 'ecb', now - 60_000)
  const behind = behindOf({ now: () => now, shelf } as never)
  const { sources, views } = await behind(offered('/fx'), open)
  expect(sources.find(({ name }) => name === 'ecb')).toMatchObject({
    isGood: true,
    lastGood: '60 s ago',
    promise: '3 h',
  })
  expect(sources.find(({ name }) => name === 'nbp')).toMatchObject({ isGood: false, lastGood: 'never' })
  const daily = views.find(({ name }) => name === 'fx_daily')
  expect(daily?.sql).toBe('select * from fx_daily limit 10')
  expect(daily?.columns.map(([name]) => name)).toContain('currency')
  for (const [name, about] of daily?.columns ?? []) expect([name, about]).not.toContain('')
  const [status] = (await behind(offered('/airport/status'), open)).views
  expect(status?.sql).toMatch(/^select \* from airport_now/)
  expect(status?.columns).not.toEqual([])
  expect(await behind(offered('/summarize'), open)).toEqual({ sources: [], views: [] })
})

it('tells the last polls of its sources, as the store has them, and does without the store', async () => {
  const poll = {
    source: 'ecb',
    moment: '2026-11-20 11:59:00.123',
    outcome: 'failed',
    took_ms: 1250,
    error: '<b>503',
  }
  const asked: string[] = []
  const query = async (sql: string) => {
    asked.push(sql)
    return [poll, { ...poll, source: 'another' }]
  }
  const opened = (store: object) => behindOf({ now: () => now, shelf: new Shelf(() => now), store } as never)
  const behind = await opened({ query })(offered('/fx'), open)
  expect(behind.sources.find(({ name }) => name === 'ecb')?.polls).toEqual([
    { at: '2026-11-20 11:59:00', outcome: 'failed', tookMs: 1250, error: '<b>503' },
  ])
  const page = withBehind(docsPage(offered('/fx'), told), behind)
  expect(page).toContain('The last polls <small>1</small>')
  expect(page).toContain('1,250 ms</td>')
  expect(page).toContain('&lt;b&gt;503')
  const away = { query: () => Promise.reject(new Error('away')) }
  expect((await opened(away)(offered('/fx'), open)).sources.flatMap(({ polls }) => polls)).toEqual([])
  expect(asked).toHaveLength(1)
})
