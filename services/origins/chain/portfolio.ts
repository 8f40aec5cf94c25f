/** What is everything worth that an address holds? */
import { z } from 'zod'
import { chainPortfolioLookup } from '../../../pipelines/lookups/onchain.ts'
import { exact } from '../../../schemas/values/values.ts'
import { defineOperation } from '../../offer/operation.ts'
import { chainPortfolioExample } from './examples.ts'
import {
  addressAsked,
  addressIn,
  chainAsked,
  chainOf,
  found,
  mostMustTell,
  readWith,
  seen,
  tokenRefusals,
  tokensIn,
  usd,
  usdOrNull,
  warningList,
} from './shapes.ts'

const mostTokens = 50
const text = z.string().nullable()

export const chainPortfolio = defineOperation({
  id: 'chainPortfolio',
  path: '/chain/portfolio',
  price: '0.008',
  inBrief: 'What an address holds, each token priced from its deepest pool at one block, and the total.',
  costs: 'costly',
  sold: 'Sold if at least half of the tokens that you name tell; `coverage` names the others.',
  title: 'What an address holds, and its worth',
  about:
    'The native coin and the tokens that an address holds, each priced in dollars from its deepest pool at one block, their total, and a warning where a price is thin. It looks at known tokens, or at up to 50 that you name; on Solana at every token account.',
  tags: ['blockchain', 'wallet', 'portfolio', 'valuation'],
  request: z.strictObject({
    address: addressAsked.describe('The holder'),
    chain: chainAsked,
    tokens: z
      .array(addressAsked)
      .max(1000)
      .optional()
      .describe(`Contracts, mints, or symbols of well-known tokens, at most ${mostTokens}`),
  }),
  response: z.strictObject({
    ...seen,
    address: z.string(),
    holdings: z.array(
      z.strictObject({
        token: z.string().describe('`native`: the coin of the chain'),
        symbol: text,
        amount: text.describe('In units; null: the token does not say its decimals'),
        price_usd: exact().nullable().describe('Null: no pool'),
        value_usd: exact().nullable(),
        thin_liquidity: z.boolean().nullable().describe('The depth of its pool is below $5,000'),
      }),
    ),
    total_usd: exact().describe('A thin holding counts for no more than the depth of its pool'),
    unpriced: z.int().describe('Holdings without a price. The total does not contain them'),
    coverage: z.string().describe('Which tokens were looked at, and which of them did not tell'),
    warnings: warningList,
  }),
  refusals: {
    ...tokenRefusals,
    too_many_tokens: { status: 422, about: `More than ${mostTokens} tokens are named` },
  },
  example: chainPortfolioExample,
  async answer({ chain: name, address: given, tokens }, { find }, refuse) {
    const chain = chainOf(name, refuse)
    const address = addressIn(chain, given, refuse)
    if (tokens && tokens.length > mostTokens)
      return refuse('too_many_tokens', `tokens names ${tokens.length}, and one question takes ${mostTokens}`)
    const named = tokensIn(chain, tokens, refuse)
    const { holdings, total_usd, unread, ...rest } = found(
      await readWith(find, chainPortfolioLookup, { chain, address, tokens: named }),
      refuse,
    )
    if (named) mostMustTell({ named: named.length, silent: unread }, refuse)
    return {
      ...rest,
      holdings: holdings.map(each => ({
        ...each,
        price_usd: usdOrNull(each.price_usd),
        value_usd: usdOrNull(each.value_usd),
      })),
      total_usd: usd(total_usd),
    }
  },
})
