/** Well-known tokens whose names others copy. The data file names the public lists of these tokens. */
import { type ChainName, chainNames } from '../../../schemas/tables/chains.ts'
import listed from './known-tokens.json' with { type: 'json' }
import type { ChainWarning } from './reader.ts'
import { likeness } from './text.ts'

interface KnownToken {
  address: string
  symbol: string
  /** The likeness of its symbol and of its name to a hurried reader. */
  looks: readonly string[]
}

export const knownToken = (address: string, symbol: string, name = moneyNames[symbol]): KnownToken => ({
  address,
  symbol,
  looks: [symbol, name ?? symbol].map(likeness).filter(({ length }) => length >= leastLetters),
})

/** Many honest tokens share a shorter symbol. */
const leastLetters = 3

/** The quote tokens are declared with their chains. These are their names. */
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

interface Twin extends KnownToken {
  /** Somebody passes it off as the known token. Otherwise it shares only one of two names with it, as honest tokens do. */
  copies: boolean
}

/** The known token with one of these names, unless it is this token. */
export function twinOf(
  known: readonly KnownToken[],
  token: string,
  names: readonly (string | null)[],
): Twin | undefined {
  if (known.some(({ address }) => address.toLowerCase() === token.toLowerCase())) return undefined
  const borne = names.map(name => likeness(name ?? ''))
  const twins = known
    .filter(({ looks }) => looks.some(look => borne.includes(look)))
    .map(twin => {
      const alike = names.filter((_, i) => twin.looks.includes(borne[i] ?? ''))
      const copies =
        Object.hasOwn(moneyNames, twin.symbol) || alike.length === names.length || alike.some(isDisguised)
      return { ...twin, copies }
    })
  return twins.find(({ copies }) => copies) ?? twins[0]
}

/** Letters of other alphabets, spaces or signs make a name look like another that it is not. */
const isDisguised = (name: string | null): boolean => name !== null && !/^[A-Za-z0-9 .]*$/.test(name)

export const twinWarning = ({ symbol, address, copies }: Twin): ChainWarning =>
  copies
    ? { code: 'lookalike', severity: 'danger', evidence: `${symbol} is the token at ${address}` }
    : {
        code: 'shared_name',
        severity: 'info',
        evidence: `${symbol} at ${address} has the same symbol or name, and not both`,
      }
