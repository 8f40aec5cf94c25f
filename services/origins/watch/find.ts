/** Free: which x402 endpoints claim to do this? */
import { z } from 'zod'
import { caip2 } from '../../../schemas/tables/stablecoins.ts'
import { exact } from '../../../schemas/values/values.ts'
import { defineFree } from '../../offer/operation.ts'
import { marketOnSale, type SaleListing } from '../data/market/on-sale.ts'
import { price } from './quoted.ts'

const text = z.string()

export const find = defineFree({
  id: 'findX402Endpoints',
  path: '/find',
  method: 'GET',
  perMinute: 60,
  title: 'Search of the x402 catalog',
  about:
    'x402 endpoints whose words fit a query, the best fit first. It knows no wallets, no calls and no money: which of them others pay for again and again is /market/best.',
  tags: ['x402', 'discovery', 'catalog'],
  request: z.strictObject({
    q: z
      .string()
      .trim()
      .min(3, 'at least 3 characters')
      .max(200, 'at most 200 characters')
      .describe('What it should do, in words'),
    limit: z.coerce.number().int().min(1).max(20).default(10),
    network: text.max(100).optional().describe('Only what is paid there: a name, or its id of CAIP-2'),
    max_price_usd: z.coerce.number().min(0).optional(),
  }),
  response: z.strictObject({
    results: z.array(
      z.strictObject({
        url: text,
        host: text,
        description: text,
        price_usd: exact().nullable(),
        networks: z.array(text).describe('As CAIP-2'),
        last_seen: text.describe('When the catalog was read'),
      }),
    ),
    week: text,
  }),
  refusals: { no_match: { status: 422, about: 'No listing fits the query' } },
  example: {
    request: { q: 'exchange rates', limit: '1' },
    response: {
      results: [
        {
          url: 'https://rates.harbourpoint.org/fx',
          host: 'rates.harbourpoint.org',
          description: 'Exchange rates of central banks',
          price_usd: 0.002,
          networks: ['eip155:8453'],
          last_seen: '2026-11-16T06:00:00.000Z',
        },
      ],
      week: '2026-W47',
    },
  },
  answer({ q, limit, network, max_price_usd: most }, tools, refuse) {
    const { market } = marketOnSale(tools)
    const paidOn = network === undefined ? undefined : caip2(network)
    const fits = ({ endpoint: { networks = [], price_usd } }: SaleListing) =>
      (paidOn === undefined || networks.includes(paidOn)) &&
      (most === undefined || (price_usd !== null && Number(price_usd) <= most))
    const found = market.index
      .find(q)
      .map(({ place, relevance }) => ({ relevance, listing: market.listings[place] as SaleListing }))
      .filter(({ listing }) => fits(listing))
      .sort((a, b) => b.relevance - a.relevance || (a.listing.tie < b.listing.tie ? -1 : 1))
      .slice(0, limit)
    if (!found.length) return refuse('no_match', 'No listing fits the query')
    return {
      results: found.map(({ listing: { seller, endpoint } }) => ({
        url: endpoint.url,
        host: seller.host,
        description: endpoint.description,
        price_usd: price(endpoint.price_usd),
        networks: endpoint.networks ?? [],
        last_seen: market.content.snapshot,
      })),
      week: market.content.week,
    }
  },
})
