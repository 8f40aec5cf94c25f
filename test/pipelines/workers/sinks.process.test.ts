/**
 * Sinks of one group on a real broker and the real engine, while they are killed, frozen and joined by others, and while the store is
 * away. What stands in the table is compared with what stands in the topic, fact by fact.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openKafkaLog } from '../../../pipelines/rails/log/kafka-log.ts'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { startEngine } from '../../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import { openRejects, sendAgain } from '../../../pipelines/workers/resending.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { startBroker } from '../../contracts/kafka-broker.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { visit, visitsOf } from '../visits.ts'

const isLong = process.env.LONG_FORM !== undefined
const broker = isLong ? await startBroker() : { skipped: 'LONG_FORM is unset' }

interface Told {
  rows: number
  tries: number
  rss: number
}

if ('skipped' in broker) {
  it.skip(`sinks of one group: ${broker.skipped}`, () => {})
} else
  describe('sinks of one group', async () => {
    const { brokers } = broker
    const engine = await startEngine({
      ...{ folder: scratchFolder(afterAll), httpPort: 0, tcpPort: 0, analystPassword: '' },
      ...{ usersFile: 'deploy/clickhouse/users.xml', onProblem: () => {} },
    })
    const urlAt = (address: string) => `${address.replace('//', `//farebox:${engine.password}@`)}/farebox`
    const store = await openStore(urlAt(engine.address.http))
    afterAll(async () => {
      await store.close()
      await engine.close()
      await broker.stop()
    })

    async function world() {
      const dataset = visitsOf(`visits_${randomUUID().slice(0, 8)}`)
      await store.apply([dataset, rejects as unknown as Dataset])
      const log = await openKafkaLog(brokers, { topics: [dataset.topic, rejects.topic] })
      onTestFinished(() => log.close())
      const lag = () => log.lag(dataset.topic, 'sink')
      const start = async (storeUrl = urlAt(engine.address.http)) => {
        const args = [brokers.join(','), storeUrl, dataset.name]
        // What waits for the collector is no memory that is needed, and this much is all that a sink gets.
        const child = fork('test/pipelines/sinks-process.ts', args, {
          execArgv: ['--max-old-space-size=128'],
        })
        onTestFinished(() => void child.kill('SIGKILL'))
        expect(await once(child, 'message')).toContain('ready')
        return child
      }
      const sunk = () => until(async () => (await lag()) === 0, 'the end of the topic', 60_000)
      return { dataset, log, lag, start, sunk }
    }

    const told = async (child: ChildProcess): Promise<Told> => {
      child.send('what')
      return (await once(child, 'message'))[0]
    }

    /** The last event of each fact, in the topic and in the table, and how many rows are left of those that came twice. */
    async function compare(log: Log, dataset: Dataset) {
      const inTopic = new Map<string, number>()
      const watching = await log.watch(dataset.topic, batch => {
        for (const { value } of batch) {
          const { id, seats } = JSON.parse(value ?? '')
          if (seats < 256) inTopic.set(id, seats)
        }
      })
      await watching.caughtUp
      await watching.close()
      const rows = await store.query<{ id: string; seats: number }>(`select id, seats from ${dataset.name}`)
      const inTable = new Map(rows.map(({ id, seats }) => [id, seats]))
      const lost = [...inTopic.keys()].filter(id => !inTable.has(id))
      const wrong = [...inTopic].filter(([id, seats]) => inTable.get(id) !== seats)
      return { facts: inTopic.size, rows: rows.length, lost, wrong }
    }

    /** Facts by the hundred until it is stopped. Each is told a second time, with other seats. */
    function load(log: Log, dataset: Dataset) {
      let isOver = false
      let sent = 0
      const sending = (async () => {
        for (let round = 0; !isOver; round++) {
          const ids = Array.from({ length: 100 }, (_, n) => `${round}-${n}`)
          await log.append(
            dataset.topic,
            ids.flatMap(id => [visit(id, 1), visit(id, 2 + (round % 200))]),
          )
          sent += ids.length
        }
      })()
      return {
        sent: () => sent,
        stop: async () => {
          isOver = true
          await sending
        },
      }
    }

    it('lose and double nothing while they grow to four, are killed, frozen and leave, under load', async () => {
      const { dataset, log, start, sunk } = await world()
      const loaded = load(log, dataset)
      const more = (facts: number) => {
        const goal = loaded.sent() + facts
        return until(() => loaded.sent() >= goal, `${facts} facts`, 60_000)
      }
      const one = await start()
      await until(async () => (await told(one)).rows > 0, 'the first to work')
      const two = await start()
      await until(async () => (await told(two)).rows > 0, 'the second to work', 60_000)
      const [three, four] = await Promise.all([start(), start()])
      for (const child of [three, four])
        await until(async () => (await told(child)).rows > 0, 'all four to work', 60_000)
      two.kill('SIGKILL')
      three.kill('SIGSTOP')
      await more(5000)
      await loaded.stop()
      // The others take over what the dead and the frozen one had.
      await sunk()
      const again = load(log, dataset)
      three.kill('SIGCONT')
      await until(() => again.sent() > 2000, 'facts after the thaw')
      one.send('leave')
      await once(one, 'exit')
      await until(() => again.sent() > 4000, 'facts after one has left')
      await again.stop()
      await sunk()
      const { facts, rows, lost, wrong } = await compare(log, dataset)
      expect([rows, lost, wrong]).toEqual([facts, [], []])
      expect(facts).toBeGreaterThan(9000)
    }, 300_000)

    it('hold a bounded part of what comes while the store is away, and store all of it afterwards', async () => {
      const { dataset, log, lag, start, sunk } = await world()
      const door = await openDoor(new URL(engine.address.http))
      const child = await start(urlAt(door.url))
      await log.append(dataset.topic, [visit('first')])
      await sunk()
      const before = await told(child)
      door.shut()
      const size = 3000
      const batches = 100
      const pad = 'x'.repeat(500)
      for (let n = 0; n < batches; n++)
        await log.append(
          dataset.topic,
          Array.from({ length: size }, (_, i) => visit(`${pad}${n}-${i}`, 7)),
        )
      const { tries } = await told(child)
      await until(async () => (await told(child)).tries >= tries + 2, 'tries in vain', 60_000)
      const away = await told(child)
      expect([await lag(), away.rows]).toEqual([size * batches, before.rows])
      // 160 MB wait in the log.
      expect(away.rss - before.rss).toBeLessThan(96 << 20)
      const from = performance.now()
      door.open()
      await until(async () => (await lag()) === 0, 'the end of the topic', 120_000)
      const seconds = (performance.now() - from) / 1000
      console.log(
        `caught up with ${size * batches} facts at ${Math.round((size * batches) / seconds)} a second`,
      )
      expect((await told(child)).rss - before.rss).toBeLessThan(256 << 20)
      const { facts, rows, lost, wrong } = await compare(log, dataset)
      expect([facts, rows, lost, wrong]).toEqual([size * batches + 1, facts, [], []])
    }, 300_000)

    it('pass over what can never be stored, which is stored once it is mended and sent again', async () => {
      const { dataset, log, start, sunk } = await world()
      const loaded = load(log, dataset)
      await Promise.all([start(), start()])
      const poison = Array.from({ length: 12 }, (_, n) => visit(`poison-${n}`, 256 + n))
      for (const one of poison) await log.append(dataset.topic, [one])
      await loaded.stop()
      await sunk()
      const ours = async () => (await openRejects(log)).filter(({ topic }) => topic === dataset.topic.name)
      const open = await ours()
      // A batch that comes again is rejected again, at the same place.
      expect(new Set(open.map(({ event }) => event))).toEqual(new Set(poison.map(({ value }) => value)))
      expect(open).toHaveLength(12)
      const mended = open.map(one => ({ ...one, event: one.event.replace(/\d+\}$/, '9}') }))
      await sendAgain(dataset, mended, { log, now: Date.now })
      await sunk()
      expect(await ours()).toEqual([])
      const { facts, rows, lost, wrong } = await compare(log, dataset)
      expect([rows, lost, wrong]).toEqual([facts, [], []])
      const [found] = await store.query<{ n: string }>(
        `select count() as n from ${dataset.name} where id like 'poison-%' and seats = 9`,
      )
      expect(found?.n).toBe('12')
    }, 300_000)
  })

/** A way to the store that can be shut: nobody listens there then. */
async function openDoor(to: URL) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const onward = connect(Number(to.port), to.hostname)
    for (const one of [socket, onward]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => sockets.delete(one))
    }
    socket.pipe(onward).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const shut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(shut)
  return { url: `http://127.0.0.1:${port}`, shut, open: () => server.listen(port, '127.0.0.1') }
}
