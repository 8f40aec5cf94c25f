/** Reads IP addresses strictly, and writes them as RFC 5952 asks. */

export interface IpAddress {
  family: 4 | 6
  value: bigint
  /** The canonical text: dotted quad, or lower-case compressed IPv6. */
  text: string
}

/** The longest text is a whole IPv6 address whose last 32 bits are written as a dotted quad. */
const longest = 45
const octets = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/
const group = /^[0-9a-fA-F]{1,4}$/

/**
 * Accepts only an address: no port, prefix length, zone, brackets or host name, and no short or octal IPv4. An
 * IPv4-mapped IPv6 address is read as its IPv4 address.
 */
export function parseIpAddress(typed: string): IpAddress | undefined {
  const text = typed.trim()
  if (text.length > longest) return undefined
  if (!text.includes(':')) {
    const value = parseV4(text)
    return value === undefined ? undefined : { family: 4, value, text }
  }
  const value = parseV6(text)
  if (value === undefined) return undefined
  const mapped = value >> 32n === 0xffffn
  return mapped ? ipAddress(4, value & 0xffffffffn) : ipAddress(6, value)
}

export const ipAddress = (family: 4 | 6, value: bigint): IpAddress => ({
  family,
  value,
  text: family === 4 ? textV4(value) : textV6(value),
})

function parseV4(text: string): bigint | undefined {
  const parts = octets.exec(text)?.slice(1).map(Number)
  if (!parts?.every(part => part <= 255)) return undefined
  return BigInt(parts.reduce((value, part) => value * 256 + part, 0))
}

function parseV6(text: string): bigint | undefined {
  const spelled = text.includes('.') ? withoutDots(text) : text
  if (spelled === undefined) return undefined
  const halves = spelled.split('::').map(half => (half === '' ? [] : half.split(':')))
  const [head = [], tail = []] = halves
  const given = head.length + tail.length
  const whole = halves.length === 1 ? given === 8 : halves.length === 2 && given < 8
  if (!whole || ![...head, ...tail].every(part => group.test(part))) return undefined
  const groups = [...head, ...Array<string>(8 - given).fill('0'), ...tail]
  return BigInt(`0x${groups.map(part => part.padStart(4, '0')).join('')}`)
}

/** The last 32 bits may be written as a dotted quad. */
function withoutDots(text: string): string | undefined {
  const at = text.lastIndexOf(':') + 1
  const value = parseV4(text.slice(at))
  if (value === undefined) return undefined
  return `${text.slice(0, at)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

const textV4 = (value: bigint): string => [24n, 16n, 8n, 0n].map(shift => (value >> shift) & 0xffn).join('.')

function textV6(value: bigint): string {
  const groups = value
    .toString(16)
    .padStart(32, '0')
    .match(/.{4}/g)
    ?.map(part => Number.parseInt(part, 16).toString(16)) as string[]
  const zeros = longestZeros(groups)
  if (!zeros) return groups.join(':')
  return `${groups.slice(0, zeros.from).join(':')}::${groups.slice(zeros.to).join(':')}`
}

/** The run of zero groups that "::" replaces: the longest, the first of equally long ones, never a single group. */
function longestZeros(groups: readonly string[]): { from: number; to: number } | undefined {
  let best: { from: number; to: number } | undefined
  for (let from = 0; from < groups.length; from++) {
    let to = from
    while (groups[to] === '0') to++
    if (to - from > Math.max(1, best ? best.to - best.from : 0)) best = { from, to }
    from = Math.max(from, to - 1)
  }
  return best
}
