/** GTINs: EAN, UPC, ISBN. Their last digit checks the others. */

/** Digits of a GTIN, in one of its four lengths, or of an ISBN of ten. */
export const gtinOf = (text: string | undefined): string | undefined => {
  const digits = text?.replace(/[\s-]/g, '') ?? ''
  return /^(\d{8}|\d{12,14}|\d{9}[\dX])$/i.test(digits) ? digits : undefined
}

/** Whether the check digit is right. Where it is not, a digit is mistyped, or the number is none. */
export function isChecked(gtin: string): boolean {
  if (gtin.length === 10) return weighed(gtin, i => 10 - i) % 11 === 0
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
