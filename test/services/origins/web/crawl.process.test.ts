/** Crawls: what is refused before anybody pays, and what a paid one brings, also through kills of its process. */
import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openReading } from '../../../../pipelines/domains/document/reader.ts'
import { openDesk } from '../../../../pipelines/domains/watch/desk.ts'
import { Seal } from '../../../../pipelines/domains/watch/seal.ts'
import { bodyIn } from '../../../../pipelines/domains/watch/sealed.ts'
import { linksLookup, mainLookup, sitemapLookup } from '../../../../pipelines/lookups/document.ts'
import type { Lookup } from '../../../../pipelines/lookups/lookup.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { settlements } from '../../../../schemas/settlements.ts'
import { crawlLastsMs, crawlOrders, type SiteCrawl, siteCrawls } from '../../../../schemas/site-crawls.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { watchSubscriptions } from '../../../../schemas/watch-subscriptions.ts'
import { webhookEvents } from '../../../../schemas/webhooks.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { crawlSite, crawlSmall } from '../../../../services/origins/web/site/crawl.ts'
import { crawlResult } from '../../../../services/origins/web/site/crawl-result.ts'
import { crawlStatus } from '../../../../services/origins/web/site/crawl-status.ts'
import { crawling, startCrawling } from '../../../../services/origins/web/site/crawler.ts'
import { failureOf } from '../../../../services/query/call-failures.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { sitePages } from '../../../../services/sandbox/site/pages.ts'
import { openTopics, rowsOf, write } from '../../../pipelines/rails/outbox/topics.ts'
import { openWeb, publicAddress } from '../../../pipelines/rails/outside/fetching/web.ts'
import { until } from '../../../until.ts'
import { type Asking, ask, askText } from '../ask.ts'
import { refusal } from '../refusal.ts'
import { openRig, type Rig } from './rendering.ts'

const web = await openWeb()
const seal = new Seal([`0x${'42'.repeat(32)}`])
const reading = openReading()
const origin = 'https://web.farebox.example'
const isles = 'http://isles.sample/'
const site = 'http://piers.sample/'
const start = Date.parse('2026-11-22T12:00:00.000Z')
const webhookUrl = 'http://hooks.sample/x'

let now: number
let log: Log
let shelf: Shelf
let rig: Rig
let visited: string[]
let pages: Record<string, (typeof sitePages)[string] | ((n: number) => (typeof sitePages)[string])>
let hookStatus: number

beforeEach(async () => {
  now = start
  hookStatus = 204
  visited = []
  pages = {}
  log = await openTopics(undefined, [crawlOrders, siteCrawls])
  shelf = await Shelf.open(log, [siteCrawls], () => now)
  onTestFinished(() => shelf.close())
  for (const name of ['isles.sample', 'piers.sample', 'hooks.sample', 'wharf.sample', 'closed.sample'])
    web.names.set(name, [[publicAddress]])
  web.answer = (request, response) => {
    const name = `${request.headers.host}${request.url}`
    if (name.startsWith('hooks.sample')) {
      text(request).then(() => response.writeHead(hookStatus).end())
      return
    }
    visited.push(name)
    const page = pages[name] ?? sitePages[name]
    const found = typeof page === 'function' ? page(visited.filter(each => each === name).length) : page
    const { status = 200, type = 'text/html', headers, body } = found ?? { status: 404, body: 'none' }
    response.writeHead(status, { 'content-type': type, ...headers }).end(body)
  }
  rig = await openRig(web, onTestFinished, {
    browser: 'none',
    besides: { lookups: [mainLookup, linksLookup, sitemapLookup] as Lookup[], needs: { reading } },
  })
})

const desk = () =>
  openDesk({ log, visits: web.fetch(), watch: { seal, origin }, nodes: new Map(), now: () => now })
const asking = (more: Partial<Asking> = {}): Asking => ({
  ...{ shelf, now: () => now, find: rig.find, watching: desk() },
  crawling: { blobs: rig.blobs, origin, hasHooks: true },
  ...more,
})
const tools = (): Tools =>
  ({ now: () => now, find: rig.find, view: (view, asked) => shelf.view(view, asked) }) as Tools
const refused = (question: object, more: Partial<Asking> = {}) =>
  refusal(crawlSmall, { url: site, ...question }, asking(more))

/** Pays: the settlement of the answer is in the log. */
async function bought(
  question: object,
  operation = crawlSmall,
): Promise<{ crawl_id: string; [name: string]: unknown }> {
  const json = await askText(operation, { url: site, ...question }, asking())
  await settle(json, operation.id)
  return JSON.parse(json)
}
const settle = (json: string, operation: string, state: 'settled' | 'failed' = 'settled', payer = '0x1') =>
  write(log, settlements, {
    ...{
      spend_id: createHash('sha256').update(json).digest('hex'),
      state,
      at: instant(now),
      request_id: 'r',
    },
    ...{
      origin: 'web',
      operation,
      network: 'base',
      amount_usdc: '0.03',
      payer,
      pay_to: '0x2',
      payment_tx: '0x3',
    },
    ...{ payment_position: null, question_sha256: '0'.repeat(64), resolved: false, reason: null },
    answer_sha256: createHash('sha256').update(json).digest('hex'),
  } as never)

async function crawler() {
  const failed: unknown[] = []
  const more = { log, seal, origin, blobs: rig.blobs, tools: tools(), now: () => now }
  const running = await startCrawling({ ...more, onFailed: error => failed.push(error) })
  let isClosed = false
  const close = async () => {
    if (!isClosed) await running.close()
    isClosed = true
  }
  onTestFinished(async () => {
    await close()
    expect(failed).toEqual([])
  })
  return { close }
}

const statusOf = (crawl_id: string) => ask(crawlStatus, { crawl_id }, asking())
const newest = async (): Promise<SiteCrawl | undefined> => (await rowsOf(log, siteCrawls)).at(-1)
const done = (crawl_id: string, ms = 120_000) =>
  until(
    async () =>
      shelf.view(siteCrawls.views[0] as never, undefined).get(crawl_id) !== undefined &&
      (await statusOf(crawl_id)).state === 'done',
    'the crawl to be done',
    ms,
  )
async function resultAt(link: string) {
  const { body } = await crawlResult.answer(
    { accept: '', path: '', origins: [], query: Object.fromEntries(new URL(link).searchParams) },
    { ...tools(), use: part => (part.name === 'crawls' ? asking().crawling : desk()) as never },
  )
  const lines = String(body)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, string>)
  return { body: Buffer.from(body), lines }
}

const words = 'The pier was built of oak and stands in the tide. '.repeat(12)
const page = (name: string, links: string[] = []) => ({
  body: `<title>${name}</title><h1>${name}</h1><p>${name}: ${words}</p>${links.map(each => `<a href="${each}">x</a>`).join('')}`,
})

describe('/crawl', () => {
  it('waits for its payment, and then brings a hundred pages', async () => {
    const json = await askText(crawlSite, { url: isles }, asking())
    const answer = JSON.parse(json) as { crawl_id: string }
    expect(answer).toMatchObject({ pages_asked: 100, pages_known: 121, secret: null, url: isles })
    expect(await refusal(crawlStatus, answer && { crawl_id: answer.crawl_id }, asking())).toMatchObject({
      error: 'unknown_crawl',
      status: 422,
    })
    await crawler()
    await settle('another answer', crawlSite.id)
    await settle(json, crawlSite.id, 'failed')
    expect(await rowsOf(log, siteCrawls)).toEqual([])
    await settle(json, crawlSite.id)
    await done(answer.crawl_id)
    const status = await statusOf(answer.crawl_id)
    expect(status).toMatchObject({
      pages_read: 100,
      pages_failed: 0,
      ended_because: 'all_read',
      pages_known: 122,
    })
    const { lines, body } = await resultAt(status.result?.url ?? '')
    expect(lines).toHaveLength(100)
    expect(new Set(lines.map(({ url }) => url)).size).toBe(100)
    expect(lines[1]).toMatchObject({ title: 'Isle 1 - Isles Sample', status: 200, rendered: false })
    expect(lines[1]?.markdown).toContain('## How to get there')
    expect(status.result).toMatchObject({
      bytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
    })
    expect(visited).not.toContain('isles.sample/office/ledger')
  })

  it('answers its example', async () => {
    const { crawl_id, status_url, ...rest } = await ask(crawlSite, crawlSite.example.request, asking())
    const {
      crawl_id: _,
      status_url: __,
      ...shown
    } = crawlSite.example.response as typeof rest & { crawl_id: string; status_url: string }
    expect(rest).toEqual(shown)
    expect(status_url).toBe(`${origin}/crawl/status?crawl_id=${crawl_id}`)
  })

  it('refuses for free what it could not bring', async () => {
    pages = { 'piers.sample/': page('Home'), 'wharf.sample/': { body: '<img src="a.png">' } }
    expect(await refused({})).toMatchObject({
      error: 'fewer_pages',
      message: expect.stringContaining('shows 1 of its pages: /read'),
    })
    expect(await refusal(crawlSite, { url: isles, under: '/isles/11' }, asking())).toMatchObject({
      error: 'fewer_pages',
      message: expect.stringContaining('/crawl/small'),
    })
    expect(await refused({ url: 'http://10.0.0.1/' })).toMatchObject({ error: 'invalid_url' })
    expect(await refused({ url: 'http://wharf.sample/', accept_fewer: true })).toMatchObject({
      error: 'empty_page',
    })
    expect(await refused({ webhookUrl: 'http://127.0.0.1/' })).toMatchObject({ error: 'invalid_webhook' })
    expect(await refused({ webhookUrl, webhookSecret: 'x' })).toMatchObject({ error: 'invalid_webhook' })
    expect(await refused({ webhookSecret: 'x' })).toMatchObject({ error: 'invalid_webhook' })
    hookStatus = 500
    expect(await refused({ url: isles, webhookUrl })).toMatchObject({ error: 'webhook_unreachable' })
    const paid =
      '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>'
    pages['wharf.sample/paid'] = { body: `${paid}${page('Paid', ['/a']).body}` }
    expect(await refused({ url: 'http://wharf.sample/paid' })).toMatchObject({ error: 'behind_paywall' })
    pages['closed.sample/'] = page('Closed', ['/a'])
    pages['closed.sample/robots.txt'] = { type: 'text/plain', body: 'User-agent: *\nDisallow: /' }
    expect(await refused({ url: 'http://closed.sample/' })).toMatchObject({ error: 'robots_disallowed' })
    const codes = { 404: 'page_refused', 500: 'page_fetch_failed' } as const
    for (const [status, error] of Object.entries(codes)) {
      pages[`wharf.sample/${status}`] = { status: Number(status), body: '' }
      expect(await refused({ url: `http://wharf.sample/${status}` })).toMatchObject({ error })
    }
    pages['wharf.sample/walled'] = { status: 403, headers: { 'cf-mitigated': 'challenge' }, body: '' }
    expect(await refused({ url: 'http://wharf.sample/walled' })).toMatchObject({ error: 'blocked_by_site' })
    pages['wharf.sample/file'] = { type: 'application/pdf', body: '%PDF-1.4' }
    expect(await refused({ url: 'http://wharf.sample/file' })).toMatchObject({ error: 'not_a_page' })
    pages['wharf.sample/large'] = { body: 'x'.repeat((8 << 20) + 1) }
    expect(await refused({ url: 'http://wharf.sample/large' })).toMatchObject({ error: 'page_too_large' })
    pages['wharf.sample/round'] = { status: 302, headers: { location: '/round' }, body: '' }
    expect(await refused({ url: 'http://wharf.sample/round' })).toMatchObject({ error: 'too_many_redirects' })
    expect(await rowsOf(log, crawlOrders)).toEqual([])
    expect(web.strays).toBe(0)
  })

  it('is not sold without a key, without webhooks where one is asked for, or while too many wait', async () => {
    const codeOf = (question: object, more: Partial<Asking>) =>
      ask(crawlSmall, { url: isles, ...question }, asking(more)).catch(error => failureOf(error).code)
    expect(await codeOf({}, { watching: undefined })).toBe('not_configured')
    const hookless = { blobs: rig.blobs, origin, hasHooks: false }
    expect(await codeOf({ webhookUrl }, { crawling: hookless })).toBe('not_configured')
    await ask(crawlSmall, { url: isles }, asking())
    const [order] = await rowsOf(log, crawlOrders)
    const many = Array.from({ length: 200 }, (_, i) => ({
      ...(order?.crawl as SiteCrawl),
      crawl_id: `crawl_${String(i).padStart(32, '0')}`,
    }))
    await write(log, siteCrawls, ...many)
    await until(() => shelf.view(siteCrawls.views[0] as never, undefined).size === 200)
    expect(await codeOf({}, {})).toBe('busy')
  })
})

describe('a crawl that was paid for', () => {
  it('goes on after its process was stopped, and reads no page twice into its result', async () => {
    const links = Array.from({ length: 19 }, (_, i) => `/p${i}`)
    pages = { 'piers.sample/': page('Home', links) }
    for (const link of links) pages[`piers.sample${link}`] = page(`Pier ${link}`)
    const { crawl_id } = await bought({})
    for (let stops = 0; stops < 3; stops++) {
      const first = await crawler()
      const before = visited.length
      await until(() => visited.length > before + 2)
      await first.close()
    }
    await crawler()
    await done(crawl_id)
    const { lines } = await resultAt((await statusOf(crawl_id)).result?.url ?? '')
    expect(lines.map(({ title }) => title).sort()).toEqual(
      ['Home', ...links.map(each => `Pier ${each}`)].sort(),
    )
    expect(await rowsOf(log, siteCrawls)).toContainEqual(expect.objectContaining({ state: 'running' }))
    // A settlement that comes again after a crash begins nothing.
    await write(log, settlements, ...(await rowsOf(log, settlements)))
    expect(shelf.view(siteCrawls.views[0] as never, undefined).size).toBe(1)
  })

  it('tells what failed and why it ended, and its webhook', async () => {
    pages = {
      'piers.sample/': page('Home', ['/a', '/gone', '/away', '/inside', '/twice', '/closed', '/late']),
      'piers.sample/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /closed' },
      'piers.sample/a': page('A'),
      'piers.sample/twice': page('A'),
      'piers.sample/away': { status: 302, headers: { location: 'http://wharf.sample/' }, body: '' },
      'wharf.sample/': page('Wharf'),
      'piers.sample/inside': { status: 302, headers: { location: 'http://169.254.169.254/' }, body: '' },
      'piers.sample/late': (n: number) => (n < 2 ? { status: 503, body: '' } : page('Late')),
    }
    const answer = await bought({ webhookUrl })
    expect(answer.secret).toMatch(/^whsec_/)
    await crawler()
    await done(answer.crawl_id)
    const status = await statusOf(answer.crawl_id)
    expect(status).toMatchObject({
      ended_because: 'no_more_pages',
      pages_read: 3,
      pages_failed: 4,
      duplicates: 1,
    })
    const { lines } = await resultAt(status.result?.url ?? '')
    const told = Object.fromEntries(
      lines.map(({ url = '', error, title = '' }) => [url.replace(site, '/'), error ?? title]),
    )
    expect(told).toEqual({
      ...{ '/': 'Home', '/a': 'A', '/late': 'Late' },
      ...{
        '/gone': 'page_refused',
        '/away': 'leaves_site',
        '/inside': 'invalid_url',
        '/closed': 'robots_disallowed',
      },
    })
    const [event] = await rowsOf(log, webhookEvents)
    expect(JSON.parse(bodyIn(event as never, seal))).toMatchObject({
      type: 'crawl.done',
      data: { crawl_id: answer.crawl_id, pages_read: 3, result: status.result },
    })
    expect(await rowsOf(log, watchSubscriptions)).toMatchObject([{ what: 'crawl', webhook_url: webhookUrl }])
    expect(web.strays).toBe(0)
  })

  it('ends, however endless its site is', async () => {
    // A calendar: each page links to further ones, and each day has a question of its own.
    web.answer = ({ url = '' }, response) => {
      visited.push(url)
      if (/robots|sitemap/.test(url)) return response.writeHead(404).end()
      const n = Number(/\d+$/.exec(url)?.[0] ?? 0)
      const links = Array.from({ length: 60 }, (_, i) => `/day?d=${n * 60 + i + 1}`)
      response.writeHead(200, { 'content-type': 'text/html' }).end(page(`Day ${n}`, links).body)
    }
    const { crawl_id } = await bought({})
    await crawler()
    await done(crawl_id)
    const { pages_read, pages_known } = await statusOf(crawl_id)
    expect(pages_read).toBe(20)
    expect(pages_known).toBeLessThanOrEqual(26)
  })

  it('ends when its site fails', async () => {
    const links = Array.from({ length: 40 }, (_, i) => `/p${i}`)
    pages = { 'piers.sample/': page('Home', links) }
    const { crawl_id } = await bought({})
    await crawler()
    await done(crawl_id)
    expect(await statusOf(crawl_id)).toMatchObject({
      ended_because: 'site_fails',
      pages_read: 1,
      pages_failed: 20,
    })
  })

  it('has a link that only we can sign, for a week', async () => {
    pages = { 'piers.sample/': page('Home', ['/a']), 'piers.sample/a': page('A') }
    const { crawl_id } = await bought({})
    await crawler()
    await done(crawl_id)
    const link = (await statusOf(crawl_id)).result?.url ?? ''
    expect((await resultAt(link)).lines).toHaveLength(2)
    const failed = (url: string) => resultAt(url).catch(error => failureOf(error).code)
    expect(await failed(link.replace(/signature=./, 'signature=_'))).toBe('not_found')
    expect(await failed(link.replace('until=2026', 'until=2027'))).toBe('not_found')
    expect(await failed(link.replace(crawl_id, `crawl_${'0'.repeat(32)}`))).toBe('not_found')
    now += crawlLastsMs
    expect(await failed(link)).toBe('not_found')
    await crawler()
    await until(
      async () =>
        (await newest()) === undefined || shelf.view(siteCrawls.views[0] as never, undefined).size === 0,
    )
  })

  it('leaves places to other payers', async () => {
    const names = Array.from({ length: 7 }, (_, n) => `quay${n}.sample`)
    for (const name of names) web.names.set(name, [[publicAddress]])
    await ask(crawlSmall, { url: isles }, asking())
    const [order] = await rowsOf(log, crawlOrders)
    if (!order) throw new Error('nothing was ordered')
    const held: (() => void)[] = []
    web.answer = (_, response) => {
      held.push(() => response.writeHead(404).end())
    }
    await crawler()
    for (const [n, name] of names.entries()) {
      const crawl = {
        ...order.crawl,
        crawl_id: `crawl_${String(n).padStart(32, '0')}`,
        url: `http://${name}/`,
      }
      const json = `order ${n}`
      const answer_sha256 = createHash('sha256').update(json).digest('hex')
      await write(log, crawlOrders, { ...order, crawl, crawl_id: crawl.crawl_id, answer_sha256 })
      await settle(json, crawlSmall.id, 'settled', n < 6 ? 'the first' : 'another')
    }
    const view = () => shelf.view(siteCrawls.views[0] as never, undefined)
    await until(() => view().size === 7)
    // Each has asked for the page where it begins.
    await until(() => held.length === 5)
    expect(([...view().rows()] as SiteCrawl[]).map(({ payer }) => payer)).toContain('another')
    for (const release of held.splice(0)) release()
    web.answer = (_, response) => response.writeHead(404).end()
    for (let n = 0; n < 7; n++) await done(`crawl_${String(n).padStart(32, '0')}`)
  })

  it('belongs to the role that sells', () => {
    expect(crawling.role).toBe('query')
  })
})
