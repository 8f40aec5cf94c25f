/** Writes a ZIP archive member by member, in the 64-bit form if it is asked for or has too many members for the old one. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { crc32, deflateRawSync } from 'node:zlib'

const most16 = 0xffff
const most32 = 0xffffffff

export class ArchiveWriter {
  readonly #file: number
  readonly #directory: Buffer[] = []
  #at = 0
  unpacked = 0

  constructor(file: string) {
    this.#file = openSync(file, 'w')
  }

  /** Packed content is not packed again, so many copies of one member cost nothing. */
  add(
    name: string,
    content: Buffer,
    packed = deflateRawSync(content, { level: 1 }),
    crc = crc32(content),
  ): void {
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(45, 4)
    header.writeUInt16LE(8, 8)
    header.writeUInt32LE(crc, 14)
    header.writeUInt32LE(packed.length, 18)
    header.writeUInt32LE(content.length, 22)
    header.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    header.copy(entry, 6, 4, 30)
    entry.writeUInt16LE(45, 4)
    entry.writeUInt32LE(this.#at, 42)
    this.#directory.push(entry, Buffer.from(name))
    this.#write(header, Buffer.from(name), packed)
    this.unpacked += content.length
  }

  close({ isLarge = this.#directory.length / 2 > most16 } = {}): void {
    const start = this.#at
    const members = this.#directory.length / 2
    for (let i = 0; i < this.#directory.length; i += 2000)
      this.#write(Buffer.concat(this.#directory.slice(i, i + 2000)))
    const size = this.#at - start
    const large = Buffer.alloc(56)
    large.writeUInt32LE(0x06064b50, 0)
    large.writeBigUInt64LE(44n, 4)
    large.writeUInt16LE(45, 12)
    large.writeUInt16LE(45, 14)
    large.writeBigUInt64LE(BigInt(members), 24)
    large.writeBigUInt64LE(BigInt(members), 32)
    large.writeBigUInt64LE(BigInt(size), 40)
    large.writeBigUInt64LE(BigInt(start), 48)
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    locator.writeBigUInt64LE(BigInt(this.#at), 8)
    locator.writeUInt32LE(1, 16)
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(isLarge ? most16 : members, 8)
    end.writeUInt16LE(isLarge ? most16 : members, 10)
    end.writeUInt32LE(isLarge ? most32 : size, 12)
    end.writeUInt32LE(isLarge ? most32 : start, 16)
    this.#write(...(isLarge ? [large, locator] : []), end)
    closeSync(this.#file)
  }

  #write(...parts: Buffer[]): void {
    for (const part of parts) {
      writeSync(this.#file, part)
      this.#at += part.length
    }
  }
}
