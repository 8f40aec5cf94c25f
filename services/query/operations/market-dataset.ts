/** Every active x402 seller of the week, and the totals of each category. */
import { z } from 'zod'
import { price } from '../market-answers.ts'
import { marketOnSale } from '../market-shelf.ts'
import { defineOperation, number, Serialised } from '../operation.ts'

const text = z.string()
const note =
  'Every seller with a paid call in 30 days, by rank: estimated revenue, then paying wallets of the busiest endpoint, then calls, then host. Revenue is calls times listed price, not money seen. Source: the public catalog of x402 sellers, and final blocks on Base and Solana. Labels prove nothing: see /market/method.'

export const marketDataset = defineOperation({
  id: 'x402MarketDataset',
  path: '/market/dataset',
  price: '0.10',
  title: 'The whole x402 market of the week',
  about:
    'Every active x402 seller (about 2,100) with rank, estimated revenue, calls, paying wallets, labels, categories and what was seen on chain, and totals per category. Rebuilt weekly; one JSON document, sent compressed to who accepts gzip.',
  tags: ['x402', 'market', 'dataset'],
  request: z.strictObject({}),
  response: z.object({
    week: text,
    generated_at: text.optional(),
    sellers: z.array(
      z.object({
        rank: z.int(),
        host: text,
        est_revenue_usd: z.number(),
        calls: z.int(),
        paying_wallets_max: z.int(),
        patterns: z.array(text),
        onchain_note: z.object({ checked: text, note: text, source: text }).nullable(),
        categories: z.array(text),
      }),
    ),
    categories: z.array(
      z.object({
        category: text,
        sellers: z.int(),
        endpoints: z.int(),
        calls: z.int(),
        est_revenue_usd: z.number(),
        paying_wallets_max: z.int(),
        median_price_usd: z.number().nullable(),
      }),
    ),
    note: text.optional(),
  }),
  refusals: {},
  example: { request: {}, response: {} },
  answer(_question, tools) {
    const { market, held } = marketOnSale(tools)
    const { week, sellers, categories } = market.content
    return held.once('dataset', () => ({
      value: new Serialised({
        week,
        generated_at: market.builtAt,
        sellers: sellers.map(seller => ({
          rank: seller.rank,
          host: seller.host,
          est_revenue_usd: number(seller.est_revenue_usd),
          calls: seller.calls,
          paying_wallets_max: seller.paying_wallets_max,
          patterns: seller.patterns,
          onchain_note: seller.onchain_note,
          categories: seller.categories,
        })),
        categories: categories.map(({ est_revenue_usd, median_price_usd, ...totals }) => ({
          ...totals,
          est_revenue_usd: number(est_revenue_usd),
          median_price_usd: price(median_price_usd),
        })),
        note,
      }),
    }))
  },
})
