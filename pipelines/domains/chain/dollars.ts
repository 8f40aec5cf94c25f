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
  /** The pools that have moved, of those that make the price: that of the token, and that of its quote token. */
  skews?: readonly Skew[]
  /** What the price was before they moved. */
  beforeUsd?: Decimal
  /** Why nobody can tell whether they have moved. */
  noPast?: NoPast | undefined
}

/** A pool that has moved, with its figures now and before. */
export interface Skew {
  address: string
  /** The symbol of the quote token whose price this is. Null if it is that of the token itself. */
  quote: string | null
  when: string
  priceUsd: Decimal
  beforeUsd: Decimal
  depthUsd: Decimal
  depthBeforeUsd: Decimal | undefined
}

export const timesApart = (a: Decimal, b: Decimal): Decimal => (a.gt(b) ? a.div(b) : b.div(a))

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

/** The depth that the pool had before it moved, if that is less: a swap that raises a price adds to the depth. */
const steadyDepth = ({ depthUsd, skews = [] }: PoolPrice): Decimal =>
  Decimal.min(
    depthUsd,
    ...skews.flatMap(({ quote, depthBeforeUsd }) => (quote === null && depthBeforeUsd) || []),
  )

/** The deepest pool comes first; one that has moved gives way to one that has not, unless that is far shallower. */
export function steadyFirst<Priced extends PoolPrice>(pools: readonly Priced[]): Priced[] {
  const sorted = [...pools].sort((a, b) => steadyDepth(b).cmp(steadyDepth(a)))
  const [first] = sorted
  if (!first?.skews?.length) return sorted
  const least = steadyDepth(first).mul(secondsWord)
  const steady = sorted.find(pool => !pool.skews?.length && pool.depthUsd.gte(least))
  return steady ? [steady, ...sorted.filter(pool => pool !== steady)] : sorted
}

/** How many times dearer or cheaper the second deepest dollar pool of a quote token may be. */
const mostBetweenPools = 1.1

/** The dollar pool of a quote token, with what is odd about it. Nobody can tell which of two pools is right. */
export function quoteWorth<Priced extends PoolPrice>(
  pools: readonly Priced[],
  addressOf: (pool: Priced) => string,
): Priced | undefined {
  const [first, second] = pools
  if (!first || !second || second.depthUsd.lt(first.depthUsd.mul(secondsWord))) return first
  if (timesApart(first.priceUsd, second.priceUsd).lte(mostBetweenPools)) return first
  const skew: Skew = {
    address: addressOf(first),
    quote: null,
    when: `in ${addressOf(second)}`,
    priceUsd: first.priceUsd,
    beforeUsd: second.priceUsd,
    depthUsd: first.depthUsd,
    depthBeforeUsd: undefined,
  }
  const skews = first.skews ?? []
  const beforeUsd = skews.length ? first.beforeUsd : second.priceUsd
  return { ...first, skews: [...skews, skew], ...(beforeUsd && { beforeUsd }) }
}

/** A price that is this many times the one before is no accident. */
const wild = 1.5

function skewWarning({ address, quote, when, ...of }: Skew, used: boolean): ChainWarning {
  const depth =
    of.depthBeforeUsd && ` (depth $${centsText(of.depthUsd)}, $${centsText(of.depthBeforeUsd)} before)`
  const what = `${quote === null ? '' : `its quote token ${quote}: `}$${usdText(of.priceUsd)} in ${address}`
  return {
    code: 'skewed',
    severity: used && timesApart(of.priceUsd, of.beforeUsd).gt(wild) ? 'danger' : 'caution',
    evidence: `${what}, and $${usdText(of.beforeUsd)} ${when}${depth ?? ''}${used ? '' : '; the price is from another pool'}`,
  }
}

const noPasts = {
  forgotten: 'the node does not keep the state of the last blocks',
  young: 'the pool is younger than that',
  'young quote': 'the pool of its quote token is younger than that',
} as const
type NoPast = keyof typeof noPasts

/** What has moved of the pool of the price, and of deeper pools that gave way to it. */
export function skewWarnings(pools: readonly PoolPrice[]): ChainWarning[] {
  const [first, ...others] = pools
  if (!first) return []
  const passed = others.filter(pool => pool.depthUsd.gt(first.depthUsd))
  const unknown = (why: NoPast): ChainWarning => ({
    code: 'past_unknown',
    severity: 'info',
    evidence: noPasts[why],
  })
  return [
    ...(first.skews ?? []).map(skew => skewWarning(skew, true)),
    ...passed
      .flatMap(({ skews = [] }) => skews.filter(({ quote }) => quote === null))
      .map(skew => skewWarning(skew, false)),
    ...(first.noPast ? [unknown(first.noPast)] : []),
  ]
}

/** Describes what is odd about the price of the first pool, the deepest one. */
export function oddPrice(
  [deepest, ...others]: readonly (PoolPrice & { address: string })[],
  averageUsd: Decimal | null,
): ChainWarning[] {
  if (!deepest) return []
  const [second] = others
  const found = skewWarnings([deepest, ...others])
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
