/** Opens the log of a URL. */
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import type { Running } from '../running.ts'
import type { KafkaAccess } from './kafka-access.ts'
import type { KafkaOptions } from './kafka-log.ts'
import type { Handle, Log, LogOptions, WatchOptions } from './log.ts'
import { type LogAt, logForms, readLogAddress } from './log-address.ts'
import { readAlongSqlite } from './sqlite-along.ts'
import { openSqliteLog } from './sqlite-log.ts'

export async function openLog(
  at: LogAt,
  options: LogOptions & Pick<KafkaOptions, 'creates' | 'startMs'>,
): Promise<Log> {
  const { file, kafka } = placeOf(at)
  if (file) return openSqliteLog(file, options)
  // Only a process that uses Kafka loads its client.
  const { openKafkaLog } = await import('./kafka-log.ts')
  return openKafkaLog(await kafka(), options)
}

export interface ReadingAlong extends Running {
  /** The number of records that the topic held before the reader began. */
  waiting: number
  /** Resolves once it has handled them. */
  caughtUp: Promise<void>
}

/** Reads a topic of a log that another process owns. It writes nothing and creates nothing there. */
export async function readAlong(
  at: LogAt,
  topic: Topic,
  handle: Handle,
  options: WatchOptions = {},
): Promise<ReadingAlong> {
  const { file, kafka } = placeOf(at)
  if (file) return readAlongSqlite(file, topic, handle, options)
  const { openKafkaLog } = await import('./kafka-log.ts')
  const log = await openKafkaLog(await kafka(), { topics: [topic], creates: false })
  try {
    const waiting = options.from === 'end' ? 0 : await log.lag(topic, 'along')
    const { ended, caughtUp } = await log.watch(topic, handle, options)
    return { waiting, caughtUp, ended, close: () => log.close() }
  } catch (error) {
    await log.close()
    throw error
  }
}

/** `kafka` returns how to reach the brokers, and throws if the credentials are invalid. */
export function placeOf(at: LogAt): { file?: string; kafka(): Promise<KafkaAccess> } {
  const { url, credentials } = typeof at === 'string' ? { url: at, credentials: {} } : at
  const address = readLogAddress(url)
  if (!address) throw new Error(`${url}: a log is ${logForms}`)
  const kafka = async () => {
    if (address.file !== undefined) throw new Error(`${url} is not the address of a Kafka log`)
    return (await import('./kafka-access.ts')).kafkaAccess(address, credentials)
  }
  return { ...(address.file !== undefined && { file: address.file }), kafka }
}
