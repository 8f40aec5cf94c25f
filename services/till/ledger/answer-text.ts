/** Packs answers for the log: unchanged, compressed, or as the name of a blob if a record has no room for them. */
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import type { Blobs } from '../../../pipelines/rails/blobs/blobs.ts'
import { Unpacked } from './unpacked.ts'

export interface AnswerTexts {
  /** Rejects if it is longer than any answer, or the store of blobs cannot keep it. The payment must not be settled then. */
  pack(text: string): Promise<string>
  /** Rejects with BlobLost if no later try will find the answer. */
  unpack(packed: string): Promise<string>
  /** Does it take work to unpack it? */
  isPacked(packed: string): boolean
  /** Keeps the answer as long as if it were packed now. */
  renew(packed: string): Promise<string>
  /** Stores the answer outside the memory, for this time. */
  stow(packed: string, ms: number): Promise<string>
  /** Does the answer take memory, or would it be gone before this time? */
  needsPlace(packed: string, until: number): boolean
  /** The bytes of the answer in the store of blobs, as far as they are known. */
  storedBytes(packed: string): number
}

const shrink = promisify(deflate)
const grow = promisify(inflate)
/** No answer is as long: who has written more into the log or the store is not this till. It is unpacked within 50 ms. */
const mostBytes = 32 << 20
const worthwhileLength = 2048
/** Measured: above this size a blob and a short record cost less than a long record, on files and on S3. */
const recordBytes = 96 << 10
const compressed = 'z'
const inBlob = 'b'

/** The name of a blob and, where it was stowed, its size. */
function placeOf(packed: string): { name: string; bytes: number } | undefined {
  if (!packed.startsWith(inBlob)) return undefined
  const [name = '', bytes = '0'] = packed.slice(1).split('#')
  return { name, bytes: Number(bytes) }
}

export function answerTexts(blobs: Blobs, keepMs: number): AnswerTexts {
  const unpacked = new Unpacked()
  const bytesOf = async (packed: string): Promise<Buffer> => {
    const place = placeOf(packed)
    if (place) return blobs.get(place.name)
    return packed.startsWith(compressed) ? Buffer.from(packed.slice(1), 'base64') : shrink(packed)
  }

  return {
    async pack(text) {
      if (text.length < worthwhileLength) return text
      if (Buffer.byteLength(text) > mostBytes) throw new RangeError('an answer is too long to be kept')
      const bytes = await shrink(text)
      return bytes.length <= recordBytes
        ? `${compressed}${bytes.toString('base64')}`
        : `${inBlob}${await blobs.put(bytes, keepMs)}`
    },
    async unpack(packed) {
      if (!this.isPacked(packed)) return packed
      return unpacked.of(packed, async () =>
        (await grow(await bytesOf(packed), { maxOutputLength: mostBytes })).toString(),
      )
    },
    // A short answer is kept unchanged: JSON, which begins with a brace.
    isPacked: packed => packed.startsWith(compressed) || packed.startsWith(inBlob),
    async renew(packed) {
      if (!packed.startsWith(inBlob)) return packed
      return this.stow(packed, keepMs)
    },
    async stow(packed, ms) {
      const bytes = await bytesOf(packed)
      return `${inBlob}${await blobs.put(bytes, ms)}#${bytes.length}`
    },
    needsPlace(packed, until) {
      const place = placeOf(packed)
      if (!place) return packed.length > worthwhileLength
      return place.bytes === 0 || place.name < new Date(until).toISOString().slice(0, 13)
    },
    storedBytes: packed => placeOf(packed)?.bytes ?? 0,
  }
}
