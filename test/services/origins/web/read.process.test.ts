/** Everything that needs no browser: pages as their servers send them, and every refusal. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { webFetches } from '../../../../schemas/web-fetches.ts'
import { read } from '../../../../services/origins/web/read.ts'
import { failureOf } from '../../../../services/query/call-failures.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { openWeb, type Web } from '../../../pipelines/rails/outside/fetching/web.ts'
import { until } from '../../../until.ts'
import { ask } from '../ask.ts'
import { refusal } from '../refusal.ts'
import { openRig, type Rig, type RigOptions } from './rendering.ts'

const shelf = new Shelf(Date.now)
const html = { 'content-type': 'text/html; charset=utf-8' }
const url = 'http://shop.sample/page'

let web: Web
let rig: Rig
let now = Date.now()
const asking = () => ({ shelf, now: () => now, find: rig.find })
const serve = (body: string | Buffer, status = 200, headers: Record<string, string> = html) => {
  web.answer = (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end()
    else response.writeHead(status, headers).end(body)
  }
}

async function open(options: RigOptions = {}): Promise<void> {
  web = await openWeb()
  rig = await openRig(web, onTestFinished, { browser: 'none', now: () => now, ...options })
}

describe('/read of a static page', () => {
  beforeEach(() => open())

  it('answers its text, its title, its language and its hash', async () => {
    serve('<html lang="de"><title>Fähre</title><p>Die Fähre f&auml;hrt.<style>no</style><p>Jeden Tag.')
    expect(await ask(read, { url: `${url}#part` }, asking())).toEqual({
      url,
      final_url: url,
      status: 200,
      fetched_at: new Date(now).toISOString(),
      cached: false,
      cache_age_seconds: 0,
      title: 'Fähre',
      text: 'Die Fähre fährt.\n\nJeden Tag.',
      lang: 'de',
      format: 'visible',
      rendered: false,
      declared_paid: false,
      left_out: { frames: [], hidden_letters: 0 },
      truncated: false,
      text_sha256: '224df061918f1d8c7466c86c03bf911ecb1d6a9f317787e9d0ae176d140bfca2',
    })
  })

  it('cuts a long text, and splits no character', async () => {
    serve('<p>one two 😀 three')
    expect(await ask(read, { url, max_chars: 9 }, asking())).toMatchObject({
      text: 'one two ',
      truncated: true,
    })
  })

  it('reads plain text as it is, and any charset', async () => {
    serve(Buffer.from('cff0e8e2e5f2', 'hex'), 200, { 'content-type': 'text/plain; charset=windows-1251' })
    expect(await ask(read, { url }, asking())).toMatchObject({ text: 'Привет', title: '' })
  })

  it('answers from memory for as long as the caller allows', async () => {
    serve('<p>first')
    await ask(read, { url }, asking())
    serve('<p>second')
    now += 60_000
    expect(await ask(read, { url }, asking())).toMatchObject({
      text: 'first',
      cached: true,
      cache_age_seconds: 60,
    })
    expect(await ask(read, { url, max_age_seconds: 59 }, asking())).toMatchObject({
      text: 'second',
      cached: false,
    })
  })

  it('records how fetches went, without their pages', async () => {
    serve('<p>secret-page')
    await ask(read, { url: `${url}?token=secret` }, asking())
    const told: string[] = []
    const watching = await rig.log.watch(webFetches.topic, batch => {
      for (const { value } of batch) told.push(value ?? '')
    })
    await until(() => told.length === 1, 'one fetch')
    await watching.close()
    expect(JSON.parse(told[0] as string)).toMatchObject({ outcome: 'page', rendered: false, status: 200 })
    expect(told[0]).not.toMatch(/shop|secret/)
  })

  it.each([
    ['invalid_url', 'http://10.0.0.5/'],
    ['invalid_url', 'no URL'],
    ['page_fetch_failed', 'http://nowhere.sample/'],
  ])('is refused as %s: %s', async (code, asked) => {
    expect(await refusal(read, { url: asked }, asking())).toMatchObject({ error: code, charged: false })
    expect(web.strays).toBe(0)
  })

  it.each([
    ['page_refused', 401, {}],
    ['page_refused', 403, {}],
    ['page_refused', 404, {}],
    ['page_refused', 410, {}],
    ['page_refused', 429, { 'retry-after': '30' }],
    ['page_refused', 451, {}],
    ['page_fetch_failed', 500, {}],
    ['page_fetch_failed', 503, {}],
    ['blocked_by_site', 403, { 'cf-mitigated': 'challenge' }],
    ['not_a_page', 200, { 'content-type': 'application/pdf' }],
    ['not_a_page', 200, { 'content-type': 'image/png' }],
    ['empty_page', 200, {}],
  ])('is refused as %s if the site answers %i %o', async (code, status, headers) => {
    serve('', status, { ...html, ...headers })
    expect(await refusal(read, { url }, asking())).toMatchObject({ error: code, charged: false })
  })

  it('tells of a PDF who reads it, and of a wait for how long', async () => {
    serve('%PDF-1.7', 200, { 'content-type': 'application/pdf' })
    expect((await refusal(read, { url }, asking())).message).toContain('/pdf')
    serve('', 429, { 'retry-after': '30' })
    expect((await refusal(read, { url: `${url}/2` }, asking())).message).toContain('asks to wait: 30')
  })

  it('is refused as too_many_redirects after the fifth', async () => {
    web.answer = (request, response) => void response.writeHead(302, { location: `${request.url}x` }).end()
    expect(await refusal(read, { url }, asking())).toMatchObject({ error: 'too_many_redirects' })
  })

  it('is refused as page_too_large above 8 MB', async () => {
    serve(Buffer.alloc((8 << 20) + 1, 'a'))
    expect(await refusal(read, { url }, asking())).toMatchObject({ error: 'page_too_large' })
  })

  it('is refused as robots_disallowed if the site names us, and only there', async () => {
    const robots = (text: string) => {
      web.answer = (request, response) => response.end(request.url === '/robots.txt' ? text : '<p>a page')
    }
    robots('User-agent: *\nDisallow: /')
    expect(await ask(read, { url }, asking())).toMatchObject({ text: 'a page' })
    now += 25 * 60 * 60_000
    robots('User-agent: Farebox\nDisallow: /page\nAllow: /')
    expect(await refusal(read, { url }, asking())).toMatchObject({ error: 'robots_disallowed' })
    expect(await ask(read, { url: 'http://shop.sample/other' }, asking())).toMatchObject({ text: 'a page' })
  })
})

it('refuses for free, with a time to come back, if too many pages of one host are requested', async () => {
  await open({ turns: { atOnce: 1, pauseMs: 0, mostWaiting: 1 } })
  const held: (() => void)[] = []
  web.answer = (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end()
    else held.push(() => response.writeHead(200, html).end('<p>a page'))
  }
  const asked = [1, 2].map(n => ask(read, { url: `${url}/${n}` }, asking()))
  await until(() => held.length === 1, 'the first page to be asked for')
  const failure = await ask(read, { url: `${url}/3` }, asking()).catch(failureOf)
  expect(failure).toMatchObject({ status: 503, code: 'busy', charged: false })
  expect(failure).toHaveProperty('headers.retry-after')
  held.shift()?.()
  await until(() => held.length === 1, 'the second page to be asked for')
  held.shift()?.()
  expect(await Promise.all(asked)).toHaveLength(2)
})
