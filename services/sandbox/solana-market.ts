/**
 * The market of the sandbox's Solana: a Whirlpool of SOL and play USDC. It is a sample with an invented price, only for reading.
 */
import { address } from '@solana/kit'
import { metadataOf } from '../../pipelines/domains/chain/svm/derived-address.ts'
import { squareRoot } from '../../pipelines/domains/chain/svm/pools/pool.ts'
import { metadataProgram, wrappedSol } from '../../pipelines/domains/chain/svm/programs.ts'
import type { SolanaChain } from './solana-chain.ts'
import { metadataData } from './solana-metadata.ts'
import { mintData, tokenProgram } from './solana-token.ts'
import { tickAt, whirlpoolAccounts } from './solana-whirlpool.ts'

/** In play USDC. */
const solPrice = 150n
const solDecimals = 9
const spacing = 4
const halfWidth = 1400

export function layMarket(chain: SolanaChain): void {
  // Atoms of USDC (6 places) for one atom of SOL (9 places).
  const sqrtPrice = squareRoot((solPrice << 128n) / 1000n)
  const tick = tickAt(sqrtPrice)
  const middle = Math.floor(tick / spacing) * spacing
  const accounts = whirlpoolAccounts({
    mints: [wrappedSol, chain.mint],
    spacing,
    feePpm: 400,
    sqrtPrice,
    tick,
    positions: [{ from: middle - halfWidth, to: middle + halfWidth, liquidity: 260_000_000_000_000n }],
  })
  chain.lay({ address: address(wrappedSol), programAddress: tokenProgram, data: mintData(solDecimals) })
  for (const [mint, name, symbol] of [
    [wrappedSol, 'SOL, a sample', 'SOL'],
    [chain.mint, 'USD Coin, play money', 'USDC'],
  ] as const)
    chain.lay({
      address: address(metadataOf(mint)),
      programAddress: address(metadataProgram),
      data: metadataData(mint, name, symbol),
    })
  for (const account of accounts) chain.lay(account)
}
