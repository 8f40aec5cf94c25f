/**
 * Tells how the canary fares, by its facts: a canary that is dead tells nothing itself. Where this process owns the log, it takes in
 * what the canary has brought.
 */
import { type CanaryPurchase, canaryPurchases } from '../../schemas/canary-purchases.ts'
import { readEvent } from '../../schemas/dataset/dataset.ts'
import type { ReceiptNetwork } from '../../schemas/tables/networks.ts'
import { tick } from '../rails/clock.ts'
import { eventsIn } from '../rails/log/events.ts'
import type { Log } from '../rails/log/log.ts'
import { placeOf } from '../rails/log/open-log.ts'
import { broughtTo } from '../rails/log/sqlite-guest.ts'
import { logVariables } from '../rails/log/variables.ts'
import { metrics } from '../rails/metrics.ts'
import type { Process } from '../rails/process.ts'
import type { Running } from '../rails/running.ts'
import type { Worker } from './worker.ts'

const everySecond = '* * * * * *'
/** After so long an operator has stopped it for good, and nobody need be told. */
const forgottenMs = 7 * 86_400_000

async function startCanaryWatch({
  log,
  read,
  now,
  onFailed,
}: Pick<Process, 'log' | 'read' | 'now' | 'onFailed'>): Promise<Running> {
  const { file } = placeOf(read(logVariables))
  const known = new Map<ReceiptNetwork, Known>()
  const watching = await log.watch(canaryPurchases.topic, batch => {
    for (const { event } of eventsIn(canaryPurchases, batch)) learn(known, event)
  })
  await watching.caughtUp
  const ticking = tick(everySecond, 0, async () => {
    try {
      if (file) await takeIn(file, log)
    } catch (error) {
      onFailed('canary', error)
    }
    for (const [network, fares] of known) show(network, fares, now())
    return true
  })
  return {
    ended: Promise.race([watching.ended, ticking.ended]),
    close: async () => {
      await ticking.close()
      await watching.close()
    },
  }
}

/** A kill between the two writes it twice, which is one fact. */
async function takeIn(file: string, log: Pick<Log, 'append'>): Promise<void> {
  for (const { topic, entries, remove } of broughtTo(file)) {
    const isOurs =
      topic === canaryPurchases.topic.name &&
      Array.isArray(entries) &&
      entries.every(({ value }) => readEvent(canaryPurchases, value ?? '').event)
    if (isOurs) await log.append(canaryPurchases.topic, entries)
    remove()
  }
}

interface Known {
  dueMs: number
  endedMs: number
  goodMs: number
  failedInARow: number
  day: string
  spent: number
}

const ended = (state: CanaryPurchase['state']) => state !== 'intended'

function learn(known: Map<ReceiptNetwork, Known>, event: CanaryPurchase): void {
  const { network, state, at, next_at, price_usdc } = event
  const fares = known.get(network) ?? {
    ...{ dueMs: 0, endedMs: 0, goodMs: 0, failedInARow: 0, day: '', spent: 0 },
  }
  known.set(network, fares)
  const [atMs, day] = [Date.parse(at), at.slice(0, 10)]
  fares.dueMs = Math.max(fares.dueMs, Date.parse(next_at))
  if (ended(state)) fares.endedMs = Math.max(fares.endedMs, atMs)
  if (state === 'good') fares.goodMs = Math.max(fares.goodMs, atMs)
  if (state === 'good') fares.failedInARow = 0
  if (state === 'failed') fares.failedInARow++
  if (day > fares.day) Object.assign(fares, { day, spent: 0 })
  // As the budget counts them, but for those that found no room.
  if (state === 'intended') fares.spent += Number(price_usdc)
  if (state === 'skipped') fares.spent -= Number(price_usdc)
}

function show(
  network: ReceiptNetwork,
  { dueMs, endedMs, goodMs, failedInARow, day, spent }: Known,
  now: number,
): void {
  const labels = { network }
  if (now - endedMs > forgottenMs) {
    for (const gauge of [metrics.canaryDue, metrics.canaryGood, metrics.canaryFailed, metrics.canarySpent])
      gauge.remove(labels)
    return
  }
  metrics.canaryDue.set(labels, dueMs / 1000)
  metrics.canaryGood.set(labels, goodMs / 1000)
  metrics.canaryFailed.set(labels, failedInARow)
  metrics.canarySpent.set(labels, new Date(now).toISOString().startsWith(day) ? Number(spent.toFixed(6)) : 0)
}

export const canaryWatch: Worker = {
  part: 'canary',
  role: 'ingest',
  reads: [canaryPurchases],
  writes: [canaryPurchases],
  open: ({ alone, read, now, onFailed }) =>
    alone('canary', ({ log }) => startCanaryWatch({ log, read, now, onFailed })),
}
