/** The common interface of the chains of the sandbox. */
import type { Running } from '../../pipelines/rails/running.ts'
import type { NetworkName } from '../../schemas/tables/networks.ts'

/** All amounts are atomic USDC. */
export interface PlayChain extends Running {
  network: NetworkName
  rpcUrl: string
  payer: string
  /** Pays the fees where the service settles by itself. */
  settleKey: string
  /** Pays sales back. */
  refundKey: string
  /** Buys like a customer. */
  canaryKey: string
  payTo: string
  balance(account: string): Promise<bigint>
  /** Adds this amount to the balance of the payer. */
  fund(amount: bigint): Promise<void>
  /** Spends the payer's whole balance elsewhere. This may happen between a verify and a settle. */
  drain(): Promise<void>
}

/** The first balance of the payer: a thousand dollars. */
export const openingBalance = 1_000_000_000n
