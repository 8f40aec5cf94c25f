/** The symbols of Solana's known tokens, because their mints do not contain them. */
import { chainNames, isEvmChain } from '../../../../schemas/tables/chains.ts'
import { knownToken, listedOn } from '../known-tokens.ts'
import { usdcMint, usdtMint, wrappedSol } from './programs.ts'

export const knownTokens = [
  knownToken(usdcMint, 'USDC'),
  knownToken(usdtMint, 'USDT'),
  knownToken(wrappedSol, 'SOL'),
  ...chainNames.filter(name => !isEvmChain(name)).flatMap(listedOn),
]

const symbols = new Map(knownTokens.map(({ address, symbol }) => [address, symbol]))

export const knownSymbol = (mint: string): string | undefined => symbols.get(mint)
