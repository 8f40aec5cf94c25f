/** A price as an answer shows it, and what there is to say of it. */
import { type Pool as ShownPool, thinBelowUsd, type Warning } from '../reader.ts'
import { knownSymbol } from './known-tokens.ts'
import { Decimal, type PricedPool } from './priced-pool.ts'

const priceDigits = 12
export const usdText = (price: Decimal): string => price.toSignificantDigits(priceDigits).toFixed()
export const centsText = (usd: Decimal): string => usd.toDecimalPlaces(2).toFixed()

export const shownPool = ({ read: { pool, quote } }: PricedPool): ShownPool => ({
  address: pool.address,
  kind: pool.kind,
  fee: new Decimal(pool.feePpm).div(10_000).toFixed(),
  quote: knownSymbol(quote) ?? quote,
})

export const shownPrice = (one: PricedPool) => ({
  price_usd: usdText(one.priceUsd),
  pool: shownPool(one),
  depth_usd: centsText(one.depthUsd),
  thin_liquidity: one.depthUsd.lt(thinBelowUsd),
})

const mostApart = 0.05
/** A shallower second pool says little about the price. */
const secondsWord = 0.1

export function priceWarnings([deepest, second]: readonly PricedPool[], isPartial: boolean): Warning[] {
  const found: Warning[] = []
  if (isPartial)
    found.push({
      code: 'pools_left_out',
      severity: 'info',
      evidence:
        'the node does not list accounts of a program, so pools of Raydium AMM v4 are not among those seen',
    })
  if (!deepest) return found
  const { read, depthUsd, priceUsd } = deepest
  if (depthUsd.lt(thinBelowUsd))
    found.push({
      code: 'thin',
      severity: 'caution',
      evidence: `$${centsText(depthUsd)} move the price by 2 % in ${read.pool.address}`,
    })
  const rival = second?.depthUsd.gte(depthUsd.mul(secondsWord)) ? second : undefined
  const apart = rival?.priceUsd.div(priceUsd).sub(1)
  if (rival && apart?.abs().gt(mostApart))
    found.push({
      code: 'price_disagrees',
      severity: 'caution',
      evidence: `the price in ${rival.read.pool.address} is $${usdText(rival.priceUsd)}, ${apart.mul(100).toDecimalPlaces(1).toFixed()} % from the price`,
    })
  return found
}
