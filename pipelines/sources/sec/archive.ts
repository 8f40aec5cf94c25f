/** Reads the members of a ZIP archive on disk one at a time, of any number and size. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { crc32, inflateRawSync } from 'node:zlib'
import { type Entry, openPromise } from 'yauzl'
import { UpstreamFailed } from '../../rails/failures.ts'

export interface Member {
  index: number
  name: string
  /** The CRC of its content. A member with the same CRC as before need not be read again. */
  crc: number
  /** The unpacked size. */
  bytes: number
  /** The size of the archive before it. */
  archiveBytes: number
  open(): Promise<AsyncIterable<Buffer> | readonly Buffer[]>
}

interface Archive {
  members: number
  bytes: number
  [Symbol.asyncIterator](): AsyncGenerator<Member>
  close(): Promise<void>
}

export async function openArchive(file: string): Promise<Archive> {
  const { size } = await stat(file)
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false }).catch(error => {
    throw new UpstreamFailed(`${file} is not a ZIP archive`, { cause: error })
  })
  const window = new Window(await open(file))
  return {
    members: zip.entryCount,
    bytes: size,
    async *[Symbol.asyncIterator]() {
      let index = 0
      for await (const entry of zip.eachEntry())
        yield {
          index: index++,
          name: entry.fileName,
          crc: entry.crc32,
          bytes: entry.uncompressedSize,
          archiveBytes: entry.relativeOffsetOfLocalHeader,
          open: async () =>
            isSmall(entry) ? [await unpacked(window, entry)] : zip.openReadStreamPromise(entry),
        }
    },
    close: async () => {
      zip.close()
      await window.close()
    },
  }
}

/** The archive of submissions has a million members of a few KB. A stream for each costs more than its content. */
const smallBytes = 1 << 18
const deflated = 8
const encrypted = 1

const isSmall = (entry: Entry): boolean =>
  Math.max(entry.compressedSize, entry.uncompressedSize) <= smallBytes &&
  entry.compressionMethod === deflated &&
  (entry.generalPurposeBitFlag & encrypted) === 0

const headerBytes = 30
const headerMark = 0x04034b50

async function unpacked(window: Window, entry: Entry): Promise<Buffer> {
  const { fileName, compressedSize, uncompressedSize, relativeOffsetOfLocalHeader: start } = entry
  const header = await window.read(start, headerBytes)
  if (header.length < headerBytes || header.readUInt32LE(0) !== headerMark)
    throw new UpstreamFailed(`${fileName} is not where the archive says`)
  const content = start + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed = await window.read(content, compressedSize)
  try {
    const bytes = inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) })
    if (bytes.length === uncompressedSize && crc32(bytes) === entry.crc32) return bytes
  } catch (error) {
    throw new UpstreamFailed(`${fileName} cannot be unpacked`, { cause: error })
  }
  throw new UpstreamFailed(`${fileName} is damaged`)
}

const windowBytes = 1 << 20

/** Neighbours in the file are read together. */
class Window {
  readonly #file: FileHandle
  #start = 0
  #bytes: Buffer = Buffer.alloc(0)

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Returns fewer bytes only at the end of the file. */
  async read(start: number, length: number): Promise<Buffer> {
    if (start < this.#start || start + length > this.#start + this.#bytes.length) {
      const buffer = Buffer.allocUnsafe(Math.max(windowBytes, length))
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, start)
      this.#start = start
      this.#bytes = buffer.subarray(0, bytesRead)
    }
    const at = start - this.#start
    return this.#bytes.subarray(at, at + length)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
