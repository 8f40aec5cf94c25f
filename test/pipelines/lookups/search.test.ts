import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import { dayOf } from '../../../pipelines/lookups/search/day.ts'
import { type SearchAsked, type SearchChoice, searchLookup } from '../../../pipelines/lookups/search.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { recordedBody } from './search-upstream.ts'

const now = () => Date.parse('2026-11-22T12:00:00Z')

interface Seen {
  method: string | undefined
  url: string
  headers: IncomingHttpHeaders
  body: string
}

async function searching(search: SearchChoice | undefined, answer: { status?: number; body: string }) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    seen.push({ method, url, headers, body: await text(request) })
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const finder = await startLookups([searchLookup as Lookup], {
    needsOf: () => ({ search }),
    outside: createOutside({ at: { SEARCH_URL: `http://127.0.0.1:${port}` }, contact: 'test', now }),
    now,
  })
  onTestFinished(async () => {
    await finder.close()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return { seen, find: (asked: SearchAsked) => finder.find(searchLookup, asked) }
}

const asked = { query: 'when is high tide', num: 5, country: 'us' }

describe('a search', () => {
  it('by Serper sends the key in a header, and drops results that are not web pages', async () => {
    const { seen, find } = await searching(
      { api: 'serper', token: 'key-1' },
      { body: recordedBody('serper') },
    )
    expect(await find(asked)).toEqual({
      source: 'Google by way of Serper',
      answerBox: {
        title: 'Tides and water levels',
        answer: null,
        snippet: 'High tides occur 12 hours and 25 minutes apart.',
        url: 'https://tides.example.gov/education/frequency',
      },
      results: [
        expect.objectContaining({ position: 1, title: 'Tides and water levels', date: null }),
        expect.objectContaining({ position: 2, date: '2026-11-20' }),
        expect.objectContaining({
          position: 3,
          date: '2024-03-31',
          snippet: 'The Moon pulls the near side & the far side bulges.',
        }),
        { position: 4, title: 'Tide clock', url: 'https://shop.example.com/clock', snippet: '', date: null },
      ],
    })
    expect(seen).toMatchObject([{ method: 'POST', url: '/search', headers: { 'x-api-key': 'key-1' } }])
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ q: 'when is high tide', num: 5, gl: 'us' })
  })

  it('by Brave removes the marks from its snippets, and uses its infobox as the answer', async () => {
    const { seen, find } = await searching({ api: 'brave', token: 'key-2' }, { body: recordedBody('brave') })
    expect(await find(asked)).toEqual({
      source: 'Brave Search',
      answerBox: {
        title: 'Tide',
        answer: null,
        snippet: 'Tides are the rise and fall of sea levels caused by the Moon.',
        url: 'https://wiki.example.org/Tide',
      },
      results: [
        expect.objectContaining({
          snippet: 'High tides occur 12 hours and 25 minutes apart.',
          date: '2024-07-18',
        }),
        expect.objectContaining({ date: '2026-11-01' }),
      ],
    })
    expect(seen).toMatchObject([
      {
        method: 'GET',
        url: '/res/v1/web/search?q=when+is+high+tide&count=5&country=US',
        headers: { 'x-subscription-token': 'key-2' },
      },
    ])
  })

  it('by SearXNG sends the country with its language, and cuts to the requested number', async () => {
    const { seen, find } = await searching(
      { api: 'searxng', token: undefined },
      { body: recordedBody('searxng') },
    )
    const found = await find({ ...asked, num: 1, country: 'de' })
    expect(found?.results).toEqual([
      {
        position: 1,
        title: 'Tides and water levels',
        url: 'https://tides.example.gov/education/frequency',
        snippet: 'High tides occur 12 hours and 25 minutes apart.',
        date: '2024-07-18',
      },
    ])
    expect(found?.answerBox).toEqual({
      title: null,
      answer: 'Every 12 hours and 25 minutes.',
      snippet: null,
      url: 'https://tides.example.gov/faq',
    })
    expect(seen[0]?.url).toBe('/search?q=when+is+high+tide&format=json&language=de-DE')
    const all = await find(asked)
    expect(all?.results.map(({ url }) => url)).toHaveLength(2)
  })

  it('that finds nothing is an answer without results', async () => {
    const { find } = await searching(
      { api: 'serper', token: 'key' },
      { body: '{"searchParameters":{"q":"x","type":"search"},"organic":[],"credits":1}' },
    )
    expect(await find(asked)).toEqual({ source: 'Google by way of Serper', results: [], answerBox: null })
  })

  it('is not available if the operator has named no upstream', async () => {
    const { seen, find } = await searching(undefined, { body: '' })
    expect(await find(asked)).toBeUndefined()
    expect(seen).toEqual([])
  })

  it.each([
    ['refuses the key', 403, '{"message":"Unauthorized."}'],
    ['does not answer in JSON', 200, '<html>403 Forbidden</html>'],
    ['answers with JSON of another shape', 200, '{"results":null}'],
  ])('fails if its upstream %s, and the error has no word of the query', async (_what, status, body) => {
    for (const api of ['serper', 'brave', 'searxng'] as const) {
      const { find } = await searching({ api, token: 'key' }, { status, body })
      const error = await find(asked).then(
        () => expect.unreachable(),
        (reason: unknown) => reason,
      )
      expect(error).toMatchObject({ name: expect.stringMatching(/^Upstream/) })
      expect(String(error)).not.toMatch(/tide|key/)
    }
  })
})

test.each([
  ['2 days ago', '2026-11-20'],
  ['1 day ago', '2026-11-21'],
  ['an hour ago', '2026-11-22'],
  ['13 hours ago', '2026-11-21'],
  ['3 weeks ago', '2026-11-01'],
  ['9 months ago', '2026-02-22'],
  ['2 years ago', '2024-11-22'],
  ['yesterday', '2026-11-21'],
  ['Jan 5, 2023', '2023-01-05'],
  ['January 5, 2023', '2023-01-05'],
  ['5 Jan 2023', '2023-01-05'],
  ['2023-01-05T12:00:00', '2023-01-05'],
  ['Feb 30, 2023', null],
  ['last summer', null],
  ['', null],
  [undefined, null],
])('the day of %j is %j', (written, day) => {
  expect(dayOf(written, now())).toBe(day)
})
