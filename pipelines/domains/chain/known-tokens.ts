/** Tokens that many know, and whose names others copy. The data file names the public lists that its tokens come from. */
import { type ChainName, chainNames } from '../../../schemas/tables/chains.ts'
import listed from './known-tokens.json' with { type: 'json' }
import { likeness } from './text.ts'

interface KnownToken {
  address: string
  symbol: string
  /** How its symbol and its name look to a hurried reader. */
  looks: readonly string[]
}

export const knownToken = (address: string, symbol: string, name = moneyNames[symbol]): KnownToken => ({
  address,
  symbol,
  looks: [symbol, name ?? symbol].map(likeness).filter(({ length }) => length >= leastLetters),
})

/** Many honest tokens share a symbol of fewer. */
const leastLetters = 3

/** The tokens that prices are in stand with their chains, and have these names. */
const moneyNames: Readonly<Record<string, string>> = {
  USDC: 'USD Coin',
  USDT: 'Tether USD',
  WETH: 'Wrapped Ether',
  WBTC: 'Wrapped BTC',
  cbBTC: 'Coinbase Wrapped BTC',
  SOL: 'Wrapped SOL',
}

const rows: Record<ChainName, Readonly<Record<string, readonly string[]>>> = listed.tokens
const tokens = new Map(
  chainNames.map(chain => [
    chain,
    Object.entries(rows[chain]).map(([address, [symbol = '', name]]) => knownToken(address, symbol, name)),
  ]),
)

export const listedOn = (chain: ChainName): readonly KnownToken[] => tokens.get(chain) ?? []

/** The known token that one of the names belongs to, unless it is this one. */
export function twinOf(
  known: readonly KnownToken[],
  token: string,
  names: readonly (string | null)[],
): KnownToken | undefined {
  if (known.some(({ address }) => address.toLowerCase() === token.toLowerCase())) return undefined
  const borne = new Set(names.map(name => likeness(name ?? '')))
  return known.find(({ looks }) => looks.some(look => borne.has(look)))
}
