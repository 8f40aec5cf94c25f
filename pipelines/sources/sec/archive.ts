/** Reads the members of a ZIP archive on disk one at a time, of any number and size. */
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { openPromise } from 'yauzl'
import { UpstreamFailed } from '../../failures.ts'

export interface Member {
  index: number
  name: string
  /** The CRC of its content. A member with the same CRC as before need not be read again. */
  crc: number
  /** The unpacked size. */
  bytes: number
  /** The size of the archive before it. */
  archiveBytes: number
  open(): Promise<Readable>
}

export interface Archive {
  members: number
  bytes: number
  [Symbol.asyncIterator](): AsyncGenerator<Member>
  close(): void
}

export async function openArchive(file: string): Promise<Archive> {
  const { size } = await stat(file)
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false }).catch(error => {
    throw new UpstreamFailed(`${file} is no ZIP archive`, { cause: error })
  })
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
          open: () => zip.openReadStreamPromise(entry),
        }
    },
    close: () => zip.close(),
  }
}
