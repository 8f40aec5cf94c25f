/** The form of a price in answers, and what is odd about it. */
import { Decimal, oddPrice, shownDollars } from '../dollars.ts'
import type { ChainWarning, Pool as ShownPool } from '../reader.ts'
import type { EvmPool } from './pools.ts'
import type { EvmPricedPool } from './prices.ts'
import { shownAddress } from './token.ts'

export const shownPool = ({ address, kind, fee, quote }: EvmPool): ShownPool => ({
  address: shownAddress(address),
  kind,
  fee: new Decimal(fee).div(10_000).toFixed(),
  quote: quote.symbol,
})

export const shownPrice = (priced: EvmPricedPool) => ({
  ...shownDollars(priced),
  pool: shownPool(priced.pool),
})

export const priceWarnings = (pools: readonly EvmPricedPool[]): ChainWarning[] =>
  oddPrice(
    pools.map(({ pool, ...price }) => ({ ...price, address: shownAddress(pool.address) })),
    pools[0]?.averageUsd ?? null,
  )
