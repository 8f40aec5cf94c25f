/** The price of one token. */
import type { Address } from 'viem'
import { usdText } from '../dollars.ts'
import type { ChainPrice, ChainRefused } from '../reader.ts'
import type { EvmNodes } from './nodes.ts'
import type { Plan } from './plan.ts'
import { pricesOf } from './prices.ts'
import { priceWarnings, shownPrice } from './shown-price.ts'
import { shownAddress } from './token.ts'
import { type EvmReadToken, seen, tokenCalls, tokenIn } from './token-facts.ts'

export const tokenPlan = (token: Address): Plan<EvmReadToken | ChainRefused<'not_a_token'>> => ({
  calls: tokenCalls(token),
  read: returned => tokenIn(token, returned),
})

export async function priceOf(
  nodes: EvmNodes,
  token: Address,
): Promise<ChainPrice | ChainRefused<'not_a_token' | 'no_pool'>> {
  const { block, source, extra: read, of } = await pricesOf(nodes, [token], tokenPlan(token))
  if ('refused' in read) return read
  const pools = of.get(token.toLowerCase()) ?? []
  const [deepest] = pools
  if (!deepest) return noPool(nodes, token, read)
  return {
    ...seen(nodes, block, source),
    token: shownAddress(token),
    symbol: read.symbol.text,
    ...shownPrice(deepest),
    pools_seen: pools.length,
    price_30m_usd: deepest.averageUsd && usdText(deepest.averageUsd),
    warnings: priceWarnings(pools),
  }
}

export const noPool = (
  { chain }: EvmNodes,
  token: Address,
  { decimals }: EvmReadToken,
): ChainRefused<'no_pool'> => ({
  refused: 'no_pool',
  because:
    decimals === null
      ? `${shownAddress(token)} does not say how many decimals it has, so an amount of it has no price`
      : `No pool of ${shownAddress(token)} with a known quote token has liquidity on ${chain}`,
})
