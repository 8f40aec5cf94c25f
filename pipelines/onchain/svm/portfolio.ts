/** What an owner holds, priced. On Solana every token account of an owner can be found. */
import { chains } from '../../../schemas/chains.ts'
import { fromAtoms } from '../../../schemas/stablecoins.ts'
import type { Holder, Holding, Portfolio, Warning } from '../reader.ts'
import { atomsOf } from './balance.ts'
import { knownSymbol } from './known-tokens.ts'
import { look, type Sight } from './look.ts'
import type { SvmNodes } from './nodes.ts'
import { centsText, type PricedPool, type Pricing, toUnits, usdText } from './pricing.ts'
import { wrappedSol } from './programs.ts'
import { type ReadToken, seen, tokenAccounts, tokenIn } from './token/facts.ts'
import { heldBy } from './token/held.ts'

/** So many tokens are priced. A wallet may be given thousands that nobody trades. */
const mostPriced = 20

export async function portfolioOf(
  nodes: SvmNodes,
  pricing: Pricing,
  { address, tokens }: Holder,
): Promise<Portfolio> {
  const { native } = chains[nodes.chain]
  const { held, upTo } = await heldBy(nodes, address)
  const wanted = held.filter(({ mint, amount }) => amount > 0n && (tokens?.includes(mint) ?? true))
  const mints = [...new Set(wanted.map(({ mint }) => mint))]
  const sight = await look(
    nodes,
    [address, ...wanted.map(({ account }) => account), ...mints.flatMap(tokenAccounts)],
    { since: upTo },
  )
  const read = mints
    .map(mint => ({ mint, token: tokenIn(mint, sight), atoms: atomsOf(mint, wanted, sight) }))
    .flatMap(({ mint, token, atoms }) => ('refused' in token || atoms === 0n ? [] : [{ mint, token, atoms }]))
  const lamports = sight.account(address)?.lamports ?? 0n
  const priced = read
    .filter(({ token }) => mayTrade(token))
    .sort(knownFirst)
    .slice(0, mostPriced)
  const prices = await pricesOf(pricing, [
    { mint: wrappedSol, decimals: native.decimals },
    ...priced.map(({ mint, token }) => ({ mint, decimals: token.mint.decimals })),
  ])
  const sol =
    lamports > 0n ? [holdingOf(null, native.symbol, lamports, native.decimals, prices.of(wrappedSol))] : []
  const others = read
    .map(({ mint, token, atoms }) =>
      holdingOf(mint, token.symbol, atoms, token.mint.decimals, prices.of(mint)),
    )
    .sort((a, b) => Number(b.value_usd ?? -1) - Number(a.value_usd ?? -1))
  const holdings = [...sol, ...others]
  return {
    ...seen(nodes, sight),
    address,
    holdings,
    total_usd: centsText(holdings.reduce((sum, { value_usd }) => sum.add(value_usd ?? 0), toUnits(0n, 0))),
    unpriced: holdings.filter(({ value_usd }) => value_usd === null).length,
    coverage: coverageOf(sight, prices, read.length - priced.length, tokens !== undefined),
    warnings: thinOnes(holdings),
  }
}

/** One piece of a thing without parts is an NFT, and has no pool. */
const mayTrade = ({ mint }: ReadToken): boolean => mint.decimals > 0 || mint.supply > 1n

const knownFirst = (a: { mint: string }, b: { mint: string }): number =>
  Number(knownSymbol(b.mint) !== undefined) - Number(knownSymbol(a.mint) !== undefined)

interface Prices {
  of(mint: string): PricedPool | undefined
  slots: number[]
}

async function pricesOf(
  pricing: Pricing,
  tokens: readonly { mint: string; decimals: number }[],
): Promise<Prices> {
  const found = new Map<string, PricedPool>()
  const slots: number[] = []
  for (const { mint, decimals } of tokens) {
    if (found.has(mint)) continue
    const reading = await pricing.read(mint, [])
    slots.push(reading.sight.clock.slot)
    const [deepest] = pricing.priced(mint, decimals, reading)
    if (deepest) found.set(mint, deepest)
  }
  return { of: mint => found.get(mint), slots }
}

function holdingOf(
  token: string | null,
  symbol: string | null,
  atoms: bigint,
  decimals: number,
  price: PricedPool | undefined,
): Holding {
  return {
    token: token ?? 'native',
    symbol,
    amount: fromAtoms(atoms, decimals),
    price_usd: price ? usdText(price.priceUsd) : null,
    value_usd: price ? centsText(toUnits(atoms, decimals).mul(price.priceUsd)) : null,
    thin_liquidity: price ? price.depthUsd.lt(5000) : null,
  }
}

function coverageOf(sight: Sight, { slots }: Prices, left: number, isNamed: boolean): string {
  const [first, last] = [sight.clock.slot, Math.max(sight.upTo, ...slots)]
  return [
    isNamed ? 'SOL, and the tokens that were named' : 'SOL, and every token account of the address',
    ...(left > 0 ? [`${left} tokens are not priced: ${mostPriced} are, the known ones first`] : []),
    ...(last > first ? [`amounts are of slot ${first}, prices of slots up to ${last}`] : []),
  ].join('; ')
}

function thinOnes(holdings: readonly Holding[]): Warning[] {
  return holdings
    .filter(({ thin_liquidity }) => thin_liquidity)
    .map(({ token, symbol, value_usd }) => ({
      code: 'thin' as const,
      severity: 'caution' as const,
      evidence: `${symbol ?? token}, valued at $${value_usd}, has a thin pool: less than that may come out of a sale`,
    }))
}
