/** What an address holds, and what it is worth. */
import type { Address } from 'viem'
import { chains } from '../../../schemas/chains.ts'
import { listedOn } from '../known-tokens.ts'
import { type Holder, type Holding, type Portfolio, thinBelowUsd } from '../reader.ts'
import { markets } from './chains/index.ts'
import { Decimal, toUnits } from './curves.ts'
import { look, nativeBalance } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import { each } from './plan.ts'
import { type PricedPool, pricesOf } from './pricing.ts'
import { centsText, usdText } from './shown-price.ts'
import { balanceCall, decimalsOf, inUnits, shownAddress, textOf, tokenCall } from './token.ts'
import { seen } from './token-facts.ts'
import { type Returned, uintOf } from './words.ts'

interface Held {
  token: Address
  symbol: string | null
  decimals: number | null
  atoms: bigint
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
  const held = plan.read(returned.slice(1)).filter(({ atoms }) => atoms > 0n)
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
  const ofTokens = held.map(each => {
    const place = each.token.toLowerCase()
    return holding(each, prices.of.get(place)?.[0], dollars.has(place))
  })
  const ofCoins = holding(
    { token: 'native' as Address, symbol: native.symbol, decimals: native.decimals, atoms: coins },
    prices.coins.native,
    false,
  )
  const all = [ofCoins, ...ofTokens.sort((a, b) => b.value.cmp(a.value))]
  return {
    ...seen(nodes, block, source),
    address: shownAddress(holder),
    holdings: all.map(({ shown }) => shown),
    total_usd: centsText(all.reduce((sum, { counted }) => sum.add(counted), new Decimal(0))),
    unpriced: all.filter(({ shown }) => shown.price_usd === null).length,
    coverage: tokens
      ? `the native coin and the ${asked.length} tokens that were asked for`
      : `the native coin and ${asked.length} known tokens of ${title}; name others in \`tokens\``,
    warnings: all.flatMap(({ shown, value, counted }) =>
      shown.thin_liquidity && value.gt(0)
        ? [
            {
              code: 'thin' as const,
              severity: 'caution' as const,
              evidence: `${shown.symbol ?? shown.token}: less than $${thinBelowUsd} move its price by 2 %, so $${centsText(counted)} of it are in the total`,
            },
          ]
        : [],
    ),
  }
}

const heldPlan = (token: Address, holder: Address) => ({
  calls: [tokenCall(token, 'symbol'), tokenCall(token, 'decimals'), balanceCall(token, holder)],
  read: ([symbol, decimals, balance]: readonly Returned[]): Held => ({
    token,
    symbol: textOf(symbol).text,
    decimals: decimalsOf(decimals),
    atoms: uintOf(balance) ?? 0n,
  }),
})

function holding(
  { token, symbol, decimals, atoms }: Held,
  deepest: PricedPool | undefined,
  isDollar: boolean,
): { shown: Holding; value: Decimal; counted: Decimal } {
  const price = isDollar ? new Decimal(1) : deepest?.priceUsd
  const value = price && decimals !== null ? toUnits(atoms, decimals).mul(price) : undefined
  const isThin = isDollar ? false : deepest ? deepest.depthUsd.lt(thinBelowUsd) : null
  const worth = value ?? new Decimal(0)
  return {
    value: worth,
    counted: deepest && isThin ? Decimal.min(worth, deepest.depthUsd) : worth,
    shown: {
      token: token.startsWith('0x') ? shownAddress(token) : token,
      symbol,
      amount: inUnits(atoms, decimals),
      price_usd: price ? usdText(price) : null,
      value_usd: value ? centsText(value) : null,
      thin_liquidity: isThin,
    },
  }
}

const distinct = (addresses: readonly string[]) => [
  ...new Map(addresses.map(address => [address.toLowerCase(), address])).values(),
]
