/** The form of a price in answers, and the remarks on it. */
import { Decimal, oddPrice, shownDollars } from '../dollars.ts'
import type { ChainWarning, Pool as ShownPool } from '../reader.ts'
import { knownSymbol } from './known-tokens.ts'
import type { SvmPricedPool } from './priced-pool.ts'

export const shownPool = ({ read: { pool, quote } }: SvmPricedPool): ShownPool => ({
  address: pool.address,
  kind: pool.kind,
  fee: new Decimal(pool.feePpm).div(10_000).toFixed(),
  quote: knownSymbol(quote) ?? quote,
})

export const shownPrice = (one: SvmPricedPool) => ({ ...shownDollars(one), pool: shownPool(one) })

export const priceWarnings = (pools: readonly SvmPricedPool[], isPartial: boolean): ChainWarning[] => [
  ...(isPartial ? [leftOut] : []),
  ...oddPrice(
    pools.map(({ read, ...price }) => ({ ...price, address: read.pool.address })),
    null,
  ),
]

const leftOut: ChainWarning = {
  code: 'pools_left_out',
  severity: 'info',
  evidence:
    'the node does not list accounts of a program, so pools of Raydium AMM v4 are not among those seen',
}
