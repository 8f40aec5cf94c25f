/**
 * Reads the records of a topic from what a broker sends. Whoever may write to a topic writes these bytes: a batch that cannot be
 * read, or that unpacks to far more than any of ours, is one record that nobody can read, and stops no reader. kafkajs stops
 * there for ever, and takes squares of the number of headers.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** Of a batch, unpacked. Ours have 1 MB. */
const mostBytes = 4 << 20
const mostRecords = 100_000
/** Of a record. Ours have one. */
const mostHeaders = 8
/** What is read of one partition at once. The rest comes with the next answer. */
const enoughBytes = 4 << 20
/** The head of a batch up to its records, and the part of it that the length does not count. */
const headBytes = 61
const uncountedBytes = 12
/** The form of all batches since Kafka 0.11. */
const knownForm = 2
const [gzip, zstd] = [1, 4]
const gunzip = promisify(zlib.gunzip)
const zstdDecompress = promisify(zlib.zstdDecompress)
/** Node unpacks 16 KB at a time otherwise, and goes to another thread and back for each of them. */
const unpackedAtOnce = { maxOutputLength: mostBytes, chunkSize: 1 << 20 }
const unpackings: Readonly<Record<number, (bytes: Buffer) => Promise<Buffer>>> = {
  0: async bytes => bytes,
  [gzip]: bytes => gunzip(bytes, unpackedAtOnce),
  [zstd]: bytes => zstdDecompress(bytes, unpackedAtOnce),
}

export interface Message {
  offset: string
  timestamp: string
  key: string | null
  value: string | null
  headers?: Record<string, unknown>
  isControlRecord?: boolean
}

interface Head {
  first: bigint
  last: bigint
  form: number
  packing: number
  isControl: boolean
  /** Undefined: all records have the time at which the broker took them. */
  firstTime: number | undefined
  lastTime: number
  count: number
}

export async function recordsIn(bytes: Buffer): Promise<Message[]> {
  const messages: Message[] = []
  for (let [at, taken] = [0, 0]; bytes.length - at >= headBytes && taken < enoughBytes; ) {
    const end = at + uncountedBytes + bytes.readInt32BE(at + 8)
    // The last batch may be cut off. It comes whole with the next answer.
    if (end > bytes.length || end < at + headBytes) break
    const head = headOf(bytes.subarray(at, end))
    const { records, size } = await readable(head, bytes.subarray(at + headBytes, end))
    for (const record of records) messages.push(record)
    // Compaction leaves holes, and the marks of transactions are no records. The reader goes on behind them.
    if (messages.at(-1)?.offset !== String(head.last))
      messages.push({ ...unknownAt(head), value: null, isControlRecord: true })
    taken += size
    at = end
  }
  return messages
}

function headOf(batch: Buffer): Head {
  const first = batch.readBigInt64BE(0)
  const attributes = batch.readInt16BE(21)
  const lastTime = Number(batch.readBigInt64BE(35))
  return {
    first,
    last: first + BigInt(batch.readInt32BE(23)),
    form: batch.readInt8(16),
    packing: attributes & 7,
    isControl: (attributes & 32) !== 0,
    firstTime: attributes & 8 ? undefined : Number(batch.readBigInt64BE(27)),
    lastTime,
    count: batch.readInt32BE(57),
  }
}

async function readable(head: Head, packed: Buffer): Promise<{ records: Message[]; size: number }> {
  if (head.isControl) return { records: [], size: packed.length }
  try {
    const bytes = await unpacked(head, packed)
    return { records: recordsOf(head, bytes), size: bytes.length }
  } catch (error) {
    // An event is wrong: its readers put it aside as one that they cannot read.
    const value = `${head.count} records that cannot be read: ${(error as Error).message}`
    return { records: [{ ...unknownAt(head), value }], size: packed.length }
  }
}

function unpacked({ form, packing, count }: Head, packed: Buffer): Promise<Buffer> {
  const unpack = unpackings[packing]
  if (form !== knownForm) throw new Error(`they are in the form ${form}`)
  if (!unpack) throw new Error(`they are packed in the way ${packing}`)
  if (count > mostRecords) throw new Error(`a batch has at most ${mostRecords}`)
  return unpack(packed)
}

function recordsOf(head: Head, bytes: Buffer): Message[] {
  const fields = new Fields(bytes)
  // A broker looks at the offsets of packed records alone. One beyond the batch would take its readers beyond the topic.
  let next = head.first
  return Array.from({ length: head.count }, () => {
    const record = recordOf(head, fields.part())
    const offset = BigInt(record.offset)
    if (offset < next || offset > head.last)
      throw new RangeError('a record has an offset that is not its own')
    next = offset + 1n
    return record
  })
}

function recordOf({ first, firstTime, lastTime }: Head, fields: Fields): Message {
  fields.skip(1)
  const sinceFirst = fields.number()
  const offset = String(first + BigInt(fields.number()))
  const [key, value] = [fields.text(), fields.text()]
  const traceparent = traceIn(fields)
  return {
    ...{ offset, key, value },
    timestamp: String(firstTime === undefined ? lastTime : firstTime + sinceFirst),
    ...(traceparent && { headers: { traceparent } }),
  }
}

function traceIn(fields: Fields): string | undefined {
  for (let left = Math.min(fields.number(), mostHeaders); left > 0; left--) {
    const [name, value] = [fields.text(), fields.text()]
    if (value && name === 'traceparent') return value
  }
  return undefined
}

const unknownAt = ({ last, lastTime }: Head) => ({
  offset: String(last),
  timestamp: String(lastTime),
  key: null,
})

/** Every read beyond the end throws. Texts are read at once: a view on the bytes of each costs more than its text. */
class Fields {
  readonly #bytes: Buffer
  #at: number
  readonly #end: number

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  skip(bytes: number): void {
    this.#at += bytes
  }

  /** 7 bits a byte, the lowest first; the sign is the last bit. */
  number(): number {
    let value = 0
    for (let place = 1; place < 2 ** 70; place *= 128) {
      if (this.#at >= this.#end) throw new RangeError('a record has no end')
      const byte = this.#bytes[this.#at++] as number
      value += (byte & 127) * place
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
    throw new RangeError('a number has no end')
  }

  text(): string | null {
    const length = this.number()
    if (length < 0) return null
    const at = this.#passed(length)
    return this.#bytes.toString('utf8', at, at + length)
  }

  /** The fields of the next record. */
  part(): Fields {
    const length = Math.max(0, this.number())
    const at = this.#passed(length)
    return new Fields(this.#bytes, at, at + length)
  }

  #passed(length: number): number {
    const at = this.#at
    if (at + length > this.#end) throw new RangeError('a record has no end')
    this.#at = at + length
    return at
  }
}
