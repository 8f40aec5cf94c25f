/** What did a transaction do? */
import { z } from 'zod'
import { transactionOn } from '../../../pipelines/domains/chain/addresses.ts'
import { chainTxLookup } from '../../../pipelines/lookups/onchain.ts'
import { chains } from '../../../schemas/tables/chains.ts'
import { defineOperation } from '../../offer/operation.ts'
import { chainTxExample } from './examples.ts'
import { chainAsked, chainOf, chainRefusals, found, readWith, seen } from './shapes.ts'

const text = z.string().nullable()

export const chainTx = defineOperation({
  id: 'chainTx',
  path: '/chain/tx',
  price: '0.002',
  inBrief: 'What a transaction did: success, block, parties, value, fee, every transfer of tokens and NFTs.',
  costs: 'looked up',
  sold: 'whole',
  trial: true,
  title: 'What a transaction did',
  about:
    'Whether a transaction succeeded, its block and finality, parties, value, fee, and every transfer of tokens and NFTs that its logs show, with symbols and amounts in units. A failed one has its reason where the node tells. A transaction that is not found is refused free.',
  tags: ['blockchain', 'transaction', 'transfer', 'receipt'],
  request: z.strictObject({
    hash: z.string().min(1).max(120).describe('Its hash, on Solana its first signature'),
    chain: chainAsked,
  }),
  response: z.strictObject({
    ...seen,
    block: z.int().describe('The newest height, on Solana slot, when it was read'),
    hash: z.string(),
    status: z.enum(['success', 'failed', 'pending']),
    tx_block: z.int().nullable().describe('The block that it is in; null: pending'),
    block_time: text,
    confirmations: z.int(),
    finalized: z.boolean(),
    from: z.string(),
    to: text.describe('Null: it creates a contract'),
    created: text.describe('The contract that it creates'),
    value: z.string().describe('In `coin`'),
    fee: text.describe('In `coin`, with the fee of the data where the chain takes one'),
    coin: z.string().describe('The symbol of the native coin'),
    method: text.describe('What it calls; null: a plain transfer'),
    transfers: z.array(
      z.strictObject({
        standard: z.enum(['native', 'erc20', 'erc721', 'erc1155', 'spl', 'token2022']),
        token: text.describe('Null: native coin'),
        symbol: text,
        from: text.describe('Null: minted'),
        to: text.describe('Null: burned'),
        amount: text.describe('In units; null: the token does not say its decimals'),
        raw: z.string(),
        token_id: text,
      }),
    ),
    revert_reason: text,
    note: z.string(),
  }),
  refusals: {
    unsupported_chain: chainRefusals.unsupported_chain,
    nodes_disagree: chainRefusals.nodes_disagree,
    unknown_transaction: { status: 422, about: 'The chain has no such transaction' },
  },
  example: chainTxExample,
  async answer({ chain: name, hash: given }, { find }, refuse) {
    const chain = chainOf(name, refuse)
    const hash = found(transactionOn(chain, given), refuse)
    const told = found(await readWith(find, chainTxLookup, { chain, hash }), refuse)
    return { ...told, coin: chains[chain].native.symbol }
  },
})
