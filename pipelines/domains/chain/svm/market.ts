/** A token and its pools, read at one slot. */
import type { ChainRefused } from '../reader.ts'
import type { PoolReading } from './pools/reader.ts'
import { priced, type SvmPricedPool } from './priced-pool.ts'
import type { Pricing } from './prices.ts'
import { type SvmReadToken, tokenAccounts, tokenIn } from './token/facts.ts'

export interface SvmMarket {
  read: SvmReadToken
  reading: PoolReading
  pools: SvmPricedPool[]
  isPartial: boolean
}

export async function marketOf(
  pricing: Pricing,
  token: string,
  beside: readonly string[] = [],
): Promise<SvmMarket | ChainRefused<'not_a_token'>> {
  const { isPartial, ...reading } = await pricing.read(token, [...tokenAccounts(token), ...beside])
  const read = tokenIn(token, reading.sight)
  if ('refused' in read) return read
  return { read, reading, pools: priced(token, read.mint.decimals, reading), isPartial }
}

export const noPool = (token: string): ChainRefused<'no_pool'> => ({
  refused: 'no_pool',
  because: `No pool of ${token} with USDC, USDT or SOL has liquidity`,
})
