/** A page as a browser shows it, and a lookup that finds it or fails. */
import type { NoPage, Page, PageAsked } from '../../../../pipelines/rails/outside/pages/page.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { evidenceAt, picture } from '../../../pipelines/domains/attestation/an-attestation.ts'

export async function aPage(more: Partial<Page> = {}): Promise<Page> {
  const now = Date.now()
  const { certificates_base64, html_base64 } = await evidenceAt(now)
  return {
    url: 'http://shop.example/kettle',
    finalUrl: 'https://shop.example/kettle',
    redirects: [{ url: 'http://shop.example/kettle', status: 301 }],
    status: 200,
    headers: {},
    contentType: 'text/html',
    charset: undefined,
    bytes: Buffer.from(html_base64, 'base64'),
    rendered: {
      title: 'A kettle',
      text: 'A kettle  \r\nIt costs 20 €.',
      marked: '',
      html: '',
      lang: null,
      picture,
      tls: {
        protocol: 'TLS 1.3',
        cipher: 'AES_128_GCM',
        certificates: certificates_base64.map(each => Buffer.from(each, 'base64')),
      },
      browser: 'Chromium 153.0.8010.0',
      userAgent: 'Farebox',
    },
    address: '93.184.216.34',
    port: 443,
    requestedAt: now - 1200,
    fetchedAt: now,
    cached: false,
    ageMs: 0,
    ...more,
  }
}

export function finding(found: Page | NoPage): { find: Tools['find']; asked: PageAsked[] } {
  const asked: PageAsked[] = []
  const find = async (_: unknown, key: unknown) => {
    asked.push(key as PageAsked)
    return found as never
  }
  return { find, asked }
}
