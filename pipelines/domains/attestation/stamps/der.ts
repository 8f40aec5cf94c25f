/** Reads and writes the part of DER (X.690) that time-stamps need. It refuses a value that has a shorter form. */

export interface Der {
  tag: number
  /** The original bytes, with tag and length. */
  bytes: Buffer
  content: Buffer
}

export class NotDer extends Error {
  override name = 'NotDer'
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  nothing: 0x05,
  id: 0x06,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** The first alternatives of a structure. */
  choice0: 0xa0,
  choice3: 0xa3,
}

/** A number that is a UUID takes 19 bytes. */
const mostIdBytes = 64
/** A name, a list of extensions and a set of attributes have only a few parts. */
const mostParts = 64

/** Reads the first value. Throws NotDer. */
function first(bytes: Buffer): Der {
  const [tag = 0, size = 0x80] = bytes
  const lengthBytes = size < 0x80 ? 0 : size - 0x80
  const start = 2 + lengthBytes
  if ((tag & 0x1f) === 0x1f || size === 0x80 || lengthBytes > 3 || start > bytes.length) throw new NotDer()
  const length = lengthBytes ? bytes.readUIntBE(2, lengthBytes) : size
  const isShortest = lengthBytes === 0 || length >= Math.max(0x80, 2 ** (8 * (lengthBytes - 1)))
  if (!isShortest || start + length > bytes.length) throw new NotDer()
  return { tag, bytes: bytes.subarray(0, start + length), content: bytes.subarray(start, start + length) }
}

/** Reads bytes that are exactly one value. Throws NotDer. */
export function readDer(bytes: Buffer, tag?: number): Der {
  const read = first(bytes)
  if (read.bytes.length < bytes.length) throw new NotDer()
  return tagged(read, tag)
}

/** The values in a sequence, a set or an alternative. Throws NotDer. */
export function partsOf(der: Der | undefined, tag?: number): Der[] {
  const parts: Der[] = []
  for (let { content } = tagged(der, tag); content.length; ) {
    const part = first(content)
    if (parts.push(part) > mostParts) throw new NotDer()
    content = content.subarray(part.bytes.length)
  }
  return parts
}

/** Throws NotDer if the value is missing or has another tag. */
export function tagged(der: Der | undefined, tag = der?.tag): Der {
  if (!der || der.tag !== tag) throw new NotDer()
  return der
}

/**
 * An object identifier, as numbers with dots. Throws NotDer, also for a long one: its digits take the square of its
 * length.
 */
export function idOf(der: Der | undefined): string {
  const { content } = tagged(der, tags.id)
  if (content.length > mostIdBytes) throw new NotDer()
  const numbers: bigint[] = []
  let number = 0n
  for (const byte of content) {
    if (number === 0n && byte === 0x80) throw new NotDer()
    number = (number << 7n) | BigInt(byte & 0x7f)
    if (byte & 0x80) continue
    numbers.push(number)
    number = 0n
  }
  const [head = 0n, ...rest] = numbers
  const top = head < 80n ? head / 40n : 2n
  return [top, head - top * 40n, ...rest].join('.')
}

/** The fraction of a second may have any length. */
const mostTimeBytes = 40

/** Throws NotDer. */
export function timeOf(der: Der | undefined): Date {
  const { content } = tagged(der, tags.time)
  if (content.length > mostTimeBytes) throw new NotDer()
  const text = content.toString('latin1')
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d*[1-9])?Z$/.exec(text) ?? []
  const [year, month, day, hour, minute, second, fraction = ''] = parts
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}Z`)
  if (Number.isNaN(time.getTime())) throw new NotDer()
  return time
}

export function written(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
