/** What is the same about the chains of the sandbox. */
import type { Running } from '../../pipelines/running.ts'
import type { NetworkName } from '../../schemas/networks.ts'

/** All amounts are atomic USDC. */
export interface PlayChain extends Running {
  network: NetworkName
  rpcUrl: string
  payer: string
  payTo: string
  balance(account: string): Promise<bigint>
  /** Gives the payer this much, on top of what he has. */
  fund(amount: bigint): Promise<void>
  /** The payer spends all he has elsewhere, as it may happen between a verify and a settle. */
  drain(): Promise<void>
}

/** What the payer starts with: a thousand dollars. */
export const openingBalance = 1_000_000_000n
