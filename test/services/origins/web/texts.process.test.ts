import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '../../../../services/offer/operation.ts'
import { pdf } from '../../../../services/origins/web/pdf.ts'
import { read } from '../../../../services/origins/web/read.ts'
import { search } from '../../../../services/origins/web/search/search.ts'
import { searchRead } from '../../../../services/origins/web/search/search-read.ts'
import { summarize } from '../../../../services/origins/web/summary/summarize.ts'
import { webBrief } from '../../../../services/origins/web/summary/web-brief.ts'
import { failureOf } from '../../../../services/query/call-failures.ts'
import { pdfOf } from '../../../pipelines/domains/document/pdf-file.ts'
import { openWeb, type Web } from '../../../pipelines/rails/outside/fetching/web.ts'
import { ask } from '../ask.ts'
import { refusal } from '../refusal.ts'
import { closeTexts, openTexts } from './texts.ts'

let web: Web
beforeAll(async () => {
  web = await openWeb()
})
afterAll(closeTexts)

/** Sites that refuse us: one by a challenge, one by its robots.txt. */
const closed = {
  'walled.sample/a.pdf': { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: 'Just a moment' },
  'kept-out.sample/robots.txt': { type: 'text/plain', body: 'User-agent: Farebox\nDisallow: /' },
  'kept-out.sample/a.pdf': { body: '<p>One</p>' },
}
const news = 'http://news.sample/night-ferry'
const codeOf = async (refused: Promise<{ status: number; error: string }>) => {
  const { status, error } = await refused
  return [status, error]
}

it.each([
  ['/summarize', summarize],
  ['/web/brief', webBrief],
  ['/pdf', pdf],
  ['/search', search],
  ['/search/read', searchRead],
] as const)('the example of %s is true', async (_path, operation) => {
  const asking = await openTexts(web, { search: 'sample' })
  const { example, response } = operation as unknown as Endpoint<z.ZodType, z.ZodObject>
  const answer = await ask(operation as unknown as Endpoint, example.request, asking)
  expect(answer).toEqual(z.strictObject(response.shape).parse(example.response))
})

/** It declares that its text is sold, and shows a paragraph of it. */
const teaser = `<title>Walls</title><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script><p>${'The wall of the harbour was built in 1911, and here it is told at length. '.repeat(5)}`

describe('/read', () => {
  it('in main shows the content without what surrounds it', async () => {
    const { text, title, lang, format } = await ask(read, { url: news, format: 'main' }, await openTexts(web))
    expect({ title, lang, format }).toEqual({
      title: 'Night ferry returns to the northern islands',
      lang: 'en',
      format: 'main',
    })
    expect(text).toContain('After eleven years without a night crossing')
    expect(text).not.toMatch(/Timetable|Harbour Gazette|Nothing on it is real/)
  })

  it('in markdown shows headings, tables and code', async () => {
    const url = 'http://docs.sample/configuration'
    const { text } = await ask(read, { url, format: 'markdown' }, await openTexts(web))
    expect(text).toContain('## Keys')
    expect(text).toContain('| `listen` | `127.0.0.1:7070` | the address that it listens on |')
    expect(text).toContain('```\nlisten = "0.0.0.0:7070"')
    expect(text).toContain('1. Change the file.\n2. Send the process a `SIGHUP`.')
  })

  it('in main shows plain text as it is', async () => {
    const pages = { 'files.sample/a.txt': { type: 'text/plain', body: 'One\n<b>two</b>\n' } }
    const answer = await ask(
      read,
      { url: 'http://files.sample/a.txt', format: 'main' },
      await openTexts(web, { pages }),
    )
    expect(answer.text).toBe('One\n<b>two</b>')
  })

  it('refuses a page without text, and one that is too intricate', async () => {
    const pages = { 'files.sample/empty': { body: '<title>Nothing</title><img src=a.png>' } }
    const empty = { url: 'http://files.sample/empty', format: 'main' }
    expect(await codeOf(refusal(read, empty, await openTexts(web, { pages })))).toEqual([422, 'empty_page'])
    for (const format of ['visible', 'main', 'markdown']) {
      const paid = { url: 'http://files.sample/paid', format }
      const sold = { 'files.sample/paid': { body: teaser } }
      expect(await codeOf(refusal(read, paid, await openTexts(web, { pages: sold })))).toEqual([
        422,
        'behind_paywall',
      ])
    }
    const hurried = await openTexts(web, { reading: { deadlineMs: 0 } })
    expect(await codeOf(refusal(read, { url: news, format: 'main' }, hurried))).toEqual([
      422,
      'page_too_large',
    ])
  })
})

describe('a page', () => {
  it('that sells its text and shows it all the same is sold, and the answer says so', async () => {
    const pages = { 'files.sample/paid': { body: teaser + 'It is told here at length. '.repeat(50) } }
    for (const format of ['visible', 'main', 'markdown']) {
      const asked = { url: 'http://files.sample/paid', format }
      expect(await ask(read, asked, await openTexts(web, { pages }))).toMatchObject({ declared_paid: true })
    }
  })

  it('has its shadow trees and documents in attributes, and names the frames that are left out', async () => {
    const body =
      '<x-a><template shadowrootmode=open><p>The wall stands here.</template></x-a><iframe srcdoc="<p>It is high."></iframe><iframe src="/tides"></iframe>'
    const pages = { 'files.sample/trees': { body } }
    for (const format of ['visible', 'main']) {
      const asked = { url: 'http://files.sample/trees', format }
      expect(await ask(read, asked, await openTexts(web, { pages }))).toMatchObject({
        text: 'The wall stands here.\n\nIt is high.',
        left_out: { frames: ['http://files.sample/tides'], hidden_letters: 0 },
      })
    }
  })

  it('that is a feed has all its entries', async () => {
    const entry = (title: string, text: string) =>
      `<item><title>${title}</title><link>http://files.sample/${text.length}</link><description>${text}</description></item>`
    const body = `<?xml version="1.0"?><rss version="2.0"><channel><title>News of Esker</title>${entry('The wall falls', 'It fell on Friday at noon.')}${entry('The wall stands again', 'Up.')}</channel></rss>`
    const pages = { 'files.sample/feed': { body, headers: { 'content-type': 'application/rss+xml' } } }
    for (const format of ['visible', 'main', 'markdown']) {
      const asked = { url: 'http://files.sample/feed', format }
      const { title, text } = await ask(read, asked, await openTexts(web, { pages }))
      expect(title).toBe('News of Esker')
      expect(text).toMatch(/The wall falls.*It fell on Friday at noon\..*The wall stands again.*Up\./s)
    }
  })

  it('of markdown keeps its lines', async () => {
    const body = '# Walls\n\n- stone\n- steel\n'
    const pages = { 'files.sample/a.md': { body, headers: { 'content-type': 'text/markdown' } } }
    const asked = { url: 'http://files.sample/a.md', format: 'markdown' }
    expect((await ask(read, asked, await openTexts(web, { pages }))).text).toBe(body.trim())
  })

  it('that only sends its reader elsewhere is followed, and no circle of them', async () => {
    const moving = (to: string) => ({ body: `<meta http-equiv="refresh" content="0; url=${to}">Moving` })
    const pages = {
      'files.sample/old': moving('/new'),
      'files.sample/new': { body: '<title>New</title><p>The wall stands here now.' },
      'files.sample/round': moving('/about'),
      'files.sample/about': moving('/round'),
    }
    const asking = await openTexts(web, { pages })
    expect(await ask(read, { url: 'http://files.sample/old' }, asking)).toMatchObject({
      final_url: 'http://files.sample/new',
      text: 'The wall stands here now.',
    })
    expect(await codeOf(refusal(read, { url: 'http://files.sample/round' }, asking))).toEqual([
      422,
      'too_many_redirects',
    ])
  })
})

describe('/summarize', () => {
  it('keeps to the number of words, and to the sentences of the text', async () => {
    const { text } = summarize.example.request
    const answer = await ask(summarize, { text, max_words: 25 }, await openTexts(web))
    expect(answer).toMatchObject({ method: 'extractive', model: null })
    expect(answer.words).toBeLessThanOrEqual(25)
    expect(text).toContain(answer.summary.split('. ')[0])
  })

  it('has nothing to do for a short text', async () => {
    expect(await refusal(summarize, { text: 'Short enough.' }, await openTexts(web))).toMatchObject({
      status: 422,
      error: 'nothing_to_summarize',
      message: expect.stringContaining(
        'The text has 2 words, no more than its summary may have (max_words: 100)',
      ),
    })
  })

  it('is refused free where no sentence says by itself what it tells of', async () => {
    const text = 'However, he told her of it. They did that again, too. I do not know why. '.repeat(9)
    expect(await refusal(summarize, { text }, await openTexts(web))).toMatchObject({
      ...{ status: 422, error: 'no_summary' },
      message: expect.stringContaining('max_words: 100'),
    })
  })

  it('takes 100,000 letters of any script', async () => {
    const text = '港は三月に閉まる。'.repeat(12_000).slice(0, 100_000)
    const { words } = await ask(summarize, { text, max_words: 10 }, await openTexts(web))
    expect(words).toBeLessThanOrEqual(10)
  })
})

describe('/web/brief', () => {
  it.each([
    ['invalid_url', 400, 'http://127.0.0.1/'],
    ['page_refused', 422, 'http://news.sample/gone'],
    ['page_fetch_failed', 502, 'http://news.sample/failing'],
    ['too_many_redirects', 422, 'http://news.sample/circle'],
    ['not_a_page', 422, 'http://files.sample/timetable.pdf'],
    ['empty_page', 422, 'http://files.sample/empty'],
    ['blocked_by_site', 422, 'http://walled.sample/a.pdf'],
    ['robots_disallowed', 422, 'http://kept-out.sample/a.pdf'],
    ['nothing_to_summarize', 422, 'http://files.sample/short'],
    ['no_summary', 422, 'http://files.sample/hanging'],
    ['behind_paywall', 422, 'http://files.sample/paid'],
  ])('refuses by %s', async (code, status, url) => {
    const pages = {
      ...closed,
      'files.sample/empty': { body: '<title>Nothing</title>' },
      'files.sample/paid': { body: teaser },
      'files.sample/short': { body: `<title>Short</title><p>${'One sentence of it. '.repeat(10)}` },
      'files.sample/hanging': {
        body: `<title>Her</title><p>${'However, he told her of it all. '.repeat(40)}`,
      },
      'news.sample/failing': { status: 503, body: '' },
      'news.sample/circle': { status: 302, headers: { location: '/circle' }, body: '' },
    }
    expect(await codeOf(refusal(webBrief, { url }, await openTexts(web, { pages })))).toEqual([status, code])
  })
})

describe('/pdf', () => {
  const file = (body: Buffer) => ({ 'files.sample/a.pdf': { type: 'application/pdf', body } })
  const url = 'http://files.sample/a.pdf'
  const lines = ['A page with some text on it.']

  it('reads a range of pages', async () => {
    const pages = file(pdfOf({ title: 'Three', pages: [lines, ['Page two.'], lines] }))
    const answer = await ask(pdf, { url, first_page: 2, last_page: 2 }, await openTexts(web, { pages }))
    expect(answer).toMatchObject({ title: 'Three', page_count: 3, pages: [{ page: 2, text: 'Page two.' }] })
  })

  it('refuses more text than its caller takes, and names the pages that fit', async () => {
    const long = Array(40).fill('A line of text that is of some length.')
    const pages = file(pdfOf({ pages: [long, long, long] }))
    const asking = await openTexts(web, { pages })
    expect(await refusal(pdf, { url, max_bytes: 4_000 }, asking)).toMatchObject({
      ...{ status: 422, error: 'too_much_text' },
      message: expect.stringContaining('ask for pages 1 to 2 first'),
    })
    expect((await ask(pdf, { url, last_page: 2, max_bytes: 4_000 }, asking)).pages).toHaveLength(2)
  })

  it.each([
    ['not_a_pdf', 422, {}, 'http://news.sample/night-ferry', undefined],
    ['page_refused', 422, {}, 'http://files.sample/gone.pdf', undefined],
    ['scanned_pdf', 422, {}, 'http://files.sample/scan.pdf', undefined],
    ['blocked_by_site', 422, {}, 'http://walled.sample/a.pdf', undefined],
    ['robots_disallowed', 422, {}, 'http://kept-out.sample/a.pdf', undefined],
    ['pdf_encrypted', 422, {}, url, pdfOf({ pages: [lines], locked: true })],
    ['pdf_broken', 422, {}, url, Buffer.from('%PDF-1.7\nnothing else')],
    ['page_out_of_range', 400, { first_page: 3 }, url, pdfOf({ pages: [lines] })],
    ['page_out_of_range', 400, { first_page: 3, last_page: 2 }, url, pdfOf({ pages: [lines] })],
    ['too_much_text', 422, {}, url, pdfOf({ pages: [lines, Array(9_000).fill('x'.repeat(100))] })],
    ['pdf_too_large', 422, {}, url, Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(26 << 20)])],
  ])('refuses by %s', async (code, status, range, asked, body) => {
    const asking = await openTexts(web, { pages: body ? file(body) : closed })
    expect(await codeOf(refusal(pdf, { url: asked, ...range }, asking))).toEqual([status, code])
  })

  it('that takes too long is called too large', async () => {
    const asking = await openTexts(web, { reading: { deadlineMs: 0 } })
    const asked = { url: 'http://files.sample/timetable.pdf' }
    expect(await codeOf(refusal(pdf, asked, asking))).toEqual([422, 'pdf_too_large'])
  })
})

describe('/search', () => {
  it('gives no more results than were asked for', async () => {
    const asking = await openTexts(web, { search: 'sample' })
    const { results } = await ask(search, { query: 'the islands and a ferry', num: 1 }, asking)
    expect(results.map(({ url }) => url)).toEqual([news])
  })

  it.each([
    ['/search', search],
    ['/search/read', searchRead],
  ] as const)('%s without a result is refused by no_results', async (_path, operation) => {
    const asking = await openTexts(web, { search: 'nothing' })
    expect(await codeOf(refusal(operation as never, { query: 'zeppelin' }, asking))).toEqual([
      422,
      'no_results',
    ])
  })

  it.each([
    ['/search', search],
    ['/search/read', searchRead],
  ] as const)('%s is 503 not_configured without an upstream', async (_path, operation) => {
    const failed = ask(operation as never, { query: 'ferry' }, await openTexts(web)).catch(failureOf)
    expect(await failed).toMatchObject({ status: 503, code: 'not_configured' })
  })
})

describe('/search/read', () => {
  it('says of each page why it could not be read', async () => {
    const asking = await openTexts(web, { search: 'sample' })
    const { results, pages } = await ask(searchRead, { query: 'the ferry of the islands', num: 2 }, asking)
    expect(results.length).toBeGreaterThanOrEqual(2)
    expect(pages).toEqual([
      expect.objectContaining({
        url: news,
        text: expect.stringContaining('After eleven years'),
        error: null,
      }),
      expect.objectContaining({
        url: 'http://files.sample/timetable.pdf',
        text: null,
        truncated: false,
        error: 'not_a_page',
      }),
    ])
  })

  it('is refused by pages_unreadable where more than half cannot be read', async () => {
    const pages = { 'news.sample/night-ferry': { status: 403, body: 'no' } }
    const asking = await openTexts(web, { search: 'sample', pages })
    expect(await refusal(searchRead, { query: 'ferry islands tidepool', num: 3 }, asking)).toMatchObject({
      error: 'pages_unreadable',
      message: expect.stringMatching(/^2 of the first 3 pages could not be read: page_refused, not_a_page/),
    })
  })

  it('is refused by pages_unreadable where none can be read', async () => {
    const pages = { 'news.sample/night-ferry': { status: 403, body: 'no' } }
    const asking = await openTexts(web, { search: 'sample', pages })
    expect(await refusal(searchRead, { query: 'northern islands', num: 1 }, asking)).toMatchObject({
      status: 502,
      error: 'pages_unreadable',
      message: expect.stringContaining('page_refused'),
    })
  })

  it('cuts what is too long for one answer', async () => {
    const pages = {
      'news.sample/night-ferry': {
        body: `<article>${`<p>${'A long text. '.repeat(1_000)}</p>`.repeat(40)}</article>`,
      },
    }
    const asking = await openTexts(web, { search: 'sample', pages })
    const { pages: all } = await ask(searchRead, { query: 'northern islands', num: 1 }, asking)
    expect(all[0]?.truncated).toBe(true)
    expect(Buffer.byteLength(all[0]?.text ?? '')).toBeLessThanOrEqual(250_000)
    const { pages: short } = await ask(
      searchRead,
      { query: 'northern islands', num: 1, max_chars: 300 },
      asking,
    )
    expect(short[0]).toMatchObject({
      truncated: true,
      text: expect.stringMatching(/^(A long text. ?){20,25}/),
    })
    expect(short[0]?.text?.length).toBeLessThanOrEqual(300)
  })
})
