import { describe, expect, it } from 'vitest'
import type { NoPage, Page } from '../../../pipelines/rails/outside/pages/page.ts'
import { Failure } from '../../../services/offer/errors.ts'
import type { Endpoint, Tools } from '../../../services/offer/operation.ts'
import { extractProduct } from '../../../services/origins/extract/product/extract.ts'
import { read } from '../../../services/origins/web/read.ts'
import { answerOf } from '../../../services/query/answers.ts'
import { FailedRenderings } from '../../../services/query/failed-renderings.ts'

const failed: NoPage = { refusal: 'page_fetch_failed', message: 'late', rendered: true }
const unrendered: NoPage = { refusal: 'page_refused', message: 'a.sample answers 404' }
const page = {
  finalUrl: 'http://a.sample/',
  contentType: 'text/plain',
  fetchedAt: 0,
  ageMs: 0,
  bytes: Buffer.from('x'),
  // The result of reading the page.
  ...{ title: '', lang: null, text: 'x' },
}

function shop() {
  const at = { now: 0 }
  const renderings = new FailedRenderings(() => at.now)
  const asking = (operation: Endpoint) => (found: object, payer: string, caller: string) => {
    const tools = { find: async () => found, now: () => at.now } as unknown as Tools
    const question = operation.request.parse({ url: 'http://a.sample/' })
    return answerOf(operation, question, { tools, renderings: renderings.of(payer, caller) }).then(
      () => 'answered',
      error => (error instanceof Failure ? `${error.status} ${error.headers['retry-after']}` : error.code),
    )
  }
  const ask: (found: NoPage | Partial<Page>, payer: string, caller: string) => Promise<string> = asking(read)
  const extract = asking(extractProduct as unknown as Endpoint)
  return { at, ask, extract }
}

describe('pages that are rendered for nothing', () => {
  it('are refused after twenty, to the payer and to the caller, for ten minutes', async () => {
    const { at, ask } = shop()
    for (let n = 0; n < 20; n++) expect(await ask(failed, 'payer', 'caller')).toBe('page_fetch_failed')
    expect(await ask(failed, 'payer', 'caller')).toBe('429 600')
    expect(await ask(page, 'payer', 'another caller')).toBe('429 600')
    expect(await ask(page, 'another payer', 'caller')).toBe('429 600')
    expect(await ask(page, 'another payer', 'another caller')).toBe('answered')
    at.now = 10 * 60_000 + 1
    expect(await ask(page, 'payer', 'caller')).toBe('answered')
  })

  it('are no pages that needed no browser, and none that were answered', async () => {
    const { ask } = shop()
    for (let n = 0; n < 30; n++) {
      expect(await ask(unrendered, 'payer', 'caller')).toBe('page_refused')
      expect(
        await ask({ ...page, rendered: { text: 'x' } } as unknown as Partial<Page>, 'payer', 'caller'),
      ).toBe('answered')
    }
  })

  it('count, too, if the page was there and had no text', async () => {
    const { ask } = shop()
    for (let n = 0; n < 20; n++)
      expect(
        await ask(
          { ...page, text: '', rendered: { text: '' } } as unknown as Partial<Page>,
          'payer',
          'caller',
        ),
      ).toBe('empty_page')
    expect(await ask(page, 'payer', 'caller')).toMatch(/^429/)
  })

  it('count for products as well: a lookup says which ones were costly', async () => {
    const { ask, extract } = shop()
    const nothing = { refusal: 'not_a_product', message: 'The page shows no product' }
    const seen = { url: 'http://a.sample/', finalUrl: 'http://a.sample/', fetchedAt: 0, nothing }
    for (let n = 0; n < 30; n++)
      expect(await extract({ ...seen, rendered: false }, 'payer', 'caller')).toBe('not_a_product')
    for (let n = 0; n < 20; n++)
      expect(await extract({ ...seen, rendered: true }, 'payer', 'caller')).toBe('not_a_product')
    expect(await extract(seen, 'payer', 'caller')).toMatch(/^429/)
    expect(await ask(page, 'payer', 'caller')).toMatch(/^429/)
  })
})
