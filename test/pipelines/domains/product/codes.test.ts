import { describe, expect, it } from 'vitest'
import { isChecked } from '../../../../pipelines/domains/product/gtin.ts'
import { block, cup, page, productIn } from './pages.ts'

describe('the check digit of a GTIN', () => {
  it.each([
    '4006381333931',
    '036000291452',
    '96385074',
    '10012345678902',
    '0306406152',
    '080442957X',
    '9780306406157',
    '04252614',
    '01234558',
    '01234565',
  ])('of %s is right, and wrong with another digit', gtin => {
    expect(isChecked(gtin)).toBe(true)
    const other = `${gtin.slice(0, 3)}${(Number(gtin[3]) + 1) % 10}${gtin.slice(4)}`
    expect(isChecked(other)).toBe(false)
  })

  it('is wrong: the number is told as declared, and with a warning', () => {
    const read = (gtin13: string) => productIn(page('', { head: block({ ...cup, gtin13 }) }))
    expect(read('4006381333931')).toMatchObject({ facts: { gtin: '4006381333931' }, warnings: [] })
    expect(read('4006381333932')).toMatchObject({
      facts: { gtin: '4006381333932' },
      warnings: ['gtin_check_digit_wrong'],
    })
  })

  it('is wrong in a variant', () => {
    const variants = ['4006381333931', '4006381333939'].map((gtin13, i) => ({
      '@type': 'Product',
      name: `Blue Cup ${i}`,
      sku: `CUP-${i}`,
      gtin13,
      offers: cup.offers,
    }))
    const group = { '@type': 'ProductGroup', name: 'Blue Cup', hasVariant: variants }
    expect(productIn(page('', { head: block(group) })).warnings).toEqual(['gtin_check_digit_wrong'])
  })
})
