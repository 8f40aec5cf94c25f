/** Records that none of our roles would write, for a topic, and ways to pack them. */
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import kafkajs, { type Kafka, type Message } from 'kafkajs'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { until } from '../until.ts'

const { CompressionCodecs, CompressionTypes } = kafkajs
interface Encoder {
  buffer: Buffer
}

/** Snappy with literals alone, as a packer writes what does not get smaller. */
function snappy(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  const length: number[] = []
  for (let left = bytes.length; ; left >>>= 7) {
    length.push((left & 127) | (left > 127 ? 128 : 0))
    if (left < 128) break
  }
  parts.push(Buffer.from(length))
  for (let at = 0; at < bytes.length; at += 65_536) {
    const piece = bytes.subarray(at, at + 65_536)
    const head = Buffer.of(61 << 2, 0, 0)
    head.writeUInt16LE(piece.length - 1, 1)
    parts.push(head, piece)
  }
  return Buffer.concat(parts)
}
const unread = async () => {
  throw new Error('nobody reads here')
}
CompressionCodecs[CompressionTypes.Snappy] = () => ({
  compress: async ({ buffer }: Encoder) => snappy(buffer),
  decompress: unread,
})
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: Encoder) => promisify(zstdCompress)(buffer),
  decompress: unread,
})
/** Nobody here reads Snappy: such a batch is one record. */
export const packings = [
  CompressionTypes.None,
  CompressionTypes.GZIP,
  CompressionTypes.ZSTD,
  CompressionTypes.Snappy,
]

const wrong: readonly unknown[] = [null, 1, -1, 'x', '', true, [], [[]], {}, '2026-13-45T99:99:99Z', '-0']
const mb = 1_000_000

/** `known` is a record that stands in the topic, where it has one. */
export function hostileTo(dataset: Dataset, known: Message | undefined): Message[] {
  const written = String(known?.value ?? '')
  const base = objectIn(written) ?? Object.fromEntries(Object.keys(dataset.fields).map(name => [name, 'x']))
  const fields = Object.keys(base)
  const record = (value: unknown, more: Partial<Message> = {}): Message => ({
    key: `hostile ${randomUUID()}`,
    value:
      value === null || Buffer.isBuffer(value)
        ? value
        : typeof value === 'string'
          ? value
          : JSON.stringify(value),
    ...more,
  })
  const json = JSON.stringify(base)
  const whole = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`h${n}`, 'v']))
  return [
    ...['{', 'null', '[]', '""', 'NaN', '0', json.slice(0, -2), `${json}${json}`, '\u0000', ''].map(text =>
      record(text),
    ),
    record('no JSON', { key: 'a' }),
    record(null),
    record(null, { key: null }),
    record(json, { key: null }),
    record(json, { key: 'k'.repeat(10_000) }),
    record(json, { key: Buffer.of(0xff, 0xfe, 0) }),
    record(Buffer.of(0xff, 0xfe, 0, 0x7b)),
    record('['.repeat(100_000)),
    record(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
    record(`{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${json.slice(1)}`),
    record({ ...base, toString: 1, hasOwnProperty: 1, unknown: { deep: [1] } }),
    record('a'.repeat(mb - 20_000)),
    record(JSON.stringify('a'.repeat(mb - 20_000))),
    record(json, { headers: whole }),
    record(json, { headers: { traceparent: '00-zz-zz-99', more: Buffer.alloc(10_000) } }),
    ...fields.flatMap(name => [
      ...wrong.map(value => record({ ...base, [name]: value })),
      record(`{"${name}":1e999,${json.slice(1)}`),
      record(`{${json.slice(1, -1)},"${name}":-9e307}`),
      record(json.replace('{', `{"${name}":"\\ud800","\\udfff":"\\ud800",`)),
    ]),
    record({ ...base, [fields[0] as string]: 'a'.repeat(mb - 20_000 - json.length) }),
  ]
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The last record of each topic that has one. */
export async function knownIn(kafka: Kafka, topics: readonly string[]): Promise<Map<string, Message>> {
  const known = new Map<string, Message>()
  const ends = new Map<string, number>()
  const admin = kafka.admin()
  await admin.connect()
  for (const topic of topics)
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic))
      if (high !== low) ends.set(`${topic} ${partition}`, Number(high))
  await admin.disconnect()
  const consumer = kafka.consumer({ groupId: `reader ${randomUUID()}`, readUncommitted: true })
  await consumer.connect()
  const written = new Set([...ends.keys()].map(place => place.split(' ')[0] as string))
  await consumer.subscribe({ topics: [...written], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => {
      if (message.value) known.set(topic, { key: message.key, value: message.value })
      const place = `${topic} ${partition}`
      if (Number(message.offset) + 1 >= (ends.get(place) ?? 0)) ends.delete(place)
    },
  })
  await until(() => ends.size === 0, 'the records of all topics', 60_000)
  await consumer.disconnect()
  return known
}

const batchBytes = 400_000

/** Writes them, packed in each way, a few in each batch. Returns how many. */
export async function writeHostile(
  kafka: Kafka,
  dataset: Dataset,
  known: Message | undefined,
): Promise<number> {
  const producer = kafka.producer({ retry: { retries: 3 } })
  await producer.connect()
  const topic = dataset.topic.name
  let count = 0
  for (const compression of packings) {
    let batch: Message[] = []
    let bytes = 0
    const send = async () => {
      if (batch.length) await producer.send({ topic, messages: batch, compression })
      count += batch.length
      batch = []
      bytes = 0
    }
    for (const message of hostileTo(dataset, known)) {
      // The broker takes no record without a key where it keeps the newest of each.
      if (message.key === null && dataset.topic.keep === 'newest') continue
      const own = Buffer.byteLength(message.value ?? '') + 1_000
      if (bytes + own > batchBytes) await send()
      batch.push(message)
      bytes += own
    }
    await send()
  }
  await producer.disconnect()
  return count
}

/** Two transactions over all topics: one is taken back, and one stays open. */
export async function leaveTransactions(
  kafka: Kafka,
  topics: readonly string[],
): Promise<() => Promise<void>> {
  const [first, second] = [1, 2].map(() =>
    kafka.producer({
      transactionalId: randomUUID(),
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: 600_000,
    }),
  ) as [ReturnType<Kafka['producer']>, ReturnType<Kafka['producer']>]
  await Promise.all([first.connect(), second.connect()])
  const [backed, open] = [await first.transaction(), await second.transaction()]
  for (const transaction of [backed, open])
    for (const topic of topics) await transaction.send({ topic, messages: [{ key: 'a', value: '{' }] })
  await backed.abort()
  return async () => {
    await Promise.all([first.disconnect(), second.disconnect()])
  }
}
