/** Packs answers for the log: as they are, compressed, or as the name of a blob if a record has no room for them. */
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import type { Blobs } from '../../../pipelines/blobs/blobs.ts'

export interface AnswerTexts {
  /** Rejects if the store of blobs cannot keep a large answer. The payment must not be settled then. */
  pack(text: string): Promise<string>
  /** Rejects with BlobLost if no later try will find the answer. */
  unpack(packed: string): Promise<string>
  /** Keeps the answer for as long as if it were packed now. */
  renew(packed: string): Promise<string>
}

const shrink = promisify(deflate)
const grow = promisify(inflate)
const worthwhileLength = 2048
/** Measured: above this size a blob and a short record cost less than a long record, on files and on S3. */
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
      // A short answer is kept as it is: JSON, which begins with a brace.
      if (!packed.startsWith(compressed) && !packed.startsWith(inBlob)) return packed
      return (await grow(await bytesOf(packed))).toString()
    },
    async renew(packed) {
      if (!packed.startsWith(inBlob)) return packed
      return `${inBlob}${await blobs.put(await bytesOf(packed), keepMs)}`
    },
  }
}
