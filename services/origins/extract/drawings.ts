/** What people see of products: their variants by price. */
import {
  type AnswerFields,
  type Drawing,
  type Drawings,
  fieldsOf,
  numberOf,
  rowsOf,
  textOf,
} from '../../offer/drawing.ts'

const stockOf = (offers: AnswerFields): string =>
  textOf(offers.availability).replace('https://schema.org/', '')
const priceOf = (offers: AnswerFields): number => numberOf(offers.price ?? offers.lowPrice)

function product(answer: AnswerFields): Drawing[] {
  const own = fieldsOf(answer.offers)
  const variants = rowsOf(answer.hasVariant)
  const currency = textOf(own.priceCurrency) || textOf(fieldsOf(variants[0]?.offers).priceCurrency)
  const shown = variants.length ? variants : [answer]
  // A price in another currency is no length of the same scale.
  const alike = shown.filter(each => textOf(fieldsOf(each.offers).priceCurrency) === currency)
  const others = shown.length - alike.length
  return [
    {
      kind: 'ranked',
      ...(others && { note: `${others} not priced in ${currency || 'the same currency'}, and not drawn.` }),
      title: `${textOf(answer.name)}: ${variants.length ? 'its variants by price' : 'its price'}`,
      when: 'product',
      what: 'price',
      unit: currency,
      more: ['stock', 'color', 'size', 'SKU'],
      marks: alike.map(each => ({
        at: textOf(each.name) || textOf(each.sku),
        value: priceOf(fieldsOf(each.offers)),
        more: [stockOf(fieldsOf(each.offers)), textOf(each.color), textOf(each.size), textOf(each.sku)],
      })),
    },
  ]
}

/** Products of one currency beside each other. */
function compared(answer: AnswerFields): Drawing[] {
  const rows = rowsOf(fieldsOf(answer.comparison).table)
  return [...new Set(rows.map(row => textOf(row.currency)))].map(currency => ({
    kind: 'ranked',
    title: `Prices in ${currency}`,
    when: 'product',
    what: 'price',
    unit: currency,
    more: ['stock', 'brand', 'page'],
    marks: rows
      .filter(row => textOf(row.currency) === currency)
      .map(row => ({
        at: textOf(row.name),
        value: numberOf(row.price),
        more: [
          textOf(row.availability).replace('https://schema.org/', ''),
          textOf(row.brand),
          textOf(row.url),
        ],
      })),
  }))
}

export const extractDrawings: Drawings = {
  at: import.meta.url,
  of: { extractProduct: product, previewProduct: product, extractProducts: compared },
}
