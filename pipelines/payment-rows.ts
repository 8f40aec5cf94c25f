/** Transfers and ranges as the rows of their datasets. */
import { type ChainPayment, chainPayments } from '../schemas/chain-payments.ts'
import { networks } from '../schemas/networks.ts'
import { fromAtoms, plainAddress } from '../schemas/stablecoins.ts'
import { instant } from '../schemas/values.ts'
import type { NamedWallets } from './chain/chains.ts'
import type { Transfer } from './chain/transfer.ts'

const usdcDecimals = 6

export const paymentOf = (
  network: ChainPayment['network'],
  { tx, position, block, atMs, payer, payTo, amount, method, facilitator, nonce }: Transfer,
  provisional: boolean,
): ChainPayment => ({
  network,
  at: instant(atMs),
  tx,
  position,
  block,
  payer,
  pay_to: payTo,
  amount: fromAtoms(amount, usdcDecimals),
  asset: plainAddress(networks[network].asset),
  method,
  facilitator,
  nonce,
  provisional,
  withdrawn: false,
})

/** The identity of a row, as one text. */
export const factOf = (row: ChainPayment): string =>
  chainPayments.identity.map(column => row[column as keyof ChainPayment]).join(' ')

/** Wallets that were first named after one snapshot and no later than another. */
export const walletsBetween = ({ wallets }: NamedWallets, after: string, until: string): string[] =>
  [...wallets].filter(([, first]) => first > after && first <= until).map(([address]) => address)
