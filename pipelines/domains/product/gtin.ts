/** GTINs: EAN, UPC, ISBN. Their last digit checks the others. */

/** Digits of a GTIN, in one of its four lengths. */
export const gtinOf = (text: string | undefined): string | undefined => {
  const digits = bare(text)
  return /^(\d{8}|\d{12,14})$/.test(digits) ? digits : undefined
}

/**
 * The GTIN of a book. An ISBN of ten is none: it has another check digit, and its number of thirteen begins with 978.
 * With a mistyped digit it stays as it is, for a new check digit would hide the mistake: `withoutMistyped` takes it out.
 */
export function gtinOfBook(isbn: string | undefined): string | undefined {
  const short = bare(isbn)
  if (!/^\d{9}[\dX]$/i.test(short)) return gtinOf(isbn)
  if (weighed(short, i => 10 - i) % 11 !== 0) return short
  const body = `978${short.slice(0, 9)}`
  return `${body}${(10 - (weighed(body, i => (i % 2 === 0 ? 1 : 3)) % 10)) % 10}`
}

const bare = (text: string | undefined): string => text?.replace(/[\s-]/g, '') ?? ''

/** Only a mistyped ISBN has this length. */
export const isMistyped = (gtin: string): boolean => gtin.length === 10

/** Whether the check digit is right. Where it is not, a digit is mistyped, or the number is none. */
export function isChecked(gtin: string): boolean {
  if (isMistyped(gtin)) return false
  const isRight = weighed(gtin, i => ((gtin.length - i) % 2 === 0 ? 3 : 1)) % 10 === 0
  return isRight || (gtin.length === 8 && isChecked(fromShort(gtin)))
}

const weighed = (digits: string, weight: (place: number) => number): number =>
  [...digits].reduce((sum, digit, i) => sum + weight(i) * (/x/i.test(digit) ? 10 : Number(digit)), 0)

/** The twelve digits of a UPC that leaves out zeros. */
function fromShort(short: string): string {
  const [system, body, check] = [short[0], short.slice(1, 7), short[7]] as [string, string, string]
  const last = body[5] as string
  const whole =
    last <= '2'
      ? `${body.slice(0, 2)}${last}0000${body.slice(2, 5)}`
      : last === '3'
        ? `${body.slice(0, 3)}00000${body.slice(3, 5)}`
        : last === '4'
          ? `${body.slice(0, 4)}00000${body[4]}`
          : `${body.slice(0, 5)}0000${last}`
  return `${system}${whole}${check}`
}
