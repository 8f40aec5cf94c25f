/** The price of one token. */
import type { ChainPrice, ChainRefused } from '../reader.ts'
import { marketOf, noPool } from './market.ts'
import type { SvmNodes } from './nodes.ts'
import type { Pricing } from './prices.ts'
import { priceWarnings, shownPrice } from './shown-price.ts'
import { seen } from './token/facts.ts'

export async function priceOf(
  nodes: SvmNodes,
  pricing: Pricing,
  token: string,
): Promise<ChainPrice | ChainRefused<'not_a_token' | 'no_pool'>> {
  const market = await marketOf(pricing, token)
  if ('refused' in market) return market
  const { read, reading, pools, isPartial } = market
  const [deepest] = pools
  if (!deepest) return noPool(token)
  return {
    ...seen(nodes, reading.sight),
    token,
    symbol: read.symbol,
    ...shownPrice(deepest),
    pools_seen: pools.length,
    price_30m_usd: null,
    warnings: priceWarnings(pools, isPartial),
  }
}
