/** A log that only counts the bytes of its records. A day of them is more than a bench should write. */
import type { Log } from '../../pipelines/rails/log/log.ts'
import { bytesOf } from '../../pipelines/rails/log/log.ts'

export function forgetfulLog(): { log: Log; bytes(): number } {
  let bytes = 0
  const nothing = Promise.resolve()
  const log: Log = {
    isOwned: true,
    append: async (_topic, entries) => {
      for (const entry of entries) bytes += bytesOf(entry)
    },
    follow: async () => ({ ended: nothing, close: () => nothing }),
    watch: async () => ({ ended: nothing, close: () => nothing, caughtUp: nothing, reached: () => nothing }),
    end: async () => new Map(),
    lag: async () => 0,
    lags: async () => new Map(),
    condition: async () => ({ partitions: [] }),
    close: () => nothing,
  }
  return { log, bytes: () => bytes }
}
