/** The addresses of a site, and what a crawl keeps of them. */
import { describe, expect, it } from 'vitest'
import { addressIn, pageKey } from '../../../../pipelines/domains/document/site/addresses.ts'
import { crawlBounds, Frontier } from '../../../../pipelines/domains/document/site/frontier.ts'
import { linksIn } from '../../../../pipelines/domains/document/site/links.ts'

const url = 'https://piers.sample/'
const scope = { url, under: '/', most: 10 }
const taken = (n: number, bytes = 10) => ({ url: `${url}${n}`, blob: 'b', bytes, sha256: String(n) })

describe('an address', () => {
  it.each([
    ['/a#b', `${url}a`],
    ['a?utm_source=x&b=1', `${url}a?b=1`],
    ['//piers.sample/a', `${url}a`],
    ['/a.PNG', undefined],
    ['/sitemap.xml', undefined],
    ['javascript:alert(1)', undefined],
    ['https://piers.sample:8443/', undefined],
    ['https://u@piers.sample/', undefined],
    [`/${'x'.repeat(2_048)}`, undefined],
    ['http://[', undefined],
  ])('%s', (text, address) => {
    expect(addressIn(text, url)).toBe(address)
  })

  it('is one page over either scheme, with or without www and a slash', () => {
    const spellings = ['https://piers.sample/a', 'http://www.piers.sample/a/']
    expect(new Set(spellings.map(pageKey)).size).toBe(1)
    expect(pageKey(`${url}a?b`)).not.toBe(pageKey(`${url}a`))
  })
})

it('links of a page have a bound', () => {
  const links = Array.from({ length: 6_000 }, (_, i) => `<a href="/${i}">x</a>`).join('')
  expect(linksIn(links, url)).toHaveLength(5_000)
})

describe('a frontier', () => {
  it('is the same after it was kept and read again', () => {
    const frontier = new Frontier(scope)
    frontier.meet([`${url}a`, `${url}a/`, `${url}b`, 'https://elsewhere.sample/c', `${url}d.pdf`])
    const first = frontier.next()
    expect(first).toEqual({ url, tries: 0 })
    frontier.take(taken(1))
    const kept = new Frontier(scope, JSON.parse(JSON.stringify(frontier.progress)))
    expect(kept.counts).toEqual(frontier.counts)
    kept.meet([`${url}a`, url])
    expect([kept.next()?.url, kept.next()?.url, kept.next()]).toEqual([`${url}a`, `${url}b`, undefined])
    expect(kept.isDuplicate('1')).toBe(true)
  })

  it('has a bound for addresses, and for those of one path', () => {
    const frontier = new Frontier(scope)
    frontier.meet(Array.from({ length: 100 }, (_, i) => `${url}day?d=${i}`))
    expect(frontier.counts.pages_known).toBe(1 + crawlBounds.ofPath)
    frontier.meet(Array.from({ length: 1_000 }, (_, i) => `${url}${i}`))
    expect(frontier.counts.pages_known).toBe(scope.most * crawlBounds.metForEach)
    const large = new Frontier({ ...scope, most: 10_000 })
    large.meet(Array.from({ length: 1_000 }, (_, i) => `${url}${'x'.repeat(1_500)}${i}`))
    expect(large.counts.pages_known).toBeLessThan(410)
  })

  it('ends with what was paid for, with too much text, and in vain', () => {
    const full = new Frontier(scope)
    for (let n = 0; n < scope.most; n++) full.take(taken(n))
    expect(full.end).toBe('all_read')
    const long = new Frontier(scope)
    long.take(taken(1, crawlBounds.resultBytes))
    expect(long.end).toBe('too_much_text')
    const failing = new Frontier(scope)
    for (let n = 0; n < crawlBounds.lostInARow; n++)
      failing.lose({ url: `${url}${n}`, tries: 0 }, 'page_refused', false)
    expect(failing.end).toBe('site_fails')
    const empty = new Frontier(scope)
    empty.next()
    expect(empty.end).toBe('no_more_pages')
  })

  it('tries again what may come, and no more than three times', () => {
    const frontier = new Frontier(scope)
    for (let tries = 0; tries < crawlBounds.tries; tries++) {
      const due = frontier.next()
      expect(due).toEqual({ url, tries })
      if (due) frontier.lose(due, 'busy', true)
    }
    expect(frontier.next()).toBeUndefined()
    expect(frontier.progress.lost).toEqual([{ url, error: 'busy' }])
  })
})
