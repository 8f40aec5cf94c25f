/** A Lookup finds the value of one key when it is asked for. It never catches, retries, logs or sleeps. */
import type { Outside } from '../outside.ts'

export interface Lookup<Key = unknown, Value = unknown> {
  name: string
  timeoutMs: number
  /** What must be at hand before anything can be found (a database file), fetched and renewed on a clock. */
  prepare?: {
    /** Cron, UTC. */
    schedule: string
    timeoutMs: number
    run(outside: Outside): Promise<void>
  }
  /** Absent: always. While it says no, asking is 503 not_ready. */
  ready?(now: number): boolean
  find(key: Key, outside: Outside): Promise<Value | undefined>
}
