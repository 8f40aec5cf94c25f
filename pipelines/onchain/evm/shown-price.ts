/** How a price is shown, and what is odd about it. */
import { type Pool as ShownPool, thinBelowUsd, type Warning } from '../reader.ts'
import { Decimal } from './curves.ts'
import type { Pool } from './pools.ts'
import type { PricedPool } from './pricing.ts'
import { shownAddress } from './token.ts'

const priceDigits = 12
export const usdText = (price: Decimal): string => price.toSignificantDigits(priceDigits).toFixed()
export const centsText = (dollars: Decimal): string => dollars.toDecimalPlaces(2).toFixed()

export const shownPool = ({ address, kind, fee, quote }: Pool): ShownPool => ({
  address: shownAddress(address),
  kind,
  fee: new Decimal(fee).div(10_000).toFixed(),
  quote: quote.symbol,
})

export const shownPrice = ({ pool, priceUsd, depthUsd }: PricedPool) => ({
  price_usd: usdText(priceUsd),
  pool: shownPool(pool),
  depth_usd: centsText(depthUsd),
  thin_liquidity: depthUsd.lt(thinBelowUsd),
})

const mostApart = 0.05
/** A shallower second pool says little about the price. */
const secondsWord = 0.1

export function priceWarnings([deepest, second]: readonly PricedPool[]): Warning[] {
  if (!deepest) return []
  const found: Warning[] = []
  if (deepest.depthUsd.lt(thinBelowUsd))
    found.push({
      code: 'thin',
      severity: 'caution',
      evidence: `$${centsText(deepest.depthUsd)} move the price by 2 % in ${shownAddress(deepest.pool.address)}`,
    })
  const disagree = (other: Decimal, what: string) => {
    const apart = other.div(deepest.priceUsd).sub(1)
    if (apart.abs().gt(mostApart))
      found.push({
        code: 'price_disagrees',
        severity: 'caution',
        evidence: `${what} is $${usdText(other)}, ${apart.mul(100).toDecimalPlaces(1).toFixed()} % from the price`,
      })
  }
  if (deepest.averageUsd) disagree(deepest.averageUsd, 'the average of 30 minutes')
  if (second?.depthUsd.gte(deepest.depthUsd.mul(secondsWord)))
    disagree(second.priceUsd, `the price in ${shownAddress(second.pool.address)}`)
  return found
}
