/** What moved on chain to and from the wallets of x402 sellers, one row per transfer. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset.ts'
import { networkNames } from './networks.ts'
import { Instant } from './values.ts'

const word = 'LowCardinality(String)'

export const chainNetwork = z.enum(networkNames)

/** How it was paid. All but `plain` are forms of x402; `plain` says what else the wallet is used for. */
export const paymentMethod = z.enum(['eip3009', 'permit2_exact', 'permit2_upto', 'svm_exact', 'plain'])

const Amount = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,6})?$/, 'an amount of at most 12 digits before the point and 6 after')

const fields = {
  network: field(chainNetwork, word, 'The chain'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'The time of its block'),
  tx: field(z.string().min(1), 'String', 'The transaction: its hash, on Solana its first signature'),
  position: field(
    z.int().min(0),
    'UInt32',
    'Its place: the index of the Transfer log in the block, on Solana of the instruction in the transaction, inner ones counted',
  ),
  block: field(z.int().min(0), 'UInt64', 'The number of the block, on Solana the slot'),
  payer: field(
    z.string().min(1),
    'String',
    'Who paid: an EVM address in lower case, on Solana the owner, not his account',
  ),
  pay_to: field(z.string().min(1), 'String', 'Who was paid, likewise'),
  amount: field(Amount, 'Decimal(18, 6)', 'In units of the asset, so in dollars'),
  asset: field(z.string().min(1), word, 'Contract (in lower case) or mint of the stablecoin'),
  method: field(
    paymentMethod,
    word,
    'eip3009: by authorization; permit2_exact, permit2_upto: through the proxies of x402; svm_exact: in the form that x402 asks for on Solana; plain: any other transfer to or from a seller, no x402 payment',
  ),
  facilitator: field(
    z.string().nullable(),
    'LowCardinality(Nullable(String))',
    'Who sent the transaction and paid its fee: with x402 a settlement signer, known or not; null for plain transfers',
  ),
  nonce: field(
    z.string().nullable(),
    'Nullable(String)',
    'The nonce of the authorization: with the payer unique for ever',
  ),
  provisional: field(
    z.boolean(),
    'Bool',
    'The block is not final yet; the row is told again once it is, or withdrawn if the chain leaves it',
  ),
  withdrawn: field(
    z.boolean(),
    'Bool',
    'Of a block that the chain left: never true in a row that you can read',
  ),
}

export type ChainPayment = RowOf<typeof fields>

export const chainPayments = defineDataset({
  name: 'chain_payments',
  about:
    'Transfers of USDC to and from the wallets that sellers in the catalog name: x402 payments, and for comparison the others',
  fields,
  key: ['network', 'pay_to'],
  // The time follows from the transaction; it stands here so that a table of years is read by its last weeks.
  identity: ['network', 'at', 'tx', 'position'],
  withdrawn: 'withdrawn',
})
