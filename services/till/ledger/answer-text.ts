/** Answers as the log holds them: as they are, compressed, or, where a record has no room for them, as the name of a blob. */
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import type { Blobs } from '../../../pipelines/blobs/blobs.ts'

export interface AnswerTexts {
  /** Rejects when the store of blobs cannot take a large answer: then nothing may be settled. */
  pack(text: string): Promise<string>
  /** Rejects with BlobLost when no later try will find the answer. */
  unpack(packed: string): Promise<string>
  /** Has the answer kept for as long as if it were packed now. */
  renew(packed: string): Promise<string>
}

const shrink = promisify(deflate)
const grow = promisify(inflate)
const worthwhileLength = 2048
/** Measured: from here on a blob and a short record cost less than a long record, on files as on S3. */
const recordLength = 128 << 10
const compressed = 'z'
const inBlob = 'b'

export function answerTexts(blobs: Blobs, keepMs: number): AnswerTexts {
  const bytesOf = async (packed: string): Promise<Buffer> =>
    packed.startsWith(inBlob) ? blobs.get(packed.slice(1)) : Buffer.from(packed.slice(1), 'base64')

  return {
    async pack(text) {
      if (text.length < worthwhileLength) return text
      const bytes = await shrink(text)
      const inRecord = `${compressed}${bytes.toString('base64')}`
      return inRecord.length <= recordLength ? inRecord : `${inBlob}${await blobs.put(bytes, keepMs)}`
    },
    async unpack(packed) {
      // A short answer stands as it is: JSON, which begins with a brace.
      if (!packed.startsWith(compressed) && !packed.startsWith(inBlob)) return packed
      return (await grow(await bytesOf(packed))).toString()
    },
    async renew(packed) {
      if (!packed.startsWith(inBlob)) return packed
      return `${inBlob}${await blobs.put(await bytesOf(packed), keepMs)}`
    },
  }
}
