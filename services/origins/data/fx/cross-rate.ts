/** Exchange in decimal arithmetic: rates are units per 1 EUR, as published; results are decimal text. */
import { Decimal } from 'decimal.js'

/** Wide enough to hold any amount times any rate without rounding. */
const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_EVEN })
const significantDigits = 8

/** The published rate untouched where there is one; else the quotient of two. */
export function crossRate(from: string, to: string, rates: Readonly<Record<string, string>>): string {
  if (from === to) return '1'
  const target = to === 'EUR' ? '1' : (rates[to] as string)
  if (from === 'EUR') return target
  return new Exact(target)
    .div(rates[from] as string)
    .toSignificantDigits(significantDigits)
    .toFixed()
}

/** To 4 decimals, below 1 to 8. Never to a currency's minor units, for callers chain values. */
export function convert(amount: number, rate: string): string {
  const exact = new Exact(amount).times(rate)
  return exact.toDecimalPlaces(exact.lt(1) ? 8 : 4).toFixed()
}
