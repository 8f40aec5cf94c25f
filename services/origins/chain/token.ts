/** What is this token? */
import { z } from 'zod'
import { chainTokenLookup } from '../../../pipelines/lookups/onchain.ts'
import { defineOperation } from '../../offer/operation.ts'
import { chainTokenExample } from './examples.ts'
import {
  chainAsked,
  chainOf,
  found,
  readWith,
  seen,
  tokenAsked,
  tokenIn,
  tokenRefusals,
  warningList,
} from './shapes.ts'

const text = z.string().nullable()

export const chainToken = defineOperation({
  id: 'chainToken',
  path: '/chain/token',
  price: '0.002',
  inBrief: 'Name, symbol, decimals, supply, owner and authorities of a token, and warnings.',
  costs: 'looked up',
  sold: 'whole',
  trial: true,
  title: 'What a token is',
  about:
    'Name, symbol, decimals and total supply of a token; on EVM chains its owner and whether its code can be replaced, on Solana its mint and freeze authority, extensions and metadata. Odd names are cleaned, and warnings say what was found. An address without a token is refused free.',
  tags: ['blockchain', 'token', 'ERC-20', 'SPL'],
  request: z.strictObject({ token: tokenAsked, chain: chainAsked }),
  response: z.strictObject({
    ...seen,
    token: z.string(),
    name: text,
    symbol: text,
    decimals: z.int().nullable().describe('Null: the token does not say, so amounts are in atoms only'),
    total_supply: text.describe('In units'),
    total_supply_raw: z.string().describe('In atoms'),
    warnings: warningList,
    owner: text.optional().describe('EVM chains; null: none, or not told'),
    is_proxy: z.boolean().optional().describe('EVM chains'),
    implementation: text.optional().describe('EVM chains'),
    mint_authority: text.optional().describe('Solana; null: nobody can mint'),
    freeze_authority: text.optional().describe('Solana; null: nobody can freeze'),
    token_program: z.string().optional().describe('Solana'),
    extensions: z.array(z.string()).optional().describe('Solana: those of Token-2022'),
    metadata: z
      .strictObject({ uri: text, update_authority: text, is_mutable: z.boolean().nullable() })
      .nullable()
      .optional()
      .describe('Solana'),
  }),
  refusals: tokenRefusals,
  example: chainTokenExample,
  async answer({ chain: name, token: given }, { find }, refuse) {
    const chain = chainOf(name, refuse)
    const token = tokenIn(chain, given, refuse)
    return found(await readWith(find, chainTokenLookup, { chain, token }), refuse)
  },
})
