import { describe, expect, it } from 'vitest'
import type { LogCondition } from '../../../pipelines/rails/log/log.ts'
import { metricsPage } from '../../../pipelines/rails/metrics.ts'
import type { StoreCondition } from '../../../pipelines/rails/store/condition.ts'
import { showRails } from '../../../pipelines/workers/rails-condition.ts'

const log: LogCondition = {
  brokers: { known: 3, present: 2 },
  partitions: [{ topic: 'till.promises', behind: 4, leaderless: 1 }],
}
const store: StoreCondition = {
  servers: [
    {
      ...{ host: 's1', memory: 5, memoryLimit: 0, merges: 1, longestMergeSeconds: 7 },
      ...{ mutations: 2, failedMutations: 1, readonlyTables: 0, replicaDelaySeconds: 0 },
    },
  ],
  disks: [{ host: 's1', disk: 'default', free: 1, total: 10 }],
  tables: [{ host: 's1', table: 'settlements', parts: 9, bytes: 100 }],
}

async function shown(logged: Promise<LogCondition>, stored: Promise<StoreCondition>): Promise<string[]> {
  await showRails({ log: { condition: () => logged }, store: { condition: () => stored } })
  const page = await metricsPage()
  return page
    .split('\n')
    .filter(line => /^farebox_(log_(brokers|partitions|disk)|store_(?!up|restarts))/.test(line))
    .map(line => line.replace('farebox_', ''))
}

const ofLog = [
  'log_brokers{state="known"} 3',
  'log_brokers{state="present"} 2',
  'log_partitions{topic="till.promises",state="behind"} 4',
  'log_partitions{topic="till.promises",state="leaderless"} 1',
]
const ofStore = [
  'store_disk_bytes{host="s1",disk="default",state="free"} 1',
  'store_disk_bytes{host="s1",disk="default",state="total"} 10',
  'store_parts{host="s1",table="settlements"} 9',
  'store_table_bytes{host="s1",table="settlements"} 100',
  'store_memory_bytes{host="s1",state="used"} 5',
  'store_merges{host="s1"} 1',
  'store_merge_seconds{host="s1"} 7',
  'store_mutations{host="s1",state="waiting"} 2',
  'store_mutations{host="s1",state="failed"} 1',
  'store_readonly_tables{host="s1"} 0',
  'store_replica_delay_seconds{host="s1"} 0',
]

describe('the condition of the rails', () => {
  it('stands on the page of metrics', async () => {
    expect(await shown(Promise.resolve(log), Promise.resolve(store))).toEqual([...ofLog, ...ofStore])
  })

  it('leaves the page with a rail that does not answer, and hides nothing of the other', async () => {
    const away = () => Promise.reject(new Error('away'))
    expect(await shown(Promise.resolve(log), away())).toEqual(ofLog)
    expect(await shown(away(), Promise.resolve(store))).toEqual(ofStore)
  })

  it('forgets what is gone: a disk, a table, a topic', async () => {
    const nothing = { ...store, disks: [], tables: [] }
    const page = await shown(Promise.resolve({ partitions: [] }), Promise.resolve(nothing))
    expect(page).toEqual(ofStore.slice(4))
  })
})
