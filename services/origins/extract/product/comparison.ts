/** Compares products side by side. It does not compare prices of two currencies. */
import { z } from 'zod'
import { compare } from '../../../../pipelines/domains/product/price.ts'
import { exact } from '../../../../schemas/values/values.ts'
import type { ProductAnswer } from './product-answer.ts'

const text = z.string().nullable()

export const comparisonShape = z
  .strictObject({
    table: z.array(
      z.strictObject({
        url: z.string(),
        name: text,
        price: exact().nullable().describe('Of a range the lowest'),
        currency: text,
        availability: text,
        brand: text,
      }),
    ),
    cheapest: z
      .array(z.strictObject({ currency: z.string(), price: exact(), url: z.string() }))
      .describe('One for each currency: nothing is converted'),
  })
  .describe('The products that were read, side by side')

export function comparisonOf(products: readonly ProductAnswer[]) {
  const table = products.map(({ url, name, offers, brand }) => ({
    url,
    name,
    price: offers === null ? null : offers['@type'] === 'Offer' ? offers.price : offers.lowPrice,
    currency: offers?.priceCurrency ?? null,
    availability: offers?.availability ?? null,
    brand: brand?.name ?? null,
  }))
  const cheapest = new Map<
    string,
    { currency: string; price: NonNullable<(typeof table)[number]['price']>; url: string }
  >()
  for (const { currency, price, url } of table) {
    if (currency === null || price === null) continue
    const before = cheapest.get(currency)
    if (!before || compare(JSON.stringify(price), JSON.stringify(before.price)) < 0)
      cheapest.set(currency, { currency, price, url })
  }
  return { table, cheapest: [...cheapest.values()] }
}
