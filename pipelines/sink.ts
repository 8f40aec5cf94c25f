/** The Sink moves one topic into one table. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dataset } from '../schemas/dataset.ts'
import { checkEvent } from '../schemas/event-check.ts'
import { rejects } from '../schemas/rejects.ts'
import { instant } from '../schemas/values.ts'
import { type Entry, type Log, type Received, versionOf } from './log/log.ts'
import { metrics } from './metrics.ts'
import type { Running } from './running.ts'
import { RowsRefused, type Store, StoreAway, type Versioned } from './store/store.ts'
import type { Worker } from './worker.ts'

export interface SinkOptions {
  log: Pick<Log, 'follow' | 'append'>
  store: Pick<Store, 'insert'>
  dataset: Dataset
  now: () => number
  onProblem: (error: unknown) => void
}

export const sinkOf = (dataset: Dataset): Worker => ({
  part: 'sink',
  name: dataset.name,
  role: 'sink',
  follows: { topic: dataset.topic, group: 'sink' },
  open: async ({ log, store, now, onFailed }) =>
    startSink({ log, store: await store(), dataset, now, onProblem: error => onFailed(dataset.name, error) }),
})

type Row = Versioned & { record: Received }
interface Reject {
  record: Received
  reason: string
}

const firstPauseMs = 100
const longestPauseMs = 10_000
/** The part of a refused event that its reject keeps. JSON may make it longer, and it must fit into a record. */
const keptCharacters = 100_000

export async function startSink({ log, store, dataset, now, onProblem }: SinkOptions): Promise<Running> {
  const closing = new AbortController()

  const following = await log.follow(dataset.topic, 'sink', async batch => {
    const { rows, refused } = sort(dataset, batch)
    // 1 Insert. After a crash from here on, the batch comes again, and identity removes the duplicates.
    refused.push(...(await insert(rows)))
    // 2 Write the rejects, so that operators find what could not be stored before the topic moves on.
    if (refused.length) await reject(refused)
    // 3 Commit. The log does this when the function resolves.
  })

  /** Inserts every row that fits, however long the store is down. Resolves with the rows that can never fit. */
  async function insert(rows: readonly Row[]): Promise<Reject[]> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      closing.signal.throwIfAborted()
      try {
        await store.insert(dataset, rows)
        metrics.sunk.inc({ table: dataset.name }, rows.length)
        return []
      } catch (error) {
        if (error instanceof RowsRefused) return narrow(rows, error)
        if (!(error instanceof StoreAway)) throw error
        metrics.sinkRetries.inc({ table: dataset.name })
        onProblem(error)
        await sleep(pauseMs, undefined, { signal: closing.signal })
      }
    }
  }

  /** One bad row must not block the others. It inserts halves of the batch until the bad row is alone. */
  async function narrow(rows: readonly Row[], { message }: RowsRefused): Promise<Reject[]> {
    if (rows.length <= 1) return rows.map(({ record }) => ({ record, reason: message }))
    const middle = rows.length >> 1
    return [...(await insert(rows.slice(0, middle))), ...(await insert(rows.slice(middle)))]
  }

  async function reject(refused: readonly Reject[]): Promise<void> {
    metrics.sinkRejects.inc({ topic: dataset.topic.name }, refused.length)
    onProblem(
      new Error(`${dataset.topic.name}: ${refused.length} refused, the first because ${refused[0]?.reason}`),
    )
    // A reject that cannot be stored would be rejected for ever.
    if (dataset.name === rejects.name) return
    const at = instant(now())
    await log.append(
      rejects.topic,
      refused.map(one => entry(one, at)),
    )
  }

  return {
    ended: following.ended.catch(error => {
      if (!closing.signal.aborted) throw error
    }),
    close: async () => {
      closing.abort()
      await following.close()
    },
  }
}

/**
 * Sorts a batch into rows and rejects. A tombstone is neither:
 * it clears a compacted topic, but the table keeps the row.
 */
function sort(dataset: Dataset, batch: readonly Received[]): { rows: Row[]; refused: Reject[] } {
  const rows: Row[] = []
  const refused: Reject[] = []
  for (const record of batch) {
    if (record.value === null) continue
    const checked = check(dataset, record.value)
    if ('event' in checked) rows.push({ record, ...versioned(dataset, checked.event, record) })
    else refused.push({ record, reason: checked.reason })
  }
  return { rows, refused }
}

const versioned = ({ withdrawn }: Dataset, event: Record<string, unknown>, record: Received): Versioned => ({
  event,
  version: versionOf(record),
  ...(withdrawn !== undefined && { deleted: event[withdrawn] === true }),
})

type Checked = { event: Record<string, unknown> } | { reason: string }

function check(dataset: Dataset, text: string): Checked {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { reason: 'not JSON' }
  }
  const { success, data, error } = checkEvent(dataset, json)
  if (success) return { event: data }
  return { reason: error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ') }
}

function entry({ record, reason }: Reject, at: string): Entry {
  const event = {
    topic: record.topic,
    place: `${record.partition}/${record.offset}`,
    at,
    reason,
    event: (record.value ?? '').slice(0, keptCharacters),
  }
  return { key: rejects.keyOf(event), value: JSON.stringify(event) }
}
