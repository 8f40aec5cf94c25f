/** The values of holdings, one by one and together. */
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { centsText, Decimal, isThin, type PoolPrice, skewWarnings, usdText } from './dollars.ts'
import { type ChainWarning, type Holding, type Portfolio, type Trade, thinBelowUsd } from './reader.ts'

interface Valued {
  shown: Holding
  /** Undefined if it has no price. */
  value: Decimal | undefined
  /** The part of its value in the total. */
  counted: Decimal
  /** What is odd about its price, with its name. */
  odd: ChainWarning[]
}

/** `units`: undefined if the token does not report its decimals. */
export function valued(
  held: Pick<Holding, 'token' | 'symbol' | 'amount'>,
  units: Decimal | undefined,
  price: PoolPrice | undefined,
): Valued {
  const value = price && units?.mul(price.priceUsd)
  const thin = price ? isThin(price) : null
  const worth = value ?? new Decimal(0)
  // A pool that has moved may be moved back, so the lower price counts.
  const steady = price?.skews?.length
    ? Decimal.min(worth, units?.mul(price.beforeUsd ?? price.priceUsd) ?? 0)
    : worth
  return {
    value,
    odd: price && worth.gt(0) ? skewWarnings([price]).map(named(held.symbol ?? held.token)) : [],
    counted: price && thin ? Decimal.min(steady, price.depthUsd) : steady,
    shown: {
      ...held,
      price_usd: price ? usdText(price.priceUsd) : null,
      value_usd: value ? centsText(value) : null,
      thin_liquidity: thin,
    },
  }
}

const named =
  (name: string) =>
  (warning: ChainWarning): ChainWarning =>
    warning.code === 'skewed' ? { ...warning, evidence: `${name}: ${warning.evidence}` } : warning

/** The native coin comes first, then the most valuable token. */
export function summed(
  native: readonly Valued[],
  tokens: readonly Valued[],
): Pick<Portfolio, 'holdings' | 'total_usd' | 'unpriced' | 'warnings'> {
  const worth = ({ value }: Valued) => value ?? new Decimal(-1)
  const all = [...native, ...[...tokens].sort((a, b) => worth(b).cmp(worth(a)))]
  return {
    holdings: all.map(({ shown }) => shown),
    total_usd: centsText(all.reduce((sum, { counted }) => sum.add(counted), new Decimal(0))),
    unpriced: all.filter(({ shown }) => shown.price_usd === null).length,
    warnings: [...once(all.flatMap(({ odd }) => odd)), ...all.flatMap(thinWarning)],
  }
}

const once = (warnings: readonly ChainWarning[]): ChainWarning[] => [
  ...new Map(warnings.map(warning => [warning.evidence, warning])).values(),
]

const thinWarning = ({ shown: { token, symbol, thin_liquidity }, value, counted }: Valued): ChainWarning[] =>
  thin_liquidity && value?.gt(0)
    ? [
        {
          code: 'thin',
          severity: 'caution',
          evidence: `${symbol ?? token}: less than $${thinBelowUsd} move its price by 2 %, so $${centsText(counted)} of it are in the total`,
        },
      ]
    : []

interface Lacking {
  symbol: string
  decimals: number
  held: bigint
}

/** A trade that the wallet cannot make. A buyer may hold something else to pay with, so for him it is a caution. */
export function lackOf(
  { symbol, decimals, held }: Lacking,
  needed: bigint,
  { side, amountUsd }: Pick<Trade, 'side' | 'amountUsd'>,
): ChainWarning[] {
  if (held >= needed) return []
  const [has, needs] = [fromAtoms(held, decimals), fromAtoms(needed, decimals)]
  return [
    {
      code: 'exceeds_holding',
      severity: side === 'sell' ? 'danger' : 'caution',
      evidence: `the wallet holds ${has} ${symbol}, and $${amountUsd} are ${needs} ${symbol}`,
    },
  ]
}
