/** The guarantees of the log to its processes while brokers of a cluster are killed or hang. */
import { randomUUID } from 'node:crypto'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { insisted } from '../../pipelines/rails/log/kafka-cluster.ts'
import { openKafkaLog } from '../../pipelines/rails/log/kafka-log.ts'
import type { Log, Received } from '../../pipelines/rails/log/log.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { until } from '../until.ts'
import { startCluster } from './kafka-cluster.ts'
import type { KafkaNode } from './kafka-node.ts'

const cluster = await startCluster()

if ('skipped' in cluster) {
  test.skip(`the log on three brokers: ${cluster.skipped}`, () => {})
} else
  describe('the log on three brokers', () => {
    const { nodes, brokers } = cluster
    afterAll(cluster.stop)
    const opened: Log[] = []
    afterEach(async () => {
      for (const node of nodes) node.signal('SIGCONT')
      await Promise.all(opened.splice(0).map(log => log.close()))
    })

    const newTopic = (): Topic => ({ name: `facts.${randomUUID()}`, keep: 'forever', inOneOrder: true })

    /** A process with a reader of everything and a member of a group. `ended` tells which readers gave up. */
    async function openProcess(topic: Topic, appendMs: number) {
      const log = await openKafkaLog(brokers, { topics: [topic], appendMs })
      opened.push(log)
      const seen: Received[] = []
      const followed: string[] = []
      const ended: unknown[] = []
      const watching = await log.watch(topic, batch => void seen.push(...batch))
      const following = await log.follow(
        topic,
        'g',
        batch => void followed.push(...batch.map(({ key }) => key)),
      )
      for (const reader of [watching, following]) reader.ended.catch(error => void ended.push(error))
      return { log, seen, followed, ended, has: (key: string) => seen.some(record => record.key === key) }
    }

    type Admin = ReturnType<Kafka['admin']>

    /** A broker that has just started may accept a connection and not answer. Then this asks another. */
    async function asked<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
      const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, requestTimeout: 3000 })
      return insisted(60_000, async () => {
        const admin = kafka.admin()
        try {
          await admin.connect()
          return await question(admin)
        } finally {
          await admin.disconnect()
        }
      })
    }

    async function leaderOf(topic: Topic): Promise<KafkaNode> {
      const port = await asked(async admin => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic.name] })
        const leader = topics[0]?.partitions[0]?.leader
        const { brokers: known } = await admin.describeCluster()
        return known.find(({ nodeId }) => nodeId === leader)?.port
      })
      return nodes.find(({ address }) => address.endsWith(`:${port}`)) as KafkaNode
    }

    const copiesOf = (topic: Topic): Promise<number | undefined> =>
      asked(async admin => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic.name] })
        return topics[0]?.partitions[0]?.replicas.length
      })

    /** Customers append one record after another, and expect to see each of them in every process. */
    function trade(topic: Topic, processes: readonly Awaited<ReturnType<typeof openProcess>>[]) {
      const state = { done: [] as string[], refused: [] as unknown[], going: true }
      const customer = async (name: string) => {
        const { log } = processes[Number(name) % processes.length] as (typeof processes)[number]
        for (let n = 0; state.going; n++) {
          const key = `${name}-${n}`
          try {
            await log.append(topic, [{ key, value: 'paid' }])
            await until(() => processes.every(({ has }) => has(key)), `${key} to be read back`, 120_000)
            state.done.push(key)
          } catch (error) {
            state.refused.push(error)
          }
        }
      }
      const customers = Promise.all(['0', '1', '2', '3'].map(customer))
      return {
        ...state,
        more: async (count: number) => {
          const enough = state.done.length + count
          await until(() => state.done.length >= enough, `${count} more appends`, 120_000)
        },
        stop: async () => {
          state.going = false
          await customers
        },
      }
    }

    test('loses nothing, repeats nothing and refuses nothing while a leader is killed, and while one hangs', async () => {
      const topic = newTopic()
      const processes = [await openProcess(topic, 120_000), await openProcess(topic, 120_000)]
      const trading = trade(topic, processes)
      await trading.more(20)
      const killed = await leaderOf(topic)
      await killed.kill()
      await trading.more(20)
      const late = newTopic()
      const { log } = await openProcess(late, 120_000)
      expect(await copiesOf(late)).toBe(3)
      await until(async () => (await log.condition()).brokers?.present === 2, 'a broker to be missed', 60_000)
      expect(await log.condition()).toMatchObject({
        brokers: { known: 3 },
        partitions: [{ topic: late.name, behind: 1, leaderless: 0 }],
      })
      await killed.start()
      await until(
        async () => (await log.condition()).partitions[0]?.behind === 0,
        'the copy to catch up',
        60_000,
      )
      const frozen = await leaderOf(topic)
      frozen.signal('SIGSTOP')
      // A process that starts at that moment starts like the others.
      await openProcess(newTopic(), 120_000)
      await trading.more(20)
      frozen.signal('SIGCONT')
      await trading.more(20)
      await trading.stop()
      expect(trading.refused).toEqual([])
      const reader = await openProcess(topic, 120_000)
      await until(() => trading.done.every(reader.has), 'a late reader to have all', 60_000)
      for (const { seen, ended } of [...processes, reader]) {
        expect(seen.map(({ key }) => key).toSorted()).toEqual(trading.done.toSorted())
        expect(ended).toEqual([])
      }
    })

    test('waits while two brokers are down: appends are refused, no reader ends, and all continue with the quorum', async () => {
      const topic = newTopic()
      const { log, followed, ended, has } = await openProcess(topic, 3000)
      const taken = (key: string) =>
        log.append(topic, [{ key, value: 'paid' }]).then(
          () => true,
          () => false,
        )
      await until(() => taken('before'), 'the first append', 60_000)
      const [killed, frozen] = nodes as [KafkaNode, KafkaNode]
      await killed.kill()
      frozen.signal('SIGSTOP')
      await until(async () => !(await taken('meanwhile')), 'an append to be refused', 60_000)
      frozen.signal('SIGCONT')
      await until(() => taken('after'), 'appends to be taken again', 60_000)
      await until(() => has('after') && followed.includes('after'), 'both readers to go on', 120_000)
      await killed.start()
      expect(ended).toEqual([])
    })
  })
