/** How does one x402 seller do: its rank, calls, wallets and prices, what looks unusual, who competes with it? */
import { z } from 'zod'
import { catalogUpstream } from '../../../../pipelines/sources/catalog/upstream.ts'
import { sellerOf } from '../../../../schemas/values/resource-address.ts'
import { exact } from '../../../../schemas/values/values.ts'
import { number } from '../../../offer/answer.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { competitorsOf, kinOf, perWallet, price } from './answers.ts'
import { marketOnSale } from './on-sale.ts'

const text = z.string()
const count = z.int()
const note =
  'Estimated revenue is calls times listed price, not money seen. Calls and paying wallets are those of the public catalog, of 30 days; paying_wallets_max is that of the busiest endpoint, because wallets of several endpoints cannot be added. Labels say that numbers look unusual and prove nothing: see /market/method.'

export const marketSeller = defineOperation({
  id: 'x402SellerLookup',
  path: '/market/seller',
  price: '0.02',
  inBrief: 'Rank, calls, prices, estimated revenue, endpoints and competitors of an x402 seller.',
  costs: 'held',
  sold: 'whole',
  title: 'How an x402 seller does',
  about:
    'Rank among active x402 sellers, calls, paying wallets, prices and estimated revenue of a host in 30 days, its endpoints and competitors, labels where its numbers look unusual, and what was seen on chain. Rebuilt weekly from the public catalog. An unknown or inactive seller is refused free.',
  tags: ['x402', 'market', 'seller', 'competitors'],
  request: z.strictObject({ host: z.string().min(1).max(2048).describe('A hostname, or any URL on it') }),
  response: z.strictObject({
    host: text,
    week: text.describe('The ISO week of the release'),
    rank: count,
    active_sellers: count.optional(),
    est_revenue_30d_usd: exact().optional(),
    calls_30d: count.optional(),
    paying_wallets_max: count.optional(),
    paid_endpoints: count.optional(),
    calls_per_wallet: exact().nullable().optional(),
    endpoint_count: count.optional(),
    patterns: z.array(text).optional(),
    categories: z.array(text).optional(),
    competitors_category: text.nullable().optional(),
    onchain_note: z.strictObject({ checked: text, note: text, source: text }).nullable().optional(),
    endpoints: z
      .array(
        z.strictObject({
          url: text,
          price_usd: exact().nullable(),
          calls_30d: count,
          paying_wallets: count,
          calls_per_wallet: exact().nullable(),
        }),
      )
      .optional(),
    competitors: z
      .array(
        z.strictObject({
          host: text,
          rank: count,
          est_revenue_usd: exact(),
          paying_wallets_max: count,
          patterns: z.array(text),
        }),
      )
      .optional(),
    note: text.optional(),
  }),
  refusals: {
    invalid_host: { status: 400, about: 'The text is neither a hostname nor a URL' },
    unknown_seller: { status: 422, about: 'The catalog never listed the host' },
    no_activity: { status: 422, about: 'The host is known, and sold nothing in the 30 days' },
  },
  example: {
    request: { host: 'https://x402.twit.sh/users/search' },
    response: {
      host: 'x402.twit.sh',
      week: '2026-W47',
      rank: 1,
      active_sellers: 2,
      est_revenue_30d_usd: 52.1,
      calls_30d: 5210,
      paying_wallets_max: 142,
      paid_endpoints: 1,
      calls_per_wallet: 36.69,
      endpoint_count: 1,
      patterns: [],
      categories: ['social_media', 'web_search'],
      competitors_category: 'social_media',
      onchain_note: null,
      endpoints: [
        {
          url: 'https://x402.twit.sh/users/search',
          price_usd: 0.01,
          calls_30d: 5210,
          paying_wallets: 142,
          calls_per_wallet: 36.69,
        },
      ],
      competitors: [],
      note,
    },
  },
  answer({ host: typed }, tools, refuse) {
    const { market } = marketOnSale(tools)
    const asked = sellerOf(typed)
    if (!asked) return refuse('invalid_host', 'host is neither a hostname nor a URL')
    const kin =
      market.byHost.has(asked) || market.inactive.has(asked) ? [] : kinOf(asked, market.byHost.keys())
    const seller =
      market.byHost.get(asked) ?? (kin.length === 1 ? market.byHost.get(kin[0] as string) : undefined)
    if (!seller) {
      if (market.inactive.has(asked))
        return refuse(
          'no_activity',
          `${asked} is known, but had no paid call in the 30 days before ${market.content.as_of}`,
        )
      const near = kin.length ? `. Known are ${kin.slice(0, 5).join(', ')}` : ''
      const catalog = tools.isSample(catalogUpstream) ? 'The bundled sample of the catalog' : 'The catalog'
      return refuse('unknown_seller', `${catalog} knows no seller ${asked}${near}`)
    }
    return {
      host: seller.host,
      week: market.content.week,
      rank: seller.rank,
      active_sellers: market.content.sellers.length,
      est_revenue_30d_usd: number(seller.est_revenue_usd),
      calls_30d: seller.calls,
      paying_wallets_max: seller.paying_wallets_max,
      paid_endpoints: seller.paid_endpoints,
      calls_per_wallet: perWallet(seller.calls, seller.paying_wallets_max),
      endpoint_count: seller.endpoint_count,
      patterns: seller.patterns,
      categories: seller.categories,
      competitors_category: seller.competitors_category,
      onchain_note: seller.onchain_note,
      endpoints: seller.endpoints.map(({ url, price_usd, calls, wallets }) => ({
        url,
        price_usd: price(price_usd),
        calls_30d: calls,
        paying_wallets: wallets,
        calls_per_wallet: perWallet(calls, wallets),
      })),
      competitors: competitorsOf(seller, market).map(
        ({ host, rank, est_revenue_usd, paying_wallets_max, patterns }) => ({
          host,
          rank,
          est_revenue_usd: number(est_revenue_usd),
          paying_wallets_max,
          patterns,
        }),
      ),
      note: tools.credit(catalogUpstream, note),
    }
  },
})
