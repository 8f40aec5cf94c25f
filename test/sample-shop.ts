/** The sample shop, as the lookup of pages gives it: no server, no browser, and a clock that the test moves. */
import { NotReady } from '../pipelines/rails/failures.ts'
import type { FindPage, NoPage, Page, PageAsked } from '../pipelines/rails/outside/pages/page.ts'
import { sitePages } from '../services/sandbox/site/pages.ts'

export const start = Date.parse('2026-11-22T11:00:00Z')

/** The sample site, as the lookup of pages gives it. */
export class SampleShop {
  now = start
  asked: PageAsked[] = []
  browser: ((url: string) => string) | undefined
  gone: NoPage | undefined
  /** Pages that the shop has beside its own. */
  more: typeof sitePages = {}

  find: FindPage = async asked => {
    this.asked.push(asked)
    if (this.gone) return this.gone
    let url = new URL(asked.url)
    for (let page = this.at(url); page?.status === 301; page = this.at(url))
      url = new URL(page.headers?.location ?? '', url)
    const page = this.at(url)
    if (!page) return { refusal: 'page_refused', message: `${url.hostname} answers 404` }
    if (asked.render === 'always' && !this.browser) throw new NotReady('no browser')
    const html = asked.render === 'always' ? this.browser?.(url.href) : undefined
    return this.pageOf(asked, url.href, String(page.body), page.type ?? 'text/html', html)
  }

  at(url: URL) {
    return this.more[`${url.hostname}${url.pathname}`] ?? atSite(url)
  }

  pageOf(asked: PageAsked, finalUrl: string, body: string, contentType: string, html?: string): Page {
    return {
      url: asked.url,
      finalUrl,
      redirects: [],
      status: 200,
      headers: {},
      contentType,
      charset: 'utf-8',
      bytes: Buffer.from(body),
      rendered:
        html === undefined
          ? undefined
          : {
              title: '',
              text: '',
              marked: '',
              html,
              lang: null,
              picture: undefined,
              tls: null,
              browser: 'test',
              userAgent: 'test',
            },
      address: '127.0.0.1',
      port: 80,
      requestedAt: this.now,
      fetchedAt: this.now,
      cached: false,
      ageMs: 0,
    }
  }
}
export const atSite = ({ hostname, pathname }: URL) => sitePages[`${hostname}${pathname}`]
