/** The book of schemas is read by every sink that refuses an event, and written by whoever may write its topic. */
import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { entryOf, type Received } from '../../../../pipelines/rails/log/log.ts'
import { announce, newerSchemas } from '../../../../pipelines/rails/log/schema-book.ts'
import type { Dataset } from '../../../../schemas/dataset/dataset.ts'
import { defineDataset, field } from '../../../../schemas/dataset/dataset.ts'
import { datasetSchemas } from '../../../../schemas/dataset-schemas.ts'

const at = '2026-11-28T12:00:00.000Z'
const visits = (seats: z.ZodType) =>
  defineDataset({
    ...{ name: 'visits', about: 'Visits', key: ['id'], identity: ['id'] },
    fields: { id: field(z.string(), 'String', 'Id'), seats: field(seats, 'String', 'Seats') },
  }) as unknown as Dataset
const older = visits(z.int())
const newer = visits(z.union([z.int(), z.literal('all')]))

/** Holds records, and counts how often they are read from the beginning. */
class Topic {
  readonly records: Received[] = []
  readings = 0
  /** The most at once. */
  most = 0
  #atOnce = 0

  write(key: string, value: string): void {
    const offset = BigInt(this.records.length)
    this.records.push({
      topic: datasetSchemas.topic.name,
      key,
      value,
      partition: 0,
      offset,
      at: 0,
    } as Received)
  }

  readonly append = async (_: unknown, entries: readonly { key: string; value: string | null }[]) => {
    for (const { key, value } of entries) this.write(key, value ?? '')
  }

  readonly watch = async (_: unknown, handle: (batch: readonly Received[]) => void) => {
    this.readings++
    this.most = Math.max(this.most, ++this.#atOnce)
    const caughtUp = new Promise<void>(resolve => setImmediate(resolve)).then(() => handle(this.records))
    return {
      caughtUp,
      close: async () => {
        this.#atOnce--
      },
    }
  }
}

async function announced() {
  const topic = new Topic()
  const log = topic as never
  for (const dataset of [older, newer]) await announce([dataset], { log, now: () => 0, tell: () => {} })
  topic.readings = 0
  return { topic, log }
}

const accepts = (checks: readonly z.ZodType[]) =>
  checks.map(check => check.safeParse({ id: 'a', seats: 'all' }).success)

describe('the book of schemas', () => {
  it('tells an older version what the newer one takes', async () => {
    const { log } = await announced()
    expect(accepts(await newerSchemas(log, older))).toEqual([true])
    expect(await newerSchemas(log, newer)).toEqual([])
  })

  it('is read twice, and one after the other, for all who ask while it is read', async () => {
    const { topic, log } = await announced()
    const all = await Promise.all(Array.from({ length: 60 }, () => newerSchemas(log, older)))
    expect(all.map(accepts)).toEqual(all.map(() => [true]))
    expect([topic.readings, topic.most]).toEqual([2, 1])
  })

  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
  const line = (schema: string, more: object = {}) => {
    const event = { dataset: 'visits', shape: hashOf(schema), version: 9, schema, at, ...more }
    return { key: entryOf(datasetSchemas, event as never).key, value: JSON.stringify(event) }
  }
  const ownSchema = JSON.stringify(z.toJSONSchema(older.event, { io: 'input', unrepresentable: 'any' }))

  it.each<[string, { key: string; value: string }]>([
    ['one that another hash stands for', line('{}', { shape: 'a'.repeat(64) })],
    ['one under a key that is not its own', { ...line('{}'), key: 'hostile' }],
    ['a text without measure', line(JSON.stringify({ description: 'a'.repeat(100_000) }))],
    ['no JSON', line('{')],
    ['a list', line('[]')],
    ['nothing', line('null')],
    ['one that takes everything', line('{}')],
    ['one with other words', line('{"required":1}')],
    ['no schema', line('{"type":"harbour"}')],
    ['its own as a later version', line(ownSchema)],
  ])('%s is no newer version: no sink waits for it', async (_, { key, value }) => {
    const topic = new Topic()
    const log = topic as never
    await announce([older], { log, now: () => 0, tell: () => {} })
    topic.write(key, value)
    expect(await newerSchemas(log, older)).toEqual([])
    await announce([newer], { log, now: () => 0, tell: () => {} })
  })

  it('keeps the newest of any number of lines, and none of another dataset', async () => {
    const { topic, log } = await announced()
    const own = topic.records.splice(0)
    for (const dataset of ['visits', 'others'])
      for (let n = 0; n < 1000; n++) {
        const { key, value } = line(JSON.stringify({ ...JSON.parse(ownSchema), title: `${n}` }), {
          dataset,
          version: 3 + n,
        })
        topic.write(key, value)
      }
    topic.records.push(...own)
    expect(await newerSchemas(log, older)).toHaveLength(0)
    topic.records.splice(0, topic.records.length, ...own, ...topic.records.slice(0, 40))
    expect(await newerSchemas(log, older)).toHaveLength(41)
  })

  it('holds few of them while it reads', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const { log } = await announced()
    const heldMb: number[] = []
    const mostMb = () => {
      collect()
      heldMb.push(process.memoryUsage().heapUsed / 1e6)
    }
    const watch = async (_: unknown, handle: (batch: readonly Received[]) => void) => {
      mostMb()
      for (let n = 0; n < 1000; n++) {
        const schema = { ...JSON.parse(ownSchema), description: `${n} ${'a'.repeat(50_000)}` }
        handle([{ ...line(JSON.stringify(schema)), partition: 0, offset: BigInt(n) } as Received])
      }
      mostMb()
      return { caughtUp: Promise.resolve(), close: async () => {} }
    }
    await newerSchemas({ ...(log as object), watch } as never, older)
    const [before = 0, after = 0] = heldMb
    // All of them have 50 MB, and those that are kept 5.
    expect(after - before).toBeLessThan(20)
  })

  it('is not told that an older version cannot read what has got a bound', async () => {
    const topic = new Topic()
    const told: string[] = []
    const inTurn = [z.string(), z.string().max(9), z.string().max(10)].map(visits)
    for (const dataset of inTurn)
      await announce([dataset], { log: topic as never, now: () => 0, tell: text => told.push(text) })
    expect(told).toEqual([expect.stringMatching(/^visits: an older version .* cannot read seats/)])
  })
})
