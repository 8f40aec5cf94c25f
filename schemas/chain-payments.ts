/** Transfers on chain to and from the wallets of x402 sellers, a row each. */
import { z } from 'zod'
import { defineDataset, field, lately, latest, type RowOf } from './dataset/dataset.ts'
import { chains } from './dimensions.ts'
import { networkNames } from './tables/networks.ts'
import { Instant } from './values/values.ts'

const word = 'LowCardinality(String)'

export const chainNetwork = z.enum(networkNames)

/** How the payment was made. All but `plain` are forms of x402; `plain` shows other uses of the wallet. */
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
    'Its place: the index of the Transfer log in the block; on Solana the index of the instruction in the transaction, inner instructions included',
  ),
  block: field(z.int().min(0), 'UInt64', 'The number of the block, on Solana the slot'),
  payer: field(
    z.string().min(1),
    'String',
    'Who paid: an EVM address in lower case; on Solana the owner of the token account',
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
    'The block is not final yet; once it is, the row is written again, or withdrawn if the chain has dropped the block',
  ),
  withdrawn: field(z.boolean(), 'Bool', 'The chain dropped the block: never true in a row that you can read'),
}

export type ChainPayment = RowOf<typeof fields>

const month = field(z.int(), 'UInt32', 'The month, as in 202611')
const usd = field(Amount, 'Decimal(38, 6)', 'How much they paid')
const payments = field(z.int(), 'UInt64', 'How many payments')
const summedAt = "DateTime64(3, 'UTC')"

const chainPayers = latest<ChainPayment>({
  name: 'chain_payers',
  about:
    'Who pays sellers over x402, with all of his payments since the first: as they were at the last check of the data',
  key: ['network', 'at', 'tx', 'position'],
  required: false,
  summed: {
    table: 'chain_payer_months',
    about: 'x402 payments of each payer by month, from which the view `chain_payers` is read',
    by: ['month', 'network', 'payer'],
    fields: {
      month,
      network: fields.network,
      payer: fields.payer,
      payments,
      usd,
      first_at: field(Instant, summedAt, 'The first of them'),
      last_at: field(Instant, summedAt, 'The last of them'),
      mark: field(z.int(), 'UInt64', 'Which facts of the month were summed'),
    },
    time: 'at',
    of: "method != 'plain'",
    sums: { payments: 'count()', usd: 'sum(amount)', first_at: 'min(at)', last_at: 'max(at)' },
  },
  sql: () => `
    select payer, groupUniqArray(toString(network)) as networks, sum(months.payments) as payments, sum(months.usd) as usd, min(months.first_at) as first_at, max(months.last_at) as last_at
    from chain_payer_months as months group by payer`,
  columns: {
    networks: 'The chains that he has paid on',
    payments: 'How many payments',
    usd: 'How much he has paid, in dollars',
    first_at: 'The first of them',
    last_at: 'The last of them',
  },
})

export const paymentsTo = latest<ChainPayment>({
  name: 'chain_payments_to',
  about: 'Transfers to one wallet, the newest first',
  key: ['network', 'at', 'tx', 'position'],
  required: false,
  looked: { by: ['network', 'pay_to'], newestBy: ['at', 'tx', 'position'], most: 200 },
})

/** Of payments and sales there may be millions each, so they are laid together and not looked up: that needs memory for none of them. */
const unexplained = `
  with
    (select min(at) from (select at from sales order by at limit 1)) as first_sale,
    moved as (
      select network, tx, position, at from chain_payments
      where ${lately} and method != 'plain' and not provisional and at between now() - interval 9 day and now() - interval 1 hour and at > first_sale
        and pay_to in (select distinct if(startsWith(pay_to, '0x'), lower(pay_to), pay_to) from sales where at > now() - interval 40 day)
    )
  select any(told.network) as network, any(told.tx) as tx, any(told.position) as position
  from (
    select network, tx, position, true as paid from moved
    union all
    select network, assumeNotNull(payment_tx) as tx, 0 as position, false as paid from sales
    where payment_tx is not null and at > (select if(count() = 0, now64(3), min(at)) from moved) - interval 1 day
    union all
    select network, assumeNotNull(payment_tx) as tx, 0 as position, false as paid from settlements
    where ${lately} and state = 'confirmed' and payment_tx is not null and at > now() - interval 9 day
  ) as told
  group by lower(told.tx) having min(paid)`

export const chainPayments = defineDataset({
  name: 'chain_payments',
  about:
    'Transfers of USDC to and from the wallets that sellers in the catalog name: x402 payments and, for comparison, all others',
  fields,
  key: ['network', 'pay_to'],
  // The transaction alone is unique. The time is part of the identity so that a query for some weeks reads only those.
  identity: ['network', 'at', 'tx', 'position'],
  views: [chainPayers, paymentsTo, chains],
  checks: [
    {
      name: 'range',
      about: 'a payment is above 0',
      wrong: `select tx from chain_payments where ${lately} and amount <= 0`,
    },
    {
      name: 'explained',
      about: 'an x402 payment to a payee of ours is one that we have sold for, of the last nine days',
      wrong: unexplained,
      // A sale may be found on the chain hours after its payment.
      againHours: 24,
    },
  ],
  withdrawn: 'withdrawn',
  table: { found: ['tx', 'pay_to', 'payer'], whole: true },
})
