/** Turns transfers into rows, and selects the wallets for which the chain is read. */
import { type ChainPayment, chainPayments } from '../../../schemas/chain-payments.ts'
import { chainRanges } from '../../../schemas/chain-ranges.ts'
import { type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { fromAtoms, plainAddress } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Transfer } from '../../domains/payments/transfer.ts'
import type { NamedWallets } from './sellers.ts'

/** What every network's source of payments writes. */
export const paymentDatasets = [chainPayments, chainRanges]

/** The name of the source of a network's payments. */
export const paymentsIn = (network: NetworkName): string => `payments_${network.replaceAll('-', '_')}`

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
  amount: fromAtoms(amount, networks[network].decimals),
  asset: plainAddress(networks[network].asset),
  method,
  facilitator,
  nonce,
  provisional,
  withdrawn: false,
})

/** The identity of a row as one text. */
export const factOf = (row: ChainPayment): string =>
  chainPayments.identity.map(column => row[column as keyof ChainPayment]).join(' ')

/** The wallets that appeared after one snapshot and no later than another. */
export const walletsBetween = ({ wallets }: NamedWallets, after: string, until: string): string[] =>
  [...wallets].filter(([, first]) => first > after && first <= until).map(([address]) => address)
