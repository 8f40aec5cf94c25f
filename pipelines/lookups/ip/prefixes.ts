/** A set of address prefixes. To find an address costs one step per length of prefix that the set has. */
import { type IpAddress, parseIpAddress } from '../../../schemas/values/ip-address.ts'

const bits = { 4: 32, 6: 128 } as const

export class Prefixes {
  readonly #byLength = { 4: new Map<number, Set<bigint>>(), 6: new Map<number, Set<bigint>>() }

  /** Each line is a prefix, an address, or one of them before a comma. */
  constructor(lines: readonly string[], name: string) {
    for (const line of lines) {
      const [typed = '', length] = (line.split(/[,\s#]/)[0] ?? '').split('/')
      const address = parseIpAddress(typed)
      const of = length === undefined ? address && bits[address.family] : Number(length)
      if (!address || of === undefined || !Number.isInteger(of) || of < 0 || of > bits[address.family])
        throw new Error(`${name} has the line "${line.slice(0, 60)}", which is not a prefix`)
      const { family, value } = address
      const known = this.#byLength[family].get(of) ?? new Set()
      this.#byLength[family].set(of, known.add(value >> BigInt(bits[family] - of)))
    }
  }

  has({ family, value }: IpAddress): boolean {
    for (const [length, prefixes] of this.#byLength[family])
      if (prefixes.has(value >> BigInt(bits[family] - length))) return true
    return false
  }
}
