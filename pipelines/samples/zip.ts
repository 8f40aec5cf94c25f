/** Writes a ZIP archive of one file, without compression. */
import { crc32 } from 'node:zlib'

export function zip(name: string, text: string): Buffer {
  const content = Buffer.from(text)
  const file = Buffer.from(name)
  // Version 2.0, no flags, stored, 1980-01-01. Both headers describe the file with the same bytes.
  const entry = Buffer.alloc(26)
  entry.writeUInt16LE(20, 0)
  entry.writeUInt16LE(0x21, 8)
  entry.writeUInt32LE(crc32(content), 10)
  entry.writeUInt32LE(content.length, 14)
  entry.writeUInt32LE(content.length, 18)
  entry.writeUInt16LE(file.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), entry, file, content])
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), entry, Buffer.alloc(14), file])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, central, end])
}
