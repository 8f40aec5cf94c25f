/** The records of a topic, as kafkajs writes them, and as somebody writes who means no good. */
import { createRequire } from 'node:module'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { recordsIn } from '../../../../pipelines/rails/log/kafka-records.ts'

interface Encoder {
  buffer: Buffer
}
type Given = { offsetDelta?: number; key?: string | null; value: unknown; headers?: Record<string, string> }
const require = createRequire(import.meta.url)
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  RecordBatch: (about: object) => Promise<Encoder>
}
const recordOf = require('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (given: Given) => Encoder

const first = 1_000n
const [control, byBroker] = [32, 8]

/** `attributes`: bits of the head, beside those of kafkajs. */
async function batch(
  given: readonly Given[],
  { packing = 0, attributes = 0, last = given.length - 1 } = {},
): Promise<Buffer> {
  const { buffer } = await RecordBatch({
    ...{ firstOffset: first, firstTimestamp: 5_000, maxTimestamp: 9_000, lastOffsetDelta: last },
    records: given.map((one, offsetDelta) => recordOf({ offsetDelta, ...one })),
    compression: packing < 2 ? packing : 0,
  })
  const bytes = Buffer.from(buffer)
  bytes.writeInt16BE(bytes.readInt16BE(21) | attributes | packing, 21)
  return bytes
}

/** Other bytes than its own in the place of its records. */
function refilled(bytes: Buffer, records: Buffer): Buffer {
  const whole = Buffer.concat([bytes.subarray(0, 61), records])
  whole.writeInt32BE(whole.length - 12, 8)
  return whole
}

const read = async (...batches: readonly Buffer[]) =>
  (await recordsIn(Buffer.concat(batches))).map(
    ({ offset, timestamp, key, value, headers, isControlRecord }) => ({
      ...{ offset, timestamp, key: key?.toString(), value: value?.toString() },
      ...(headers && { traceparent: String(headers.traceparent) }),
      ...(isControlRecord && { isControlRecord }),
    }),
  )

const two: Given[] = [
  { key: 'a', value: '{"n":1}', headers: { other: 'x', traceparent: '00-1' } },
  { key: null, value: null },
]

describe('the records of a batch', () => {
  it.each([
    ['unpacked', 0],
    ['packed by gzip', 1],
  ])('are read as kafkajs writes them, %s', async (_, packing) => {
    expect(await read(await batch(two, { packing, attributes: byBroker }))).toEqual([
      { offset: '1000', timestamp: '9000', key: 'a', value: '{"n":1}', traceparent: '00-1' },
      { offset: '1001', timestamp: '9000', key: undefined, value: undefined },
    ])
  })

  it('are read where somebody has packed them by zstd, and with the time of their writer', async () => {
    const plain = await batch(two)
    const packed = refilled(await batch(two, { packing: 4 }), zstdCompressSync(plain.subarray(61)))
    expect(await read(packed)).toMatchObject([
      { key: 'a', timestamp: '5000' },
      { offset: '1001', timestamp: '5000' },
    ])
  })

  it('leave out what is not whole yet, and what a transaction has marked', async () => {
    const one = await batch(two)
    expect(await read(one, one.subarray(0, one.length - 1))).toHaveLength(2)
    expect(await read(await batch(two, { attributes: control }))).toEqual([
      { offset: '1001', timestamp: '9000', key: undefined, value: undefined, isControlRecord: true },
    ])
  })

  it('end behind what compaction has removed', async () => {
    const last = { offset: '1007', timestamp: '9000', isControlRecord: true }
    expect(await read(await batch(two, { last: 7 }))).toMatchObject([{ key: 'a' }, {}, last])
    expect(await read(await batch([], { last: 7 }))).toMatchObject([last])
  })
})

const strangeOffsets = (deltas: readonly number[]) =>
  batch(
    deltas.map(offsetDelta => ({ offsetDelta, key: 'a', value: '{}' })),
    { last: 1 },
  )

const unreadable: [string, () => Promise<Buffer>, RegExp][] = [
  ['with an offset beyond its end', () => strangeOffsets([0, 1_000_000]), /not its own/],
  ['with an offset before its beginning', () => strangeOffsets([-900, 1]), /not its own/],
  ['with an offset twice', () => strangeOffsets([1, 1]), /not its own/],
  ['that is packed by snappy', () => batch(two, { packing: 2 }), /packed in the way 2/],
  ['that is packed by lz4', () => batch(two, { packing: 3 }), /packed in the way 3/],
  [
    'that unpacks to 64 MB',
    async () => refilled(await batch(two, { packing: 1 }), gzipSync(Buffer.alloc(64 << 20))),
    /larger than 4194304 bytes/,
  ],
  [
    'that is no gzip',
    async () => refilled(await batch(two, { packing: 1 }), Buffer.from('abc')),
    /incorrect header/,
  ],
  ['whose records are cut', async () => refilled(await batch(two), Buffer.from([20, 0])), /has no end/],
  ['whose numbers have no end', async () => refilled(await batch(two), Buffer.alloc(20, 255)), /has no end/],
  [
    'of two hundred thousand records',
    async () => {
      const bytes = await batch(two)
      bytes.writeInt32BE(200_000, 57)
      return bytes
    },
    /at most 100000/,
  ],
  [
    'in a form that Kafka has left',
    async () => {
      const bytes = await batch(two)
      bytes.writeInt8(1, 16)
      return bytes
    },
    /form 1/,
  ],
]

it.each(unreadable)(
  'a batch %s is one record that nobody can read, and the next is read',
  async (_, make, why) => {
    const [bad, good] = await read(await make(), await batch(two))
    expect(bad).toMatchObject({ offset: '1001', key: undefined, value: expect.stringMatching(why) })
    expect(bad?.value).toMatch(/^\d+ records that cannot be read: /)
    expect(good).toMatchObject({ key: 'a', value: '{"n":1}' })
  },
)

it('a hundred thousand headers are passed over', async () => {
  const headers = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`h${n}`, '']))
  const [record] = await recordsIn(await batch([{ key: 'a', value: '{}', headers }]))
  expect(record?.value?.toString()).toBe('{}')
  expect(record?.headers).toBeUndefined()
})

it('what is packed well is read in parts', async () => {
  const large = await batch([{ key: 'a', value: 'x'.repeat(3 << 20) }], { packing: 1 })
  expect(await recordsIn(Buffer.concat(Array(9).fill(large)))).toHaveLength(2)
})
