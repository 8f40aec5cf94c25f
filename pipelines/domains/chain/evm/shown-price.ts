/** How a price is shown, and what is odd about it. */
import { Decimal, oddPrice, shownDollars } from '../dollars.ts'
import type { Pool as ShownPool, Warning } from '../reader.ts'
import type { Pool } from './pools.ts'
import type { PricedPool } from './prices.ts'
import { shownAddress } from './token.ts'

export const shownPool = ({ address, kind, fee, quote }: Pool): ShownPool => ({
  address: shownAddress(address),
  kind,
  fee: new Decimal(fee).div(10_000).toFixed(),
  quote: quote.symbol,
})

export const shownPrice = (priced: PricedPool) => ({
  ...shownDollars(priced),
  pool: shownPool(priced.pool),
})

export const priceWarnings = (pools: readonly PricedPool[]): Warning[] =>
  oddPrice(
    pools.map(({ pool, ...price }) => ({ ...price, address: shownAddress(pool.address) })),
    pools[0]?.averageUsd ?? null,
  )
