/** Turns records of the log into rows, and inserts them in spite of a store that is down and rows that never fit. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dataset } from '../schemas/dataset.ts'
import { checkEvent } from '../schemas/event-check.ts'
import { type Received, versionOf } from './log/log.ts'
import { RowsRefused, StoreAway, type Versioned } from './store/store.ts'

export type Row = Versioned & { record: Received }

export interface Refused {
  record: Received
  reason: string
}

const firstPauseMs = 100
const longestPauseMs = 10_000

/**
 * Sorts a batch into rows and refused records. A tombstone is neither:
 * it clears a compacted topic, but the table keeps the row.
 */
export function sorted(dataset: Dataset, batch: readonly Received[]): { rows: Row[]; refused: Refused[] } {
  const rows: Row[] = []
  const refused: Refused[] = []
  for (const record of batch) {
    if (record.value === null) continue
    const checked = check(dataset, record.value)
    if ('event' in checked) rows.push({ record, ...versioned(dataset, checked.event, record) })
    else refused.push({ record, reason: checked.reason })
  }
  return { rows, refused }
}

export interface Insertion {
  insert(rows: readonly Versioned[]): Promise<void>
  onRetry(error: StoreAway): void
  signal: AbortSignal
}

/** Inserts every row that fits, however long the store is down. Resolves with the rows that can never fit. */
export async function insertFitting(rows: readonly Row[], into: Insertion): Promise<Refused[]> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    into.signal.throwIfAborted()
    try {
      await into.insert(rows)
      return []
    } catch (error) {
      if (error instanceof RowsRefused) return narrow(rows, error, into)
      if (!(error instanceof StoreAway)) throw error
      into.onRetry(error)
      await sleep(pauseMs, undefined, { signal: into.signal })
    }
  }
}

/** One bad row must not block the others. It inserts halves of the batch until the bad row is alone. */
async function narrow(rows: readonly Row[], { message }: RowsRefused, into: Insertion): Promise<Refused[]> {
  if (rows.length <= 1) return rows.map(({ record }) => ({ record, reason: message }))
  const middle = rows.length >> 1
  return [
    ...(await insertFitting(rows.slice(0, middle), into)),
    ...(await insertFitting(rows.slice(middle), into)),
  ]
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
