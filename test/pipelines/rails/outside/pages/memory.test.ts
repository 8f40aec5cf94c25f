import { describe, expect, it } from 'vitest'
import type { Fresh } from '../../../../../pipelines/rails/outside/browser/render.ts'
import { PageMemory, type PageSeen } from '../../../../../pipelines/rails/outside/pages/memory.ts'
import type { PageAsked } from '../../../../../pipelines/rails/outside/pages/page.ts'

const page = (url: string, more: Partial<Fresh> = {}): Fresh =>
  ({ url, status: 200, fetchedAt: 1000, bytes: Buffer.alloc(1000), rendered: undefined, ...more }) as Fresh
const seen = (fresh: Fresh, more: Partial<PageSeen> = {}): PageSeen => ({
  page: fresh,
  isThin: false,
  waitMs: 0,
  kind: 'page',
  ...more,
})
const rendered = {
  text: '',
  marked: '',
  html: '',
  picture: undefined,
  tls: null,
} as unknown as Fresh['rendered']
const asked = (more: Partial<PageAsked> = {}): PageAsked => ({
  url: 'u',
  render: 'when thin',
  maxAgeMs: 0,
  ...more,
})

describe('the pages that were seen last', () => {
  it.each<[string, PageSeen, Partial<PageAsked>, boolean]>([
    ['a static page', seen(page('u')), {}, true],
    ['a thin page', seen(page('u'), { isThin: true }), {}, false],
    ['a thin page, where none is rendered', seen(page('u'), { isThin: true }), { render: 'never' }, true],
    ['a static page, where it must be rendered', seen(page('u')), { render: 'always' }, false],
    ['a rendered page', seen(page('u', { rendered })), { render: 'always' }, true],
    ['a page without its picture', seen(page('u', { rendered })), { render: 'always', picture: true }, false],
    ['an error', seen(page('u', { status: 404 })), {}, false],
    ['an error, where any status will do', seen(page('u', { status: 404 })), { anyStatus: true }, true],
    ['a PDF, where a page is wanted', seen(page('u'), { kind: 'pdf' }), {}, false],
  ])('answer a question or not: %s', (_, one, question, does) => {
    const memory = new PageMemory(1e6)
    memory.add(one)
    expect(memory.find(asked(question), 1000) !== undefined).toBe(does)
  })

  it('answer while they are young enough, the newest first', () => {
    const memory = new PageMemory(1e6)
    memory.add(seen(page('u')))
    memory.add(seen(page('u', { fetchedAt: 2000 })))
    expect(memory.find(asked(), 1500)?.fetchedAt).toBe(2000)
    expect(memory.find(asked(), 2001)).toBeUndefined()
  })

  it('take no more bytes than they may, and the least recently used go first', () => {
    const memory = new PageMemory(10_000)
    for (const url of ['a', 'b', 'c']) memory.add(seen(page(url)))
    memory.find(asked({ url: 'a' }), 0)
    memory.add(seen(page('d')))
    expect(memory.bytes).toBeLessThanOrEqual(10_000)
    expect(['a', 'b', 'c', 'd'].filter(url => memory.find(asked({ url }), 0))).toEqual(['a', 'c', 'd'])
    for (let n = 0; n < 1000; n++) memory.add(seen(page(`x${n % 10}`)))
    expect(memory.bytes).toBeLessThanOrEqual(10_000)
  })
})
