/** The members of a ZIP archive on disk, one at a time, however many and however large they are. */
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { openPromise } from 'yauzl'
import { UpstreamFailed } from '../../failures.ts'

export interface Member {
  index: number
  name: string
  /** Of its content: what was read before and has the same need not be read again. */
  crc: number
  /** Unpacked. */
  bytes: number
  /** How much of the archive lies before it. */
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
