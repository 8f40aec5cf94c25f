import { describe, expect, it } from 'vitest'
import { pricesIn, statedPrice } from '../../../../pipelines/domains/product/price.ts'
import { localeOf, shown } from './price-texts.ts'

/** Texts without a price. */
const none = [
  '',
  'out of stock',
  '4.5 of 5 stars',
  '12 reviews',
  'iPhone 15',
  'all 5',
  'top 10',
  '+1 555 0100',
  'B08FC1R8C9',
  'cup 3',
  '50 %',
]

describe('a price', () => {
  it('has a table of at least 150 texts', () =>
    expect(shown.length + none.length).toBeGreaterThanOrEqual(150))

  it.each(shown)('%s on a site in %s is %s %s', (text, site, value, code) => {
    const [price] = pricesIn(text, localeOf(site))
    expect(price?.value).toBe(value)
    expect(price?.currency?.code ?? '?').toBe(code)
  })

  it.each(none)('is not in "%s"', text => {
    expect(pricesIn(text, localeOf('en-US'))).toEqual([])
  })

  it('that is the lowest of several is recognised by the word before it', () => {
    for (const text of [
      'from $12',
      'ab 12 €',
      'à partir de 12 €',
      'desde 12 €',
      'da 12 €',
      'vanaf € 12',
      'od 12 zł',
      'от 12 ₽',
    ])
      expect(pricesIn(text, localeOf('en-'))[0]?.isLowest).toBe(true)
    expect(pricesIn('only $12', localeOf('en-US'))[0]?.isLowest).toBe(false)
  })

  it('is found twice in a range', () => {
    expect(pricesIn('$10.00 - $20.00', localeOf('en-US')).map(({ value }) => value)).toEqual([
      '10.00',
      '20.00',
    ])
  })

  it('needs no currency if a field states it', () => {
    expect(statedPrice('12.50', localeOf('en-'))?.value).toBe('12.50')
    expect(statedPrice('12,50', localeOf('de-DE'))?.value).toBe('12.50')
    expect(statedPrice('free', localeOf('en-'))).toBeUndefined()
  })

  it('is searched for in any value', () => {
    for (const text of ['9'.repeat(100_000), '1,'.repeat(50_000), '1 '.repeat(50_000), '$'.repeat(100_000)])
      expect(pricesIn(text, localeOf('en-US')).length).toBeLessThanOrEqual(50)
  })
})
