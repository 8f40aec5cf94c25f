/** Opens the log of a URL. */
import type { Topic } from '../../schemas/dataset.ts'
import type { Running } from '../running.ts'
import type { Handle, Log, LogOptions, WatchOptions } from './log.ts'
import { readAlongSqlite } from './sqlite-along.ts'
import { openSqliteLog } from './sqlite-log.ts'

export async function openLog(url: string, options: LogOptions): Promise<Log> {
  const { file, brokers } = placeOf(url)
  if (file) return openSqliteLog(file, options)
  // Only a process that uses Kafka loads its client.
  const { openKafkaLog } = await import('./kafka-log.ts')
  return openKafkaLog(brokers, options)
}

export interface ReadingAlong extends Running {
  /** Records that the reader had before it when it began. */
  waiting: number
  /** Resolves once it has handled them. */
  caughtUp: Promise<void>
}

/** Reads along in a topic of a log that others own. It writes nothing and creates nothing there. */
export async function readAlong(
  url: string,
  topic: Topic,
  handle: Handle,
  options: WatchOptions = {},
): Promise<ReadingAlong> {
  const { file, brokers } = placeOf(url)
  if (file) return readAlongSqlite(file, topic, handle, options)
  const { openKafkaLog } = await import('./kafka-log.ts')
  const log = await openKafkaLog(brokers, { topics: [topic], creates: false })
  try {
    const waiting = options.from === 'end' ? 0 : await log.lag(topic, 'along')
    const { ended, caughtUp } = await log.watch(topic, handle, options)
    return { waiting, caughtUp, ended, close: () => log.close() }
  } catch (error) {
    await log.close()
    throw error
  }
}

export function placeOf(url: string): { file?: string; brokers: string[] } {
  const [, scheme, rest] = /^(sqlite:|kafka:\/\/)(.+)$/.exec(url) ?? []
  if (scheme === 'sqlite:' && rest) return { file: rest, brokers: [] }
  if (scheme === 'kafka://' && rest) return { brokers: rest.split(',') }
  throw new Error(`${url}: a log is sqlite:<file> or kafka://<host>:<port>,...`)
}
