/** Every active x402 seller of the week, and the totals of each category. */
import { z } from 'zod'
import { catalogUpstream } from '../../../../pipelines/sources/catalog/upstream.ts'
import { exact } from '../../../../schemas/values/values.ts'
import { number, Serialised } from '../../../offer/answer.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { price } from './answers.ts'
import { marketOnSale } from './on-sale.ts'

const text = z.string()
const note = `Every seller with a paid call in 30 days, by rank: estimated revenue, then paying wallets of the busiest endpoint, then calls, then host. Revenue is calls times listed price, not money seen. Source: ${catalogUpstream.credit}, and final blocks on Base and Solana. Labels prove nothing: see /market/method.`

export const marketDataset = defineOperation({
  id: 'x402MarketDataset',
  path: '/market/dataset',
  price: '0.10',
  inBrief: 'The x402 market of the week: all active sellers with their figures. One large document.',
  costs: 'held',
  sold: 'whole',
  title: 'The whole x402 market of the week',
  about:
    'Every active x402 seller (about 2,100) with rank, estimated revenue, calls, paying wallets, labels, categories and what was seen on chain, and totals per category. Rebuilt weekly; one JSON document, sent compressed to who accepts gzip. Before the first week is there, a free 503.',
  tags: ['x402', 'market', 'dataset'],
  request: z.strictObject({}),
  response: z.strictObject({
    week: text,
    generated_at: text.optional(),
    sellers: z.array(
      z.strictObject({
        rank: z.int(),
        host: text,
        est_revenue_usd: exact(),
        calls: z.int(),
        paying_wallets_max: z.int(),
        patterns: z.array(text),
        onchain_note: z.strictObject({ checked: text, note: text, source: text }).nullable(),
        categories: z.array(text),
      }),
    ),
    categories: z.array(
      z.strictObject({
        category: text,
        sellers: z.int(),
        endpoints: z.int(),
        calls: z.int(),
        est_revenue_usd: exact(),
        paying_wallets_max: z.int(),
        median_price_usd: exact().nullable(),
      }),
    ),
    note: text.optional(),
  }),
  refusals: {},
  example: {
    request: {},
    response: {
      week: '2026-W47',
      generated_at: '2026-11-16T07:00:00.000Z',
      sellers: [
        {
          rank: 1,
          host: 'x402.twit.sh',
          est_revenue_usd: 52.1,
          calls: 5210,
          paying_wallets_max: 142,
          patterns: [],
          onchain_note: null,
          categories: ['social_media', 'web_search'],
        },
        {
          rank: 2,
          host: 'mailcheck.hugen.tokyo',
          est_revenue_usd: 1.55,
          calls: 310,
          paying_wallets_max: 24,
          patterns: [],
          onchain_note: null,
          categories: ['utilities_misc'],
        },
      ],
      categories: [
        {
          category: 'social_media',
          sellers: 1,
          endpoints: 1,
          calls: 5210,
          paying_wallets_max: 142,
          est_revenue_usd: 52.1,
          median_price_usd: 0.01,
        },
        {
          category: 'utilities_misc',
          sellers: 1,
          endpoints: 1,
          calls: 310,
          paying_wallets_max: 24,
          est_revenue_usd: 1.55,
          median_price_usd: 0.005,
        },
      ],
      note,
    },
  },
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
        note: tools.credit(catalogUpstream, note),
      }),
    }))
  },
})
