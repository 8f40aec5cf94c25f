/** Opens the log that a URL means. */
import type { Log, LogOptions } from './log.ts'
import { openSqliteLog } from './sqlite-log.ts'

export async function openLog(url: string, options: LogOptions): Promise<Log> {
  const [, scheme, rest] = /^(sqlite:|kafka:\/\/)(.+)$/.exec(url) ?? []
  if (scheme === 'sqlite:' && rest) return openSqliteLog(rest, options)
  if (scheme === 'kafka://' && rest) {
    // Only a process that uses Kafka loads its client.
    const { openKafkaLog } = await import('./kafka-log.ts')
    return openKafkaLog(rest.split(','), options)
  }
  throw new Error(`${url}: a log is sqlite:<file> or kafka://<host>:<port>,...`)
}
