/** The values of holdings, one by one and together. */
import { centsText, Decimal, isThin, type PoolPrice, usdText } from './dollars.ts'
import { type ChainWarning, type Holding, type Portfolio, thinBelowUsd } from './reader.ts'

interface Valued {
  shown: Holding
  /** Undefined if it has no price. */
  value: Decimal | undefined
  /** The part of its value in the total. */
  counted: Decimal
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
  return {
    value,
    counted: price && thin ? Decimal.min(worth, price.depthUsd) : worth,
    shown: {
      ...held,
      price_usd: price ? usdText(price.priceUsd) : null,
      value_usd: value ? centsText(value) : null,
      thin_liquidity: thin,
    },
  }
}

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
    warnings: all.flatMap(thinWarning),
  }
}

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
