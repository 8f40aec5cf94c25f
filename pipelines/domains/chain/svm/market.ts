/** A token and its pools, read at one slot. */
import type { Refused } from '../reader.ts'
import type { Reading } from './pools/reader.ts'
import { type PricedPool, priced } from './priced-pool.ts'
import type { Pricing } from './prices.ts'
import { type ReadToken, tokenAccounts, tokenIn } from './token/facts.ts'

export interface Market {
  read: ReadToken
  reading: Reading
  pools: PricedPool[]
  isPartial: boolean
}

export async function marketOf(
  pricing: Pricing,
  token: string,
  beside: readonly string[] = [],
): Promise<Market | Refused<'not_a_token'>> {
  const { isPartial, ...reading } = await pricing.read(token, [...tokenAccounts(token), ...beside])
  const read = tokenIn(token, reading.sight)
  if ('refused' in read) return read
  return { read, reading, pools: priced(token, read.mint.decimals, reading), isPartial }
}

export const noPool = (token: string): Refused<'no_pool'> => ({
  refused: 'no_pool',
  because: `No pool of ${token} with USDC, USDT or SOL has liquidity`,
})
