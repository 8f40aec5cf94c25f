/** The ways to write an IPv4 address into a URL. */

export function spellingsOf(address: string): string[] {
  const octets = address.split('.').map(Number) as [number, number, number, number]
  const [a, b, c, d] = octets
  const value = octets.reduce((sum, octet) => sum * 256 + octet, 0)
  const hex = (n: number) => n.toString(16)
  const octal = (n: number) => `0${n.toString(8)}`
  const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
  const wide = [...address].map(char => (char === '.' ? '。' : String.fromCodePoint(0xff10 + Number(char))))
  const circled = [...address].map(char =>
    /[1-9]/.test(char) ? String.fromCodePoint(0x245f + Number(char)) : char,
  )
  const percent = [...address].map(char => `%${hex(char.charCodeAt(0))}`)
  return [
    address,
    `${address}.`,
    String(value),
    `0x${hex(value)}`,
    `0X${hex(value).toUpperCase()}`,
    octal(value),
    octets.map(octet => `0x${hex(octet)}`).join('.'),
    octets.map(octal).join('.'),
    octets.map(octet => `000${octal(octet)}`).join('.'),
    `${a}.0x${hex(b)}.${octal(c)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    wide.join(''),
    circled.join(''),
    percent.join(''),
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:FFFF:${groups}]`,
    `[::${address}]`,
    `[64:ff9b::${groups}]`,
    `[64:ff9b:1::${groups}]`,
    `[2002:${groups}::1]`,
    `[2001:0:${groups}::1]`,
  ]
}
