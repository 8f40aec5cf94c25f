/** USDC in its smallest unit, from decimal text. */
const places = 6

export function atomsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(places, '0').slice(0, places))
}
