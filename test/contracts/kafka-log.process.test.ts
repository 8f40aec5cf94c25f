import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import kafkajs, { Kafka, logLevel } from 'kafkajs'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { AttestationLedger } from '../../pipelines/domains/attestation/ledger.ts'
import { noteSigner } from '../../pipelines/domains/attestation/tlog/note.ts'
import { backUpLog, restoreLog } from '../../pipelines/rails/log/backup.ts'
import { type KafkaOptions, openKafkaLog } from '../../pipelines/rails/log/kafka-log.ts'
import { batchLimits, type Log } from '../../pipelines/rails/log/log.ts'
import { sequence } from '../../pipelines/workers/attestation/sequencer.ts'
import { attestEntries } from '../../schemas/attest-entries.ts'
import { attestHeads } from '../../schemas/attest-heads.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { busyness } from '../busyness.ts'
import { takeover, takeoverTopics } from '../pipelines/domains/watch/takeover.ts'
import { openWeb } from '../pipelines/rails/outside/fetching/web.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { startBroker } from './kafka-broker.ts'
import { logContract } from './log.ts'

const broker = await startBroker()

if ('skipped' in broker) {
  test.skip(`the log on Kafka: ${broker.skipped}`, () => {})
} else {
  const { brokers } = broker
  const web = await openWeb()
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  afterAll(async () => {
    await admin.disconnect()
    await broker.stop()
  })

  logContract({
    name: 'Kafka',
    url: () => `kafka://${brokers.join(',')}`,
    shared: true,
    async withoutRoom(topic, work) {
      const configEntries = [{ name: 'max.message.bytes', value: '10000' }]
      await admin.createTopics({ topics: [{ topic: topic.name, replicationFactor: 1, configEntries }] })
      const log = await openKafkaLog(brokers, { topics: [topic] })
      await work(log)
      await log.close()
    },
  })

  describe('the log on Kafka, beyond the contract', () => {
    const opened: Log[] = []
    afterEach(async () => {
      await Promise.all(opened.splice(0).map(log => log.close()))
    })
    const topicOf = (keep: Topic['keep'] = 'forever'): Topic => ({ name: `facts.${randomUUID()}`, keep })
    async function open(topic: Topic, options: Partial<KafkaOptions> = {}) {
      const log = await openKafkaLog(brokers, { topics: [topic], ...options })
      opened.push(log)
      return log
    }

    test('lets no record in one order wait behind those of other topics', async () => {
      const [crowd, ordered] = [topicOf(), { ...topicOf(), inOneOrder: true }]
      const log = await openKafkaLog(brokers, { topics: [crowd, ordered] })
      opened.push(log)
      await log.append(ordered, [{ key: 'first', value: '1' }])
      const text = randomBytes(200_000).toString('hex')
      let done = 0
      const crowding = Array.from({ length: 40 }, async (_, nth) => {
        await log.append(crowd, [{ key: `${nth}`, value: text }])
        done++
      })
      await log.append(ordered, [{ key: 'second', value: '2' }])
      expect(done).toBeLessThan(crowding.length / 2)
      await Promise.all(crowding)
    })

    test('comes back from a backup in the order of its keys, and never replaces existing records', async () => {
      const folder = scratchFolder()
      const url = `kafka://${brokers.join(',')}`
      const topic = topicOf()
      const log = await open(topic)
      const entries = Array.from({ length: 2500 }, (_, n) => ({ key: `k${n % 7}`, value: `${n}` }))
      await log.append(topic, [...entries, { key: 'gone', value: null }])
      const records = async (from: Log) => {
        const found: [string, string | null][] = []
        const watching = await from.watch(topic, batch => {
          found.push(...batch.map(({ key, value }) => [key, value] as [string, string | null]))
        })
        await watching.caughtUp
        await watching.close()
        return Map.groupBy(found, ([key]) => key)
      }
      const before = await records(log)
      const told: [string, number][] = []
      const tell = (...of: [string, number]) => void told.push(of)
      await backUpLog(url, [topic], folder, tell)
      await expect(restoreLog(url, [topic], folder, tell)).rejects.toThrow(
        `the topic ${topic.name} has records`,
      )
      await Promise.all(opened.splice(0).map(one => one.close()))

      await admin.deleteTopics({ topics: [topic.name] })
      await until(async () => !(await admin.listTopics()).includes(topic.name), 'the topic to go')
      await restoreLog(url, [topic], folder, tell)
      expect(await records(await open(topic))).toEqual(before)
      expect(told).toEqual(Array(2).fill([topic.name, 2501]))
    })

    test("creates its topics with six partitions, the broker's clock, and their retention", async () => {
      const topic = topicOf('newest')
      await open(topic)
      // They wait until the broker knows the topic, and so does what is asked behind them.
      expect(await settingsOf(topic)).toMatchObject({
        'cleanup.policy': 'compact',
        'message.timestamp.type': 'LogAppendTime',
      })
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic.name] })
      expect(topics[0]?.partitions.length).toBe(6)
    })

    test('keeps the records of an existing topic as declared now, and all other settings of its operator', async () => {
      const topic = topicOf({ ms: 3_600_000 })
      await open(topic)
      const type = kafkajs.ConfigResourceTypes.TOPIC
      const own = { 'cleanup.policy': 'delete', 'retention.ms': '3600000', 'max.message.bytes': '5000' }
      const configEntries = Object.entries(own).map(([name, value]) => ({ name, value }))
      await admin.alterConfigs({
        validateOnly: false,
        resources: [{ type, name: topic.name, configEntries }],
      })
      await until(async () => (await settingsOf(topic))['max.message.bytes'] === '5000', 'his own setting')
      await open({ ...topic, keep: { ms: 7_200_000 } })
      const longer = { 'cleanup.policy': 'delete', 'retention.ms': '7200000', 'max.message.bytes': '5000' }
      await until(async () => (await settingsOf(topic))['retention.ms'] === '7200000', 'the longer time')
      expect(await settingsOf(topic)).toMatchObject(longer)
      await open({ ...topic, keep: 'newest' })
      await until(async () => (await settingsOf(topic))['cleanup.policy'] === 'compact', 'compaction')
      expect(await settingsOf(topic)).toMatchObject({ 'max.message.bytes': '5000' })
    })

    async function settingsOf({ name }: Topic): Promise<Record<string, string>> {
      const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name }]
      let described: Awaited<ReturnType<typeof admin.describeConfigs>> | undefined
      // Another broker may learn of a new topic later than its maker.
      await until(async () => {
        described = await admin
          .describeConfigs({ includeSynonyms: false, resources })
          .catch((error: unknown) => {
            if (error instanceof kafkajs.KafkaJSProtocolError && error.type === 'UNKNOWN_TOPIC_OR_PARTITION')
              return undefined
            throw error
          })
        return described
      }, 'the settings of the topic')
      const entries = described?.resources[0]?.configEntries ?? []
      return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]))
    }

    test('hands over more at once to a follower that asks for it, and no more than that', async () => {
      const topic = topicOf()
      const log = await open(topic)
      const many = 9000
      const entries = Array.from({ length: many }, (_, n) => ({ key: 'k', value: `${n}`.padEnd(500) }))
      await log.append(topic, entries)
      const most = { records: 4 * batchLimits.records, bytes: 3 * batchLimits.bytes }
      const got: string[] = []
      const sizes: number[] = []
      await log.follow(
        topic,
        'g',
        batch => {
          got.push(...batch.map(({ value }) => value ?? ''))
          sizes.push(batch.length)
          expect(batch.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)).toBeLessThanOrEqual(
            most.bytes,
          )
        },
        { most },
      )
      await until(() => got.length >= many, 'all records')
      expect(got.map(Number)).toEqual(entries.map((_, n) => n))
      expect(Math.max(...sizes)).toBeGreaterThan(batchLimits.records)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(most.records)
    })

    test('shows a watch every record, though an answer has no room for all partitions', async () => {
      const topic = topicOf()
      const log = await open(topic)
      const keys = Array.from({ length: 12_000 }, (_, n) => `${n}`)
      for (let n = 0; n < keys.length; n += 1000)
        await log.append(
          topic,
          keys.slice(n, n + 1000).map(key => ({ key, value: randomBytes(900).toString('base64') })),
        )
      const seen = new Set<string>()
      const watching = await log.watch(topic, batch => {
        for (const { key } of batch) seen.add(key)
      })
      await watching.caughtUp
      await watching.close()
      expect(keys.filter(key => !seen.has(key))).toEqual([])
    })

    test('joins no group to watch a topic', async () => {
      const topic = topicOf('newest')
      const log = await open(topic)
      const groups = async () => (await admin.listGroups()).groups.map(({ groupId }) => groupId)
      const before = await groups()
      await log.append(topic, [{ key: 'a', value: 'read' }])
      const watching = await log.watch(topic, () => {})
      await watching.caughtUp
      expect((await groups()).filter(group => !before.includes(group))).toEqual([])
    })

    test('carries the log of attestations: two instances append, one signs, and both give the same proofs', async () => {
      const topics = [attestEntries.topic, attestHeads.topic]
      const signer = noteSigner(`farebox/${randomUUID()}.example`, `0x${'5'.repeat(64)}`)
      const problems: unknown[] = []
      const about = { now: Date.now, onFailed: (_: string, error: unknown) => void problems.push(error) }
      const logs = await Promise.all([0, 1].map(() => openKafkaLog(brokers, { topics })))
      opened.push(...logs)
      const [log] = logs as [Log, Log]
      const sequencing = await sequence({ log, signer, ...about })
      const ledgers = await Promise.all(
        logs.map(each =>
          AttestationLedger.open({ log: each, verifiers: [signer], patienceMs: 60_000, ...about }),
        ),
      )
      const hash = () => randomBytes(32).toString('hex')
      const entries = Array.from({ length: 40 }, () => ({
        statement_sha256: hash(),
        signature: `0x${'ab'.repeat(65)}`,
        timestamps_sha256: hash(),
      }))
      const places = await Promise.all(
        entries.map((entry, n) =>
          (ledgers[n % 2] as AttestationLedger).append(entry).then(({ index }) => index),
        ),
      )
      expect(new Set(places)).toEqual(new Set(entries.keys()))
      for (const ledger of ledgers) {
        await until(() => ledger.head?.size === entries.length, 'the head of the whole log', 60_000)
        const { book, head } = ledger
        expect(entries.map(entry => book.indexOf(entry.statement_sha256))).toEqual(places)
        expect(book.tree.root(head?.size).equals(head?.root ?? Buffer.of())).toBe(true)
      }
      expect(problems).toEqual([])
      await Promise.all([sequencing, ...ledgers].map(each => each.close()))
    })

    /** This test waits for the death of a process. */
    const inLongForm = test.skipIf(!process.env.LONG_FORM)
    inLongForm(
      'hands the watch to another process when one dies: no check twice, no webhook lost',
      async () => {
        await takeover(async () => {
          const log = await openKafkaLog(brokers, { topics: takeoverTopics })
          opened.push(log)
          return log
        }, web)
      },
    )

    test('names the broker that does not answer at start', async () => {
      const nobody = openKafkaLog(['127.0.0.1:1'], { topics: [topicOf()], startMs: 10 })
      await expect(nobody).rejects.toThrow('no Kafka broker answers at 127.0.0.1:1')
    })

    test('starts with the brokers that answer while the first one is silent', async () => {
      // It accepts the connection, but never answers.
      const silent = createServer(() => {}).listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      const topic = topicOf()
      const log = await openKafkaLog([`127.0.0.1:${port}`, ...brokers], {
        topics: [topic],
        // Too short for a process that waits for the silent broker again and again.
        startMs: 12_000,
      })
      opened.push(log)
      const seen: string[] = []
      const followed: string[] = []
      await log.watch(topic, batch => void seen.push(...batch.map(({ key }) => key)))
      await log.follow(topic, 'g', batch => void followed.push(...batch.map(({ key }) => key)))
      await log.append(topic, [{ key: 'a', value: '1' }])
      await until(() => seen.length === 1 && followed.length === 1, 'both readers', 30_000)
      silent.close()
    })

    test('watches everything that compaction has left, even if the last record was deleted', async () => {
      const topic = topicOf('newest')
      const settings = {
        'cleanup.policy': 'compact',
        'message.timestamp.type': 'LogAppendTime',
        'segment.ms': 100,
        'min.cleanable.dirty.ratio': 0.01,
        'delete.retention.ms': 0,
      }
      const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }))
      await admin.createTopics({ topics: [{ topic: topic.name, numPartitions: 1, configEntries }] })
      const log = await open(topic)
      for (let n = 0; n < 20; n++) await log.append(topic, [{ key: 'a', value: `${n}` }])
      for (let n = 0; n < 20; n++) await log.append(topic, [{ key: 'b', value: `${n}` }])
      await log.append(topic, [{ key: 'b', value: null }])
      const seen = async () => {
        const got: (string | null)[] = []
        const watching = await log.watch(topic, batch => void got.push(...batch.map(({ value }) => value)))
        await watching.caughtUp
        await watching.close()
        return got
      }
      // Kafka compacts only closed segments, and only a record starts a new segment.
      await until(
        async () => {
          await log.append(topic, [{ key: 'c', value: 'last' }])
          const got = await seen()
          return !got.includes(null) && got.filter(value => value !== 'last').length === 1
        },
        'compaction',
        60_000,
      )
      expect((await seen()).filter(value => value !== 'last')).toEqual(['19'])
    })

    const { kill, start, signal } = broker
    test.skipIf(!kill || !start)(
      'survives the death of its broker: appends reject, and readers continue when it is back',
      async () => {
        const topic = topicOf('newest')
        const log = await open(topic, { appendMs: 3000 })
        const followed: string[] = []
        const watched: string[] = []
        await log.append(topic, [{ key: 'before', value: '1' }])
        await log.follow(topic, 'g', batch => void followed.push(...batch.map(({ key }) => key)))
        const watching = await log.watch(topic, batch => void watched.push(...batch.map(({ key }) => key)))
        await watching.caughtUp
        await until(async () => (await log.lag(topic, 'g')) === 0)
        await kill?.()
        const asked = performance.now()
        await expect(log.append(topic, [{ key: 'meanwhile', value: '1' }])).rejects.toThrow()
        expect(performance.now() - asked).toBeLessThan(10_000 * busyness())
        await start?.()
        await until(
          () =>
            log.append(topic, [{ key: 'after', value: '1' }]).then(
              () => true,
              () => false,
            ),
          'the broker to take appends again',
          60_000,
        )
        await until(() => followed.includes('after') && watched.includes('after'), 'both readers', 60_000)
        expect(watched.filter(key => key === 'before').length).toBe(1)
      },
    )

    test.skipIf(!signal)('an abandoned append does not swallow the next one', async () => {
      const topic = topicOf()
      const log = await open(topic, { requestMs: 500, appendMs: 2000 })
      const taken = (value: string) => () =>
        log.append(topic, [{ key: 'k', value }]).then(
          () => true,
          () => false,
        )
      await until(taken('first'))
      await signal?.('SIGSTOP')
      // A busy machine may stop the broker only after one more append.
      await until(async () => !(await taken('given up')()), 'an append to be given up')
      await signal?.('SIGCONT')
      await until(taken('second'))
      const got: (string | null)[] = []
      const watching = await log.watch(topic, batch => void got.push(...batch.map(({ value }) => value)))
      await watching.caughtUp
      expect(got).toContain('second')
    })
  })
}
