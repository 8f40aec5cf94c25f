/** Units and dollars: both families of chains compute, show and doubt them in the same way. */
import { Decimal as Plain } from 'decimal.js'
import { type ChainWarning, thinBelowUsd } from './reader.ts'

export const Decimal = Plain.clone({ precision: 60 })
export type Decimal = Plain

export const unit = (decimals: number): Decimal => new Decimal(10).pow(decimals)
export const toUnits = (atoms: bigint, decimals: number): Decimal =>
  new Decimal(String(atoms)).div(unit(decimals))

const priceDigits = 12
export const usdText = (price: Decimal): string => price.toSignificantDigits(priceDigits).toFixed()
export const centsText = (dollars: Decimal): string => dollars.toDecimalPlaces(2).toFixed()

/** A pool's data about a token. */
export interface PoolPrice {
  priceUsd: Decimal
  depthUsd: Decimal
}

export const isThin = ({ depthUsd }: PoolPrice): boolean => depthUsd.lt(thinBelowUsd)

export const shownDollars = (price: PoolPrice) => ({
  price_usd: usdText(price.priceUsd),
  depth_usd: centsText(price.depthUsd),
  thin_liquidity: isThin(price),
})

export const noPrice = { price_usd: null, depth_usd: null, thin_liquidity: null, pool: null }

const mostApart = 0.05
/** A shallower second pool says little about the price. */
const secondsWord = 0.1

/** Describes what is odd about the price of the first pool, the deepest one. */
export function oddPrice(
  [deepest, second]: readonly (PoolPrice & { address: string })[],
  averageUsd: Decimal | null,
): ChainWarning[] {
  if (!deepest) return []
  const found: ChainWarning[] = []
  if (isThin(deepest))
    found.push({
      code: 'thin',
      severity: 'caution',
      evidence: `$${centsText(deepest.depthUsd)} move the price by 2 % in ${deepest.address}`,
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
  if (averageUsd) disagree(averageUsd, 'the average of 30 minutes')
  if (second?.depthUsd.gte(deepest.depthUsd.mul(secondsWord)))
    disagree(second.priceUsd, `the price in ${second.address}`)
  return found
}
