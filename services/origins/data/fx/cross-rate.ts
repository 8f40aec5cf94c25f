/** Converts in decimal arithmetic. Rates are units for 1 EUR, as published; results are decimal text. */
import { Decimal } from 'decimal.js'

/** Multiplies any amount by any rate without rounding. */
const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_HALF_EVEN })
const significantDigits = 8

/** Returns the published rate unchanged, if there is one. Otherwise it divides two published rates. */
export function crossRate(from: string, to: string, rates: Readonly<Record<string, string>>): string {
  if (from === to) return '1'
  const target = to === 'EUR' ? '1' : (rates[to] as string)
  if (from === 'EUR') return target
  return new Exact(target)
    .div(rates[from] as string)
    .toSignificantDigits(significantDigits)
    .toFixed()
}

/**
 * The same for rates that give the price of one unit of a currency in one money. The published rate to that money stays unchanged;
 * every other rate is a quotient.
 */
export function quotedRate(from: string, to: string, { quotedIn, rates }: Quoted): string {
  if (from === to) return '1'
  const of = (code: string) => (code === quotedIn ? '1' : (rates[code] as string))
  if (to === quotedIn) return of(from)
  return new Exact(of(from)).div(of(to)).toSignificantDigits(significantDigits).toFixed()
}

interface Quoted {
  quotedIn: string
  rates: Readonly<Record<string, string | undefined>>
}

/** Rounds to 4 decimals, below 1 to 8. Callers go on calculating, so it never rounds to a currency's minor units. */
export function convert(amount: number, rate: string): string {
  const exact = new Exact(amount).times(rate)
  return exact.toDecimalPlaces(exact.lt(1) ? 8 : 4).toFixed()
}
