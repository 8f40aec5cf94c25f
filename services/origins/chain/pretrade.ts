/** What would a trade bring, and what should be known before it? */
import { z } from 'zod'
import { chainPretradeLookup } from '../../../pipelines/lookups/onchain.ts'
import { exact } from '../../../schemas/values/values.ts'
import { defineOperation } from '../../offer/operation.ts'
import { chainPretradeExample } from './examples.ts'
import {
  addressAsked,
  addressIn,
  amount,
  chainAsked,
  chainOf,
  checked,
  found,
  pool,
  readWith,
  seen,
  shownCheck,
  shownPool,
  tokenAsked,
  tokenIn,
  tokenRefusals,
  usdOrNull,
} from './shapes.ts'
import { webResults } from './web-results.ts'

const text = z.string().nullable()
const side = z.enum(['buy', 'sell'])

export const chainPretrade = defineOperation({
  id: 'chainPretrade',
  path: '/chain/pretrade',
  price: '0.01',
  inBrief: 'Before a trade: all of chain_check, and price impact and proceeds of your amount.',
  costs: 'costly',
  sold: 'Sold also without web results, which are a courtesy.',
  title: 'Before a trade',
  about:
    'Everything of a token check, and for your amount: the price impact against the mid price with the fee of the pool, what comes out, the pool that it takes, and what your wallet holds of the token. Reads only: nothing is signed or sent. A token without a pool is refused free.',
  tags: ['blockchain', 'trade', 'price impact', 'slippage', 'risk'],
  request: z.strictObject({
    token: tokenAsked,
    chain: chainAsked,
    wallet: addressAsked.describe('Who would trade'),
    amount_usd: z.number().min(1).max(1_000_000).describe('The worth of what goes in, in dollars'),
    side: side.default('buy').describe('Buy the token, or sell it'),
  }),
  response: z.strictObject({
    ...seen,
    ...checked,
    wallet: z.string(),
    side,
    amount_usd: z.number(),
    price_impact_pct: exact()
      .nullable()
      .describe(
        'Against the mid price, with the fee of the pool and without taxes; null: the pool cannot take it',
      ),
    receive: z
      .strictObject({ symbol: text, amount: text, raw: z.string() })
      .nullable()
      .describe('What the pool pays out'),
    route: z.array(pool),
    holding: amount.describe('What the wallet holds of the token'),
    web_results: z
      .array(z.strictObject({ title: z.string(), url: z.string(), snippet: text, date: text }))
      .nullable(),
    web_note: z.string().describe('Who found them, or why there are none'),
  }),
  refusals: {
    ...tokenRefusals,
    no_pool: { status: 422, about: 'No pool with a known quote token has liquidity' },
  },
  example: chainPretradeExample,
  async answer({ chain: name, token: given, wallet: holder, amount_usd, side }, { find }, refuse) {
    const chain = chainOf(name, refuse)
    const token = tokenIn(chain, given, refuse)
    const wallet = addressIn(chain, holder, refuse)
    const asked = { chain, token, wallet, amountUsd: amount_usd, side }
    const trade = found(await readWith(find, chainPretradeLookup, asked), refuse)
    return {
      ...trade,
      ...shownCheck(trade),
      price_impact_pct: usdOrNull(trade.price_impact_pct),
      route: trade.route.map(shownPool),
      ...(await webResults(trade, find)),
    }
  },
})
