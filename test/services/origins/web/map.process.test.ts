/** Maps of sites: their sitemaps, their links, and what a hostile one may cost. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mapSite } from '../../../../services/origins/web/site/map.ts'
import { openWeb, type Web } from '../../../pipelines/rails/outside/fetching/web.ts'
import { ask } from '../ask.ts'
import { refusal } from '../refusal.ts'
import { closeTexts, openTexts } from './texts.ts'

let web: Web
beforeAll(async () => {
  web = await openWeb()
})
afterAll(closeTexts)

type SitePages = NonNullable<NonNullable<Parameters<typeof openTexts>[1]>['pages']>
const url = 'http://piers.sample/'
const words = 'The pier was built of oak and stands in the tide. '.repeat(12)
const text = { type: 'text/plain' }
const xml = { type: 'application/xml' }
const locs = (...urls: string[]) =>
  `<urlset>${urls.map(each => `<url><loc>${each}</loc></url>`).join('')}</urlset>`
const homeWith = (links: string, head = '') => ({
  body: `${head}<title>Piers</title><p>${words}</p>${links}`,
})
const mapped = async (pages: SitePages, question: object = {}) =>
  ask(mapSite, { url, ...question }, await openTexts(web, { pages }))
const refused = async (pages: SitePages, question: object = {}) =>
  refusal(mapSite, { url, ...question }, await openTexts(web, { pages }))
const pathsOf = ({ urls }: { urls: readonly { url: string }[] }) =>
  urls.map(each => each.url.replace(url, '/'))

describe('/map', () => {
  it('answers its example', async () => {
    const { request, response } = mapSite.example
    expect(await ask(mapSite, request, await openTexts(web))).toEqual(response)
  })

  it('shows each page once: of sitemaps in an index, packed ones, and links', async () => {
    const answer = await mapped({}, { url: 'http://isles.sample/' })
    expect(answer).toMatchObject({ site: 'isles.sample', count: 121, truncated: false, disallowed: 1 })
    expect(new Set(answer.urls.map(each => each.url)).size).toBe(121)
    expect(answer.urls[0]).toEqual({ url: 'http://isles.sample/', lastmod: null, from: 'page' })
  })

  it('leaves out other sites, files, marks of campaigns and further places of one page', async () => {
    const links = [
      '/a#top',
      '/a?utm_source=x',
      '/a/',
      'a',
      'http://www.piers.sample/a',
      '/b?page=2',
      '/c.png',
    ].concat(
      [
        'http://elsewhere.sample/',
        'mailto:a@b.c',
        'javascript:void 0',
        'http://u:p@piers.sample/d',
        'http://piers.sample:81/e',
      ],
      ['http://10.0.0.1/', 'http://[::1]/', 'data:text/html,x', '//piers.sample/f'],
    )
    const pages = { 'piers.sample/': homeWith(links.map(each => `<a href="${each}">x</a>`).join('')) }
    expect(pathsOf(await mapped(pages))).toEqual(['/', '/a', '/b?page=2', '/f'])
    expect(web.strays).toBe(0)
  })

  it('follows the base of the page, its redirects, and its wish that no link is followed', async () => {
    const based = { 'piers.sample/': homeWith('<a href="a">x</a>', '<base href="/deep/">') }
    expect(pathsOf(await mapped(based))).toEqual(['/', '/deep/a'])
    const moved = { 'old.piers.sample/': { status: 301, headers: { location: url }, body: '' }, ...based }
    expect(await mapped(moved, { url: 'http://old.piers.sample/' })).toMatchObject({ url, count: 2 })
    const head = '<meta name="robots" content="index, nofollow">'
    const closed = { 'piers.sample/': homeWith('<a href="a">x</a>', head) }
    expect(await refused(closed)).toMatchObject({ error: 'no_urls', status: 422 })
  })

  it('shows only what is under a path, and no more than the limit', async () => {
    const pages = {
      'piers.sample/': homeWith('<a href="/docs/a">a</a><a href="/docs/b">b</a><a href="/c">c</a>'),
    }
    expect(pathsOf(await mapped(pages, { under: '/docs/' }))).toEqual(['/docs/a', '/docs/b'])
    expect(await mapped(pages, { under: '/docs/', limit: 1 })).toMatchObject({ count: 1, truncated: true })
  })

  it('obeys the rules for all agents, and those for us in their place', async () => {
    const home = homeWith('<a href="/a">a</a><a href="/b">b</a>')
    const robots = (body: string) => ({ 'piers.sample/': home, 'piers.sample/robots.txt': { ...text, body } })
    expect(await mapped(robots('User-agent: *\nDisallow: /a'))).toMatchObject({ count: 2, disallowed: 1 })
    const own = 'User-agent: *\nDisallow: /\n\nUser-agent: Farebox\nDisallow: /b'
    expect(pathsOf(await mapped(robots(own)))).toEqual(['/', '/a'])
    expect(await refused(robots('User-agent: *\nDisallow: /'))).toMatchObject({ error: 'robots_disallowed' })
    const failing = { 'piers.sample/': home, 'piers.sample/robots.txt': { status: 503, body: '' } }
    expect(await refused(failing)).toMatchObject({ error: 'robots_disallowed' })
  })

  it('reads a list of plain lines, sections of CDATA and signs', async () => {
    const robots = {
      ...text,
      body: `Sitemap: ${url}list.txt\nSITEMAP: ${url}more.xml\nSitemap: ${url}gone.xml`,
    }
    const more = `<?xml version="1.0"?><urlset><url><loc><![CDATA[${url}b?x=1&y=[2]]]></loc></url><url><loc> ${url}c?x=1&amp;y=2 </loc><lastmod>2026-10-02T08:00:00+02:00</lastmod></url><url><image:loc>${url}d</image:loc></url></urlset>`
    const answer = await mapped({
      'piers.sample/': homeWith(''),
      'piers.sample/robots.txt': robots,
      'piers.sample/list.txt': { ...text, body: `${url}a\r\nnothing\r\n` },
      'piers.sample/more.xml': { ...xml, body: more },
    })
    expect(pathsOf(answer)).toEqual(['/', '/a', '/b?x=1&y=[2]', '/c?x=1&y=2'])
    expect(answer.urls.at(-1)?.lastmod).toBe('2026-10-02T08:00:00+02:00')
    expect(answer.sitemaps).toContainEqual({ url: `${url}gone.xml`, entries: 0, error: 'page_refused' })
  })

  it('is not filled by a bomb, an endless index, a circle or a private sitemap', async () => {
    const before = web.strays
    const bomb = { type: 'application/gzip', body: gzipSync(Buffer.alloc(60 << 20, ' ')) }
    const named = ['bomb.xml.gz', 'endless.xml', 'broken.xml.gz', 'good.xml', 'more.xml']
    const robots = named.map(each => `Sitemap: ${url}${each}`)
    const endless = Array.from({ length: 300 }, (_, i) => `<sitemap><loc>${url}s${i}.xml</loc></sitemap>`)
    const circle = `<sitemapindex><sitemap><loc>${url}endless.xml</loc></sitemap>${endless.join('')}</sitemapindex>`
    const answer = await mapped({
      'piers.sample/': homeWith('<a href="/a">a</a>'),
      'piers.sample/robots.txt': { ...text, body: [...robots, 'Sitemap: http://127.0.0.1/x'].join('\n') },
      'piers.sample/bomb.xml.gz': bomb,
      'piers.sample/broken.xml.gz': { type: 'application/gzip', body: Buffer.from('1f8b08000000', 'hex') },
      'piers.sample/endless.xml': { ...xml, body: circle },
      'piers.sample/good.xml': { ...xml, body: locs(`${url}a`) },
      'piers.sample/more.xml': { ...xml, body: locs(`${url}a`) },
    })
    expect(answer).toMatchObject({ count: 2, truncated: true })
    expect(answer.sitemaps).toHaveLength(10)
    expect(answer.sitemaps[0]).toEqual({ url: `${url}bomb.xml.gz`, entries: 0, error: 'page_too_large' })
    expect(answer.sitemaps).toContainEqual({ url: 'http://127.0.0.1/x', entries: 0, error: 'invalid_url' })
    expect(web.strays).toBe(before)
  })

  it('is free if more than half of the sitemaps fail, and sold if half do', async () => {
    const pages = (bombs: number): SitePages => ({
      'piers.sample/': homeWith('<a href="/a">a</a>'),
      'piers.sample/robots.txt': {
        ...text,
        body: ['good.xml', 'gone.xml', ...Array.from({ length: bombs }, (_, i) => `bomb${i}.xml.gz`)]
          .map(each => `Sitemap: ${url}${each}`)
          .join('\n'),
      },
      'piers.sample/good.xml': { ...xml, body: locs(`${url}b`) },
      ...Object.fromEntries(
        Array.from({ length: bombs }, (_, i) => [
          `piers.sample/bomb${i}.xml.gz`,
          { type: 'application/gzip', body: gzipSync(Buffer.alloc(60 << 20, ' ')) },
        ]),
      ),
    })
    expect(pathsOf(await mapped(pages(1)))).toEqual(['/', '/b', '/a'])
    expect(await refused(pages(2))).toMatchObject({
      ...{ status: 422, error: 'sitemaps_unreadable', charged: false },
      message: expect.stringContaining('2 of 3 sitemaps cannot be read: page_too_large'),
    })
  })

  it('of a huge site has a bounded size', async () => {
    const long = Array.from({ length: 20_000 }, (_, i) => `${url}${'x'.repeat(150)}${i}`)
    const pages = {
      'piers.sample/': homeWith(''),
      'piers.sample/sitemap.xml': { ...xml, body: locs(...long) },
    }
    const answer = await mapped(pages, { limit: 5_000 })
    expect(answer.truncated).toBe(true)
    expect(JSON.stringify(answer).length).toBeLessThan(700_000)
  })

  it('refuses for free what is no page of a site', async () => {
    expect(await refused({ 'piers.sample/': homeWith('') })).toMatchObject({ error: 'no_urls' })
    expect(await refused({}, { url: 'http://192.168.0.1/' })).toMatchObject({
      error: 'invalid_url',
      status: 400,
    })
    expect(await refused({ 'piers.sample/': { status: 404, body: '' } })).toMatchObject({
      error: 'page_refused',
    })
    const codes = { 500: 'page_fetch_failed', 403: 'blocked_by_site' } as const
    for (const [status, error] of Object.entries(codes))
      expect(
        await refused({
          'piers.sample/': {
            status: Number(status),
            headers: { 'cf-mitigated': status === '403' ? 'challenge' : '' },
            body: '',
          },
        }),
      ).toMatchObject({ error })
    const file = { 'piers.sample/': { type: 'application/pdf', body: '%PDF-1.4' } }
    expect(await refused(file)).toMatchObject({ error: 'not_a_page' })
    const large = { 'piers.sample/': { body: 'x'.repeat((8 << 20) + 1) } }
    expect(await refused(large)).toMatchObject({ error: 'page_too_large' })
    const round = { 'piers.sample/': { status: 302, headers: { location: '/' }, body: '' } }
    expect(await refused(round)).toMatchObject({ error: 'too_many_redirects' })
  })
})
