import { expect, it } from 'vitest'
import { datasets } from '../../../schemas/index.ts'
import { origins } from '../../../services/origins/index.ts'
import { lineagePages } from '../../../services/pages/lineage.ts'
import { lineageOf } from '../../../services/pages/lineage-lines.ts'
import { files, read } from '../../imports.ts'

const lines = await lineageOf(origins)
const of = (name: string) => {
  const line = lines.find(({ dataset }) => dataset.name === name)
  if (!line) throw new Error(`there is no line of ${name}`)
  return {
    sources: line.sources,
    lookups: line.lookups,
    views: Object.fromEntries(
      line.views.map(({ view, operations }) => [view.name, operations.map(({ path }) => path)]),
    ),
    operations: line.operations.map(({ path }) => path),
  }
}

it('lets other work have its turns meanwhile', async () => {
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await lineageOf(origins)
  clearImmediate(next)
  expect(turns).toBeGreaterThanOrEqual(datasets.length)
})

it('follows a fact from its source to the operations that sell it', () => {
  expect(of('fx_rates')).toEqual({
    sources: ['ecb'],
    lookups: [],
    views: {
      fx_daily: ['/fx', '/fx/batch', '/fx/history', '/watch/subscribe'],
      ...{ countries: [], currencies: [] },
    },
    operations: [],
  })
  expect(of('sec_tickers').sources).toEqual(['sec_tickers'])
  expect(of('sec_facts').sources).toContain('sec_facts')
  expect(of('airport_events')).toMatchObject({
    sources: ['faa'],
    views: { airport_now: ['/airport/status', '/watch/subscribe'] },
  })
})

it('follows the facts that a lookup keeps', () => {
  expect(of('geocodes')).toMatchObject({
    lookups: ['geocode'],
    operations: expect.arrayContaining(['/geocode']),
  })
})

const exported = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const code = files.filter(file => !file.startsWith('schemas/')).map(read)

it('knows the origin of every dataset, but for one that no code speaks of', () => {
  expect(lines.map(({ dataset }) => dataset)).toEqual(datasets)
  const lost = lines.filter(({ sources, lookups, rooms }) => [...sources, ...lookups, ...rooms].length === 0)
  const spoken = lost.filter(({ dataset }) =>
    code.some(text => new RegExp(`\\b${exported(dataset.name)}\\b`).test(text)),
  )
  expect(spoken.map(({ dataset }) => dataset.name)).toEqual([])
})

it('knows a fact behind every operation of public data, but for those that read files', () => {
  const read = new Set(
    lines.flatMap(({ views, operations }) => [...views.flatMap(view => view.operations), ...operations]),
  )
  const all = origins.filter(({ name }) => name === 'data').flatMap(({ operations }) => operations)
  expect(all.filter(operation => !read.has(operation)).map(({ path }) => path)).toEqual(['/ip', '/ip/batch'])
})

it('shows it all on a page', async () => {
  const open = origins.map(origin => ({ ...origin, url: 'https://farebox.example' }))
  const asked = { accept: 'text/html', path: '/lineage', query: {}, origins: open }
  const [page] = lineagePages('ops@farebox.example')
  const body = String((await page?.answer(asked))?.body)
  const idOf = (name: string) => new RegExp(`data-node="(\\d+)" data-name="${name}"`).exec(body)?.[1]
  const ways = ['ecb', 'fx.rates', 'fx_rates', 'fx_daily', '/fx'].map(idOf)
  for (const [i, to] of ways.slice(1).entries())
    expect(body).toContain(`data-from="${ways[i]}" data-to="${to}"`)
  for (const { name, topic } of datasets) {
    expect(body).toContain(`data-name="${topic.name}"`)
    expect(body).toContain(`<code>${topic.name}</code>`)
    if (name === 'fx_rates')
      expect(body).toMatch(
        /source <code>ecb<\/code>.*<code>fx_rates<\/code>.*<code>fx_daily<\/code>.*\/docs\/fx"/,
      )
  }
})
