/** What is a token worth, and how much can be sold at about that price? */
import { z } from 'zod'
import { chainPriceLookup } from '../../../pipelines/lookups/onchain.ts'
import { exact } from '../../../schemas/values/values.ts'
import { defineOperation } from '../../offer/operation.ts'
import { chainPriceExample } from './examples.ts'
import {
  chainAsked,
  chainOf,
  depth,
  found,
  pool,
  readWith,
  seen,
  shownPool,
  tokenAsked,
  tokenIn,
  tokenRefusals,
  usd,
  usdOrNull,
  warningList,
} from './shapes.ts'

export const chainPrice = defineOperation({
  id: 'chainPrice',
  path: '/chain/price',
  price: '0.002',
  inBrief: 'Dollar price of a token from its deepest pool at one block, and how deep that is.',
  costs: 'looked up',
  sold: 'whole',
  title: 'The price of a token',
  about:
    'The dollar price of a token from its deepest pool, read from the chain itself at one block: the pool, the dollars that it pays out while the price falls by 2 %, whether that is thin, and the 30-minute average where the pool keeps one. A token without a pool is refused free.',
  tags: ['blockchain', 'token', 'price', 'DEX', 'liquidity'],
  request: z.strictObject({ token: tokenAsked, chain: chainAsked }),
  response: z.strictObject({
    ...seen,
    token: z.string(),
    symbol: z.string().nullable(),
    price_usd: exact().describe(
      'The price in the middle of the deepest pool; one USDC or USDT is one dollar',
    ),
    pool,
    depth_usd: depth,
    thin_liquidity: z.boolean().describe('The depth is below $5,000'),
    pools_seen: z.int().describe('Pools of the token that have liquidity'),
    price_30m_usd: exact().nullable().describe('The average of 30 minutes; null: the pool keeps none'),
    warnings: warningList,
  }),
  refusals: {
    ...tokenRefusals,
    no_pool: { status: 422, about: 'No pool with a known quote token has liquidity' },
  },
  example: chainPriceExample,
  async answer({ chain: name, token: given }, { find }, refuse) {
    const chain = chainOf(name, refuse)
    const token = tokenIn(chain, given, refuse)
    const price = found(await readWith(find, chainPriceLookup, { chain, token }), refuse)
    return {
      ...price,
      price_usd: usd(price.price_usd),
      pool: shownPool(price.pool),
      depth_usd: usd(price.depth_usd),
      price_30m_usd: usdOrNull(price.price_30m_usd),
    }
  },
})
