/** Writes small databases in the MaxMind DB format: a binary tree of address bits, then records, then metadata. */
import { type IpAddress, parseIpAddress } from '../../schemas/values/ip-address.ts'

/** A number that is written as a 32-bit float. */
export class Float32 {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

type MmdbValue =
  | string
  | number
  | bigint
  | boolean
  | Float32
  | readonly MmdbValue[]
  | { readonly [key: string]: MmdbValue }

export interface Mmdb {
  type: string
  ipVersion: 4 | 6
  built: Date
  /** Maps each prefix to its record. The longest prefix wins. */
  networks: Readonly<Record<string, MmdbValue>>
}

type Branch = [Branch | number | undefined, Branch | number | undefined]
const nodeBytes = 8

export function mmdb({ type, ipVersion, built, networks }: Mmdb): Buffer {
  const root: Branch = [undefined, undefined]
  const records: Buffer[] = []
  let length = 0
  const prefixes = Object.entries(networks).map(([prefix, record]) => ({
    ...bitsOf(prefix, ipVersion),
    record,
  }))
  for (const { bits, record } of prefixes.sort((a, b) => a.bits.length - b.bits.length)) {
    insert(root, bits, length)
    records.push(encode(record))
    length += records.at(-1)?.length ?? 0
  }
  const nodes = flatten(root)
  const tree = Buffer.alloc(nodes.length * nodeBytes)
  nodes.forEach((node, at) => {
    node.forEach((branch, side) => {
      const empty = nodes.length
      const value =
        branch === undefined
          ? empty
          : typeof branch === 'number'
            ? empty + 16 + branch
            : nodes.indexOf(branch)
      tree.writeUInt32BE(value, at * nodeBytes + side * 4)
    })
  })
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: BigInt(Math.floor(built.getTime() / 1000)),
    database_type: type,
    description: {},
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: nodeBytes * 4,
  })
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([tree, Buffer.alloc(16), ...records, marker, metadata])
}

function bitsOf(prefix: string, ipVersion: 4 | 6): { bits: string } {
  const [text = '', length] = prefix.split('/')
  const { family, value } = parseIpAddress(text) as IpAddress
  const width = ipVersion === 4 ? 32 : 128
  const lead = family === 4 && ipVersion === 6 ? 96 : 0
  return {
    bits: value
      .toString(2)
      .padStart(width, '0')
      .slice(0, lead + Number(length)),
  }
}

/** Shorter prefixes are inserted first. A longer one splits their record, which stays valid for the rest. */
function insert(root: Branch, bits: string, record: number): void {
  let node = root
  for (const bit of bits.slice(0, -1)) {
    const side = Number(bit) as 0 | 1
    let next = node[side]
    if (typeof next !== 'object') {
      next = [next, next]
      node[side] = next
    }
    node = next
  }
  node[Number(bits.at(-1)) as 0 | 1] = record
}

const flatten = (node: Branch): Branch[] => [
  node,
  ...node.filter(branch => typeof branch === 'object').flatMap(flatten),
]

const kinds = { string: 2, double: 3, uint32: 6, map: 7, uint64: 9, array: 11, boolean: 14, float: 15 }

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') return sized('string', Buffer.byteLength(value), Buffer.from(value))
  if (typeof value === 'boolean') return sized('boolean', Number(value))
  if (typeof value === 'bigint') return whole('uint64', value)
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0)
    return whole('uint32', BigInt(value))
  if (typeof value === 'number') {
    const double = Buffer.alloc(8)
    double.writeDoubleBE(value)
    return sized('double', 8, double)
  }
  if (value instanceof Float32) {
    const float = Buffer.alloc(4)
    float.writeFloatBE(value.value)
    return sized('float', 4, float)
  }
  if (Array.isArray(value)) return sized('array', value.length, ...value.map(encode))
  const entries = Object.entries(value)
  return sized('map', entries.length, ...entries.flatMap(([key, held]) => [encode(key), encode(held)]))
}

function whole(kind: 'uint32' | 'uint64', value: bigint): Buffer {
  const hex = value === 0n ? '' : value.toString(16)
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
  return sized(kind, bytes.length, bytes)
}

/** A size from 29 on needs another byte. No value here is longer than 284. */
function sized(kind: keyof typeof kinds, size: number, ...content: Buffer[]): Buffer {
  const number = kinds[kind]
  const short = Math.min(size, 29)
  const head = number > 7 ? [short, number - 7] : [(number << 5) | short]
  return Buffer.concat([Buffer.from(size >= 29 ? [...head, size - 29] : head), ...content])
}
