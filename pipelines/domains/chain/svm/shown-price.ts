/** A price as an answer shows it, and what there is to say of it. */
import { Decimal, oddPrice, shownDollars } from '../dollars.ts'
import type { Pool as ShownPool, Warning } from '../reader.ts'
import { knownSymbol } from './known-tokens.ts'
import type { PricedPool } from './priced-pool.ts'

export const shownPool = ({ read: { pool, quote } }: PricedPool): ShownPool => ({
  address: pool.address,
  kind: pool.kind,
  fee: new Decimal(pool.feePpm).div(10_000).toFixed(),
  quote: knownSymbol(quote) ?? quote,
})

export const shownPrice = (one: PricedPool) => ({ ...shownDollars(one), pool: shownPool(one) })

export const priceWarnings = (pools: readonly PricedPool[], isPartial: boolean): Warning[] => [
  ...(isPartial ? [leftOut] : []),
  ...oddPrice(
    pools.map(({ read, ...price }) => ({ ...price, address: read.pool.address })),
    null,
  ),
]

const leftOut: Warning = {
  code: 'pools_left_out',
  severity: 'info',
  evidence:
    'the node does not list accounts of a program, so pools of Raydium AMM v4 are not among those seen',
}
