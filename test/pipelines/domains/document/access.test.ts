import { describe, expect, it } from 'vitest'
import { mainOf } from '../../../../pipelines/domains/document/page/main.ts'

const sentence =
  'The gauge of the northern basin was read each morning, and its figures were kept in a book. '
const accessOf = (declared: object | string, times: number, more = '') =>
  mainOf(
    `<head><title>T</title><script type="application/ld+json">${typeof declared === 'string' ? declared : JSON.stringify(declared)}</script></head><body><article><p>${sentence.repeat(times)}</p>${more}</article>`,
  ).access
const part = { '@type': 'WebPageElement', isAccessibleForFree: false, cssSelector: '.sold' }

describe('a page that sells its text', () => {
  it.each([
    [{ isAccessibleForFree: false }],
    [{ isAccessibleForFree: 'False' }],
    [{ isAccessibleForFree: 'http://schema.org/False' }],
    [{ '@graph': [{ '@type': 'WebPage' }, { '@type': 'NewsArticle', isAccessibleForFree: false }] }],
    [{ '@type': 'NewsArticle', hasPart: { '@type': 'WebPageElement', isAccessibleForFree: false } }],
    ['{"isAccessibleForFree": "https:\\/\\/schema.org\\/False",,}'],
  ])('says so: %j', declared => {
    expect(accessOf(declared, 30)).toBe('paid')
    expect(accessOf(declared, 5)).toBe('withheld')
  })

  it.each([[{ isAccessibleForFree: true }], [{ '@type': 'NewsArticle' }]])('and another does not: %j', of =>
    expect(accessOf(of, 5)).toBe('free'),
  )

  it.each([
    '<meta itemprop="isAccessibleForFree" content="false">',
    '<link itemprop="isAccessibleForFree" href="https://schema.org/False">',
    '<meta property="article:content_tier" content="locked">',
  ])('says so as %s', mark =>
    expect(mainOf(`<head>${mark}</head><body><p>${sentence}`).access).toBe('withheld'),
  )

  it('withholds it where the part that is sold is empty', () => {
    const declared = { isAccessibleForFree: false, hasPart: [part] }
    expect(accessOf(declared, 20)).toBe('withheld')
    expect(accessOf(declared, 20, '<div class="sold"><p>Subscribe to read on.</p></div>')).toBe('withheld')
    expect(accessOf(declared, 20, `<div class="sold"><p>${sentence.repeat(10)}</p></div>`)).toBe('paid')
    expect(accessOf(declared, 60)).toBe('paid')
  })

  it('withholds it where it has more words', () => {
    expect(accessOf({ isAccessibleForFree: false, wordCount: 1200 }, 20)).toBe('withheld')
    expect(accessOf({ isAccessibleForFree: false, wordCount: 340 }, 20)).toBe('paid')
  })

  it('takes no selector that is more than a name', () => {
    const declared = {
      isAccessibleForFree: false,
      hasPart: [{ ...part, cssSelector: 'p:not(.a):has(*), [' }],
    }
    expect(accessOf(declared, 20)).toBe('paid')
  })
})
