/** Finds the token that a symbol means on a chain: the coin, its dollars, and the known tokens. */
import { type ChainName, chains, isEvmChain } from '../../../schemas/tables/chains.ts'
import { markets } from './evm/chains/index.ts'
import { listedOn } from './known-tokens.ts'
import { wrappedSol } from './svm/programs.ts'

interface Named {
  symbol: string
  address: string
}

/** A symbol as people write it. No address on any chain is as short. */
const form = /^(?!0[xX])\$?[A-Za-z0-9][A-Za-z0-9.+-]{0,14}$/

export const isSymbol = (text: string): boolean => form.test(text)

/** `coin`: the symbol of the native coin means its wrapped form, which is a token. No two known tokens of a chain share a symbol. */
export function tokenCalled(chain: ChainName, said: string, { coin }: { coin: boolean }): string | undefined {
  const symbol = said.replace('$', '').toLowerCase()
  const tokens: readonly Named[] = [...ownOf(chain, coin), ...listedOn(chain)]
  return tokens.find(each => each.symbol.toLowerCase() === symbol)?.address
}

/** Tokens whose symbols mean nothing else on the chain. A bridged dollar is not the dollar. */
function ownOf(chain: ChainName, coin: boolean): Named[] {
  const { usdc, usdt, native } = chains[chain]
  const wrapped = isEvmChain(chain) ? markets[chain].wrapped : wrappedSol
  return [
    { symbol: 'USDC', address: usdc },
    ...(usdt === null ? [] : [{ symbol: 'USDT', address: usdt }]),
    ...(coin ? [{ symbol: native.symbol, address: wrapped }] : []),
    { symbol: `W${native.symbol}`, address: wrapped },
    ...(isEvmChain(chain) ? markets[chain].quotes : []),
  ]
}
