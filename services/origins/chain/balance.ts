/** What does an address hold? */
import { z } from 'zod'
import { chainBalanceLookup } from '../../../pipelines/lookups/onchain.ts'
import { defineOperation } from '../../offer/operation.ts'
import { chainBalanceExample } from './examples.ts'
import {
  addressAsked,
  addressIn,
  amount,
  chainAsked,
  chainOf,
  found,
  mostMustTell,
  readWith,
  seen,
  tokenRefusals,
  tokensIn,
} from './shapes.ts'

const text = z.string().nullable()

export const chainBalance = defineOperation({
  id: 'chainBalance',
  path: '/chain/balance',
  price: '0.002',
  inBrief: 'Native coin, USDC, USDT, and up to 20 tokens that you name, of an address, at one block.',
  costs: 'looked up',
  sold: 'Sold if at least half of the tokens that you name tell; another has its reason.',
  trial: true,
  title: 'What an address holds',
  about:
    'Balances of an address on Base, Ethereum, Solana and others: native coin, USDC, USDT, and up to 20 tokens that you name. All are read at one block, and the answer names it.',
  tags: ['blockchain', 'wallet', 'balance', 'USDC'],
  request: z.strictObject({
    address: addressAsked.describe('The holder'),
    chain: chainAsked,
    tokens: z
      .array(addressAsked)
      .max(20)
      .optional()
      .describe('Contracts, mints, or symbols of well-known tokens, at most 20'),
  }),
  response: z.strictObject({
    ...seen,
    address: z.string(),
    native: z.strictObject({
      symbol: z.string(),
      decimals: z.int(),
      balance: z.string(),
      raw: z.string(),
    }),
    usdc: amount.describe("Circle's own USDC, never a bridged one"),
    usdt: amount.nullable().describe('Null: the chain has none'),
    tokens: z.array(
      z.strictObject({
        token: z.string(),
        symbol: text,
        decimals: z.int().nullable(),
        balance: text,
        raw: text,
        error: text.describe('Why the balance is not known'),
      }),
    ),
    is_contract: z.boolean(),
  }),
  refusals: tokenRefusals,
  example: chainBalanceExample,
  async answer({ chain: name, address: given, tokens }, { find }, refuse) {
    const chain = chainOf(name, refuse)
    const address = addressIn(chain, given, refuse)
    const named = tokensIn(chain, tokens, refuse)
    const held = found(await readWith(find, chainBalanceLookup, { chain, address, tokens: named }), refuse)
    const silent = held.tokens.flatMap(({ token, error }) => (error === null ? [] : token))
    mostMustTell({ named: held.tokens.length, silent }, refuse)
    return held
  },
})
