/** What `ingest.ts` measures in: a broker, an engine, a topic that is full, and two movers of it into one table. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { groupIdOf } from '../../pipelines/rails/log/group-id.ts'
import { entryOf, type Log } from '../../pipelines/rails/log/log.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { type Engine, startEngine } from '../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { type ChainPayment, chainPayments } from '../../schemas/chain-payments.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { rejects } from '../../schemas/rejects.ts'
import { instant } from '../../schemas/values/values.ts'
import { startBroker } from '../contracts/kafka-broker.ts'
import { start } from './child.ts'

export const dataset = chainPayments as unknown as Dataset
const group = groupIdOf(dataset.topic, 'sink')

export interface World {
  brokers: string
  storeUrl: string
  log: Log
  store: Store
  engine: Engine
  admin: Admin
  close(): Promise<void>
}

/** What moves the topic, until it is stopped. */
export interface Mover {
  /** The processor time of its own processes, in microseconds. That of the engine is counted apart. */
  cpuUs(): Promise<number>
  stop(): Promise<void>
}

const hex = (nth: number, letters: number) =>
  (BigInt(nth + 1) * 0x9e3779b97f4a7c15f39cc0605cedc834n).toString(16).padStart(64, '0').slice(-letters)

/** Those on Solana are found without a look at the others. */
export function payment(nth: number, network: ChainPayment['network'] = 'base'): ChainPayment {
  const isPlain = nth % 7 === 0
  return {
    network,
    at: instant(Date.UTC(2026, 10, 1) + 40 * nth),
    tx: `0x${hex(nth, 64)}`,
    position: nth % 300,
    block: nth,
    payer: `0x${hex(nth % 20_011, 40)}`,
    pay_to: `0x${hex(nth % 5003, 40)}`,
    amount: `0.${String(1000 + (nth % 50_000)).padStart(6, '0')}`,
    asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    method: isPlain ? 'plain' : 'eip3009',
    facilitator: isPlain ? null : `0x${hex(nth % 31, 40)}`,
    nonce: isPlain ? null : `0x${hex(nth + 7, 64)}`,
    provisional: false,
    withdrawn: false,
  }
}

/** Returns the bytes of all values. */
export async function fill({ log }: World, rows: number): Promise<number> {
  let bytes = 0
  for (let from = 0; from < rows; from += 5000) {
    const entries = Array.from({ length: Math.min(5000, rows - from) }, (_, i) =>
      entryOf(chainPayments, payment(from + i)),
    )
    for (const { value } of entries) bytes += value?.length ?? 0
    await log.append(dataset.topic, entries)
  }
  return bytes
}

export async function sinks({ brokers, storeUrl }: World, many: number): Promise<Mover> {
  const children = await Promise.all(
    Array.from({ length: many }, () => start('sink', [`kafka://${brokers}`, storeUrl])),
  )
  return {
    cpuUs: async () => {
      const used = await Promise.all(children.map(child => child.usage()))
      return used.reduce((sum, { cpuUs }) => sum + cpuUs, 0)
    },
    stop: async () => void (await Promise.all(children.map(child => child.stop()))),
  }
}

let plainMovers = 0

/**
 * The engine's own. It gives each row the version that a sink would. What it inserts waits for `flushMs`, if it is little. Each has a group
 * of its own: the engine may leave one long after its table is dropped.
 */
export async function plainMover(
  { brokers, store, admin }: World,
  many: number,
  flushMs: number,
): Promise<Mover> {
  const groupId = `${group}.plain-${++plainMovers}`
  const { topic } = dataset
  await admin.setOffsets({
    groupId,
    topic: topic.name,
    partitions: await admin
      .fetchOffsets({ groupId: group, topics: [topic.name] })
      .then(([each]) => each?.partitions ?? []),
  })
  const columns = Object.entries(dataset.fields).map(([name, { column }]) => `\`${name}\` ${column}`)
  await store.query(`create table farebox.plain (${columns.join(', ')}) engine = Kafka settings
    kafka_broker_list = '${brokers}', kafka_topic_list = '${dataset.topic.name}', kafka_group_name = '${groupId}',
    kafka_format = 'JSONEachRow', kafka_num_consumers = ${many}, kafka_thread_per_consumer = 1,
    kafka_flush_interval_ms = ${flushMs}, kafka_disable_num_consumers_limit = 1`)
  await store.query(`create materialized view farebox.plain_moves to farebox.${dataset.name} as
    select *, bitOr(bitShiftLeft(toUInt64(toUnixTimestamp64Milli(_timestamp_ms)), 22), _offset) as version, 0 as is_deleted from farebox.plain`)
  return {
    cpuUs: async () => 0,
    stop: async () => {
      await store.query('drop table farebox.plain_moves sync')
      await store.query('drop table farebox.plain sync')
    },
  }
}

/** The table is empty, and the group begins anew: where the topic does, or at its end. */
export async function begin({ store, admin }: World, fromBeginning: boolean): Promise<void> {
  await store.query(`truncate table ${dataset.name}`)
  const isEmpty = async () => (await admin.describeGroups([group])).groups[0]?.members.length === 0
  while (!(await isEmpty())) await sleep(100)
  const partitions = (await admin.fetchTopicOffsets(dataset.topic.name)).map(({ partition, low, high }) => ({
    partition,
    offset: fromBeginning ? low : high,
  }))
  await admin.setOffsets({ groupId: group, topic: dataset.topic.name, partitions })
}

export async function openWorld(): Promise<World> {
  const broker = await startBroker()
  if ('skipped' in broker) throw new Error(broker.skipped)
  const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'farebox-bench-'))
  const usersFile = join(folder, 'users.xml')
  const users = readFileSync('deploy/clickhouse/users.xml', 'utf8')
  writeFileSync(
    usersFile,
    users.replace(
      '<query>GRANT TABLE ENGINE ON *</query>',
      '<query>GRANT TABLE ENGINE ON *</query><query>GRANT KAFKA ON *.*</query>',
    ),
  )
  const engine = await startEngine({
    ...{ folder: join(folder, 'store'), httpPort: 0, tcpPort: 0, usersFile, analystPassword: '' },
    onProblem: (_, error) => console.error(error),
  })
  const storeUrl = `${engine.address.http.replace('//', `//farebox:${engine.password}@`)}/farebox`
  const store = await openStore(storeUrl)
  await store.apply([dataset, rejects as unknown as Dataset])
  const brokers = broker.brokers.join(',')
  const log = await openLog(`kafka://${brokers}`, { topics: [dataset.topic, rejects.topic] })
  const admin = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  return {
    ...{ brokers, storeUrl, log, store, engine, admin },
    close: async () => {
      await admin.disconnect()
      await log.close()
      await store.close()
      await engine.close()
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
