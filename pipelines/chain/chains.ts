/** The chains that may be read, and the wallets that are looked for there. */
import type { BaseReader } from './base-reader.ts'
import type { SolanaReader } from './solana-reader.ts'

export interface Chains {
  base?: BaseReader | undefined
  solana?: SolanaReader | undefined
  sellers: SellerWallets
}

export interface SellerWallets {
  /** Those on this network (CAIP-2) that the catalog has named within the last weeks. */
  named(network: string): Promise<NamedWallets>
}

export interface NamedWallets {
  /** The last complete snapshot that they are from. */
  until: string
  /** Each with the snapshot that named it first. */
  wallets: ReadonlyMap<string, string>
}
