/** Changes the declaration of one field of a recorded page, in every syntax. */

export const declarations = {
  'offers.price': {
    names: 'price|lowprice|highprice|og:price|product:price:amount|og:price:amount|product:sale_price:amount',
    other: '4711.25',
  },
  'offers.priceCurrency': {
    names: 'pricecurrency|product:price:currency|og:price:currency',
    other: 'XAF',
  },
  'offers.availability': {
    names: 'availability|product:availability|og:availability',
    other: 'https://schema.org/Discontinued',
  },
  sku: { names: 'sku|productid|product:retailer_item_id', other: 'OTHER-4711' },
  'brand.name': { names: 'brand|product:brand|og:brand', other: 'Another' },
}
export type Declared = keyof typeof declarations

/** Without a value the declaration is removed. */
export function restated(html: string, field: Declared, value?: string): string {
  const { names } = declarations[field]
  const inJson = new RegExp(
    `("(?:${names})"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*"|[\\d.]+|\\{[^{}]*\\})(\\s*,)?`,
    'gi',
  )
  const attribute = `\\b(?:itemprop|property|name)=["'](?:${names})["']`
  const inTags = new RegExp(`(<(\\w+)[^<>]*${attribute}[^<>]*>)([\\s\\S]{0,2000}?</\\2>)?`, 'gi')
  return html
    .replace(/<script[^>]*ld\+json[^>]*>[\s\S]*?<\/script>/g, block =>
      block.replace(inJson, (_, name, _value, comma = '') =>
        value === undefined ? '' : `${name}"${value}"${comma}`,
      ),
    )
    .replace(inTags, (whole, start: string, name: string, rest: string | undefined) => {
      if (value === undefined) return whole.replace(new RegExp(attribute, 'i'), '')
      if (/(content|href)=/.test(start))
        return start.replace(/((?:content|href)=)("[^"]*"|'[^']*')/, `$1"${value}"`) + (rest ?? '')
      return rest === undefined ? whole : `${start}${value}</${name}>`
    })
}
