/** The holdings of an address, and their value. */
import type { Address } from 'viem'
import { chains } from '../../../../schemas/tables/chains.ts'
import { Decimal, toUnits } from '../dollars.ts'
import { summed, valued } from '../holdings.ts'
import { listedOn } from '../known-tokens.ts'
import type { Holder, Portfolio } from '../reader.ts'
import { markets } from './chains/index.ts'
import { look, nativeBalance } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import { each } from './plan.ts'
import { pricesOf } from './prices.ts'
import { balanceCall, decimalsOf, inUnits, shownAddress, textOf, tokenCall } from './token.ts'
import { seen } from './token-facts.ts'
import { type Returned, uintOf } from './words.ts'

interface Held {
  token: Address
  symbol: string | null
  decimals: number | null
  /** Undefined: the token does not tell. */
  atoms: bigint | undefined
}

export async function portfolioOf(nodes: EvmNodes, { address, tokens }: Holder): Promise<Portfolio> {
  const market = markets[nodes.chain]
  const { native, usdt, title } = chains[nodes.chain]
  const holder = address as Address
  const known = [
    ...market.quotes.map(quote => quote.address),
    ...listedOn(nodes.chain).map(each => each.address),
  ]
  const asked = (tokens ?? distinct([...known, ...(usdt ? [usdt] : [])])) as readonly Address[]
  const plan = each(asked.map(token => heldPlan(token, holder)))
  const { block, source, returned } = await look(nodes, [nativeBalance(holder), ...plan.calls])
  const coins = uintOf(returned[0]) ?? 0n
  const looked = plan.read(returned.slice(1))
  const held = looked.flatMap(({ atoms, ...token }) => (atoms ? [{ ...token, atoms }] : []))
  // A chain of tests lacks most known tokens.
  const unread = looked.flatMap(({ token, atoms }) =>
    tokens && atoms === undefined ? [shownAddress(token)] : [],
  )
  const nothing = { calls: [], read: () => undefined }
  const prices = await pricesOf(
    nodes,
    held.map(({ token }) => token),
    nothing,
    block,
  )
  const dollars = new Set(
    market.quotes.filter(({ dollar }) => dollar).map(quote => quote.address.toLowerCase()),
  )
  const ofTokens = held.map(({ token, symbol, decimals, atoms }) => {
    const place = token.toLowerCase()
    return valued(
      { token: shownAddress(token), symbol, amount: inUnits(atoms, decimals) },
      decimals === null ? undefined : toUnits(atoms, decimals),
      dollars.has(place) ? oneDollar : prices.of.get(place)?.[0],
    )
  })
  const ofCoins = valued(
    { token: 'native', symbol: native.symbol, amount: inUnits(coins, native.decimals) },
    toUnits(coins, native.decimals),
    prices.coins.native,
  )
  return {
    ...seen(nodes, block, source),
    address: shownAddress(holder),
    ...summed([ofCoins], ofTokens),
    coverage: `${
      tokens
        ? namedWords(asked.length)
        : `the native coin and ${asked.length} known tokens of ${title}; name others in \`tokens\``
    }${unreadWords(unread)}`,
    unread,
  }
}

function namedWords(count: number): string {
  if (count === 0) return 'the native coin alone'
  return `the native coin and ${count === 1 ? 'the token that was' : `the ${count} tokens that were`} asked for`
}

const unreadWords = (unread: readonly string[]): string =>
  unread.length ? `; not told, or no token: ${unread.join(', ')}` : ''

/** No pool prices a dollar. */
const oneDollar = { priceUsd: new Decimal(1), depthUsd: new Decimal(Number.POSITIVE_INFINITY) }

const heldPlan = (token: Address, holder: Address) => ({
  calls: [tokenCall(token, 'symbol'), tokenCall(token, 'decimals'), balanceCall(token, holder)],
  read: ([symbol, decimals, balance]: readonly Returned[]): Held => ({
    token,
    symbol: textOf(symbol).text,
    decimals: decimalsOf(decimals),
    atoms: uintOf(balance),
  }),
})

const distinct = (addresses: readonly string[]) => [
  ...new Map(addresses.map(address => [address.toLowerCase(), address])).values(),
]
