/** Reads along, whatever a busy machine makes of the time that an answer takes. */
import { expect, it, onTestFinished } from 'vitest'
import type { KafkaBrokers } from '../../../../pipelines/rails/log/kafka-brokers.ts'
import { KafkaTail } from '../../../../pipelines/rails/log/kafka-tail.ts'
import { until } from '../../../until.ts'

/** One broker that needs so many ms for each answer, of a topic with three records. */
function slowBroker(neededMs: number) {
  const patience: number[] = []
  let isClosed = false
  const broker = {
    fetch: async ({ topics }: { topics: { partitions: { fetchOffset: string }[] }[] }) => {
      const offset = topics[0]?.partitions[0]?.fetchOffset as string
      if (offset === '3') await until(() => isClosed, 'the end', 60_000)
      const message = { offset, timestamp: '0', key: '', value: offset }
      return { responses: [{ partitions: [{ partition: 0, highWatermark: '3', messages: [message] }] }] }
    },
  }
  const ask = async (_: number, question: (given: typeof broker) => Promise<unknown>, waitMs: number) => {
    patience.push(waitMs)
    if (waitMs < neededMs) throw new Error(`it answers nothing in ${waitMs} ms`)
    return question(broker)
  }
  const leaders = new Map([[0, 1]])
  const brokers = {
    ask,
    refresh: async () => leaders,
    insist: (_: unknown, __: unknown, attempt: () => unknown) => attempt(),
    close: () => {
      isClosed = true
    },
  }
  return { brokers: brokers as unknown as KafkaBrokers, patience }
}

it('waits longer after each fetch without an answer, and no longer than usual after one', async () => {
  const { brokers, patience } = slowBroker(2_000)
  const read: (string | null)[] = []
  const tail = new KafkaTail({
    ...{ topic: 'visits', brokers, onError: () => {}, onEnd: () => {} },
    ...{ begin: new Map([[0, 0n]]), end: new Map([[0, 3n]]) },
    handle: async batch => {
      read.push(...batch.map(({ value }) => value))
    },
  })
  onTestFinished(() => tail.close())
  await tail.caughtUp
  expect(read).toEqual(['0', '1', '2'])
  const once = [500, 1000, 2000]
  expect(patience.slice(0, 9)).toEqual([...once, ...once, ...once])
})
