/** Solana as an indexer sees it. */
import type { Transfer } from './transfer.ts'

export interface SolanaReader {
  network: 'solana' | 'solana-devnet'
  read(): Promise<Transfer[]>
}
