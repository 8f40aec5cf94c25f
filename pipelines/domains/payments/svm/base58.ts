/** Base58, the text in which Solana writes addresses, signatures and hashes. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** 64 bytes take 88 digits. Longer texts are refused before they cost anything. */
const mostDigits = 90

/** Undefined if this is not base58. */
export function fromBase58(text: string): Uint8Array | undefined {
  if (text === '' || text.length > mostDigits) return undefined
  let number = 0n
  for (const digit of text) {
    const value = alphabet.indexOf(digit)
    if (value < 0) return undefined
    number = number * 58n + BigInt(value)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const hex = number === 0n ? '' : number.toString(16)
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')])
}

export function toBase58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
  let digits = ''
  for (; number > 0n; number /= 58n) digits = alphabet[Number(number % 58n)] + digits
  const zeros = bytes.findIndex(byte => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + digits
}
