/** Shows operators how the rails themselves are: brokers, copies, disks, parts, merges, memory. It moves no facts. */
import { setTimeout as sleep } from 'node:timers/promises'
import { tick } from '../rails/clock.ts'
import type { Log, LogCondition } from '../rails/log/log.ts'
import { metrics } from '../rails/metrics.ts'
import type { StoreCondition } from '../rails/store/condition.ts'
import type { Store } from '../rails/store/store.ts'
import type { Worker } from './worker.ts'

const schedule = '*/30 * * * * *'
/** A rail that does not answer by then is not shown. Other alerts say that it is away. */
const withinMs = 10_000

const ofLog = [metrics.logBrokers, metrics.logPartitions, metrics.logDiskBytes]
const ofStore = [
  ...[metrics.storeDiskBytes, metrics.storeParts, metrics.storeTableBytes, metrics.storeMemoryBytes],
  ...[metrics.storeMerges, metrics.storeMergeSeconds, metrics.storeMutations],
  ...[metrics.storeReadonly, metrics.storeReplicaDelay],
]

function showLog({ brokers, partitions, disk }: LogCondition): void {
  for (const gauge of ofLog) gauge.reset()
  for (const [state, count] of Object.entries(brokers ?? {})) metrics.logBrokers.set({ state }, count)
  for (const { topic, behind, leaderless } of partitions) {
    metrics.logPartitions.set({ topic, state: 'behind' }, behind)
    metrics.logPartitions.set({ topic, state: 'leaderless' }, leaderless)
  }
  for (const [state, bytes] of Object.entries(disk ?? {})) metrics.logDiskBytes.set({ state }, bytes)
}

function showStore({ servers, disks, tables }: StoreCondition): void {
  // What is gone, a server or a table, must not keep its last figure.
  for (const gauge of ofStore) gauge.reset()
  for (const { host, disk, free, total } of disks) {
    metrics.storeDiskBytes.set({ host, disk, state: 'free' }, free)
    metrics.storeDiskBytes.set({ host, disk, state: 'total' }, total)
  }
  for (const { host, table, parts, bytes } of tables) {
    metrics.storeParts.set({ host, table }, parts)
    metrics.storeTableBytes.set({ host, table }, bytes)
  }
  for (const { host, ...server } of servers) {
    metrics.storeMemoryBytes.set({ host, state: 'used' }, server.memory)
    if (server.memoryLimit) metrics.storeMemoryBytes.set({ host, state: 'limit' }, server.memoryLimit)
    metrics.storeMerges.set({ host }, server.merges)
    metrics.storeMergeSeconds.set({ host }, server.longestMergeSeconds)
    metrics.storeMutations.set({ host, state: 'waiting' }, server.mutations)
    metrics.storeMutations.set({ host, state: 'failed' }, server.failedMutations)
    metrics.storeReadonly.set({ host }, server.readonlyTables)
    metrics.storeReplicaDelay.set({ host }, server.replicaDelaySeconds)
  }
}

interface Rails {
  log: Pick<Log, 'condition'>
  store: Pick<Store, 'condition'>
}

/** Each rail on its own: one that is away hides nothing of the other. */
export async function showRails({ log, store }: Rails): Promise<void> {
  const [logged, stored] = await Promise.allSettled([
    inTime(log.condition()).then(showLog),
    inTime(store.condition()).then(showStore),
  ])
  if (logged.status === 'rejected') for (const gauge of ofLog) gauge.reset()
  if (stored.status === 'rejected') for (const gauge of ofStore) gauge.reset()
}

const inTime = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    sleep(withinMs, undefined, { ref: false }).then(() =>
      Promise.reject(new Error('the rail does not answer')),
    ),
  ])

export const railsCondition: Worker = {
  part: 'rails',
  role: 'sink',
  open: async ({ log, store }) => {
    const opened = await store()
    return tick(schedule, 0, async () => {
      await showRails({ log, store: opened })
      return true
    })
  },
}
