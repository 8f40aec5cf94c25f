/**
 * What stands in a text, in small letters and one alphabet of base64: JSON, also within a text of JSON, a URL, also within a URL, and
 * HTML. It is one pass, because an upstream may send four megabytes in which each sign is written by its number.
 */

const [quote, amp, percent, backslash] = [0x22, 0x26, 0x25, 0x5c]
const last = 0xff
const ofLatin = String.fromCharCode(...Array.from({ length: last + 1 }, (_, code) => code))
/** Small letters, and the first of the two alphabets of base64. */
const folded = Buffer.from(
  ofLatin
    .replace(/[A-Z]/g, letter => letter.toLowerCase())
    .replace('-', '+')
    .replace('_', '/'),
  'latin1',
)
const named: readonly (readonly [string, number])[] = [
  ['amp', amp],
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['quot', quote],
  ['apos', 0x27],
]
const mostZeros = 4

/** A sign, and where the next one begins. Undefined: this is no sign by a number. */
type Sign = readonly [code: number, next: number] | undefined

export function unpacked(text: string): string {
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const sign = signAt(text, at, code)
    at = sign ? sign[1] : at + 1
    if (!sign && code === backslash) continue
    bytes[length++] = folded[Math.min(sign ? sign[0] : code, last)] as number
  }
  return bytes.toString('latin1', 0, length)
}

function signAt(text: string, at: number, code: number): Sign {
  if (code === backslash)
    return text.startsWith('u00', at + 1) ? inHex(text, at + 'u00'.length + 1) : undefined
  if (code === percent) return inUrl(text, at + 1)
  return code === amp ? inHtml(text, at + 1) : undefined
}

function inHex(text: string, at: number): Sign {
  const [high, low] = [digitAt(text, at), digitAt(text, at + 1)]
  return high < 0 || low < 0 ? undefined : [high * 16 + low, at + 2]
}

/** The percent sign of a URL within a URL is encoded itself. */
function inUrl(text: string, start: number): Sign {
  let at = start
  while (text.startsWith('25', at)) at += 2
  return inHex(text, at) ?? (at > start ? [percent, at] : undefined)
}

function inHtml(text: string, start: number): Sign {
  if (text[start] !== '#') {
    const found = named.find(([name]) => text.startsWith(name, start))
    return found && ended(text, [found[1], start + found[0].length])
  }
  const isHex = text[start + 1] === 'x' || text[start + 1] === 'X'
  let at = start + (isHex ? 2 : 1)
  for (let zeros = 0; zeros < mostZeros && text[at] === '0'; zeros++) at++
  return ended(text, isHex ? inHex(text, at) : inDecimals(text, at))
}

function inDecimals(text: string, start: number): Sign {
  let [code, at] = [0, start]
  for (let digit = decimalAt(text, at); digit >= 0 && at < start + 3; digit = decimalAt(text, at)) {
    code = code * 10 + digit
    at++
  }
  return at > start + 1 ? [code, at] : undefined
}

const ended = (text: string, sign: Sign): Sign =>
  sign && (text[sign[1]] === ';' ? [sign[0], sign[1] + 1] : sign)

function decimalAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 0x30
  return digit >= 0 && digit <= 9 ? digit : -1
}

function digitAt(text: string, at: number): number {
  const decimal = decimalAt(text, at)
  if (decimal >= 0) return decimal
  const letter = (text.charCodeAt(at) | 0x20) - 0x61
  return letter >= 0 && letter < 6 ? letter + 10 : -1
}
