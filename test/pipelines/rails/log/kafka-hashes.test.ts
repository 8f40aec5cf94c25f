/** Our hashes are those of kafkajs: another partition would break the order of a key, and a broker refuses another checksum. */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { Partitioners } from 'kafkajs'
import { expect, it } from 'vitest'
import { crc32c, partitionOf } from '../../../../pipelines/rails/log/kafka-hashes.ts'
import { innerParts } from '../../../../pipelines/rails/log/kafkajs-inside.ts'

const require = createRequire(import.meta.url)
const theirs = Partitioners.DefaultPartitioner()
const partitionMetadata = (count: number) =>
  Array.from({ length: count }, (_, partitionId) => ({
    partitionId,
    leader: 0,
    isr: [],
    replicas: [],
  })) as never

const keys = Array.from({ length: 400 }, (_, length) =>
  randomBytes(length % 97).toString(length % 2 ? 'hex' : 'latin1'),
)

it.each([2, 3, 6, 12])('finds the partition of a key among %i', count => {
  const chosen = keys.map(key =>
    theirs({ topic: 'facts', partitionMetadata: partitionMetadata(count), message: { key, value: '' } }),
  )
  expect(keys.map(key => partitionOf(key, count))).toEqual(chosen)
  expect(new Set(chosen).size).toBe(count)
})

it('computes the checksum of any bytes', () => {
  const plain = require('kafkajs/src/protocol/recordBatch/crc32C/crc32C.js') as (bytes: Buffer) => number
  for (const length of [0, 1, 7, 8, 9, 61, 2500, 100_001]) {
    const bytes = randomBytes(length)
    expect(crc32c(bytes), `of ${length} bytes`).toBe(plain(bytes))
  }
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
})

it('computes it for kafkajs, which writes batches with it', async () => {
  const taking = require.resolve('kafkajs/src/protocol/recordBatch/v0/index.js')
  const checksum = require.cache[require.resolve(innerParts.checksum.file)] as { exports: unknown }
  expect(checksum.exports).toBe(crc32c)
  // Loaded as it is with the first request of a process, it takes what stands there.
  delete require.cache[taking]
  let asked = 0
  checksum.exports = (bytes: Buffer) => {
    asked++
    return crc32c(bytes)
  }
  const { RecordBatch } = require(taking) as { RecordBatch(of: object): Promise<unknown> }
  await RecordBatch({ records: [] })
  checksum.exports = crc32c
  delete require.cache[taking]
  expect(asked).toBe(1)
})
