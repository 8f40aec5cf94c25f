/** Turns records of the log into rows, and inserts them in spite of a store that is down and rows that never fit. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { eventsIn } from '../../schemas/dataset/packed-events.ts'
import type { Received } from '../rails/log/log.ts'
import type { Order } from '../rails/log/order.ts'
import { RowsRefused, StoreAway, type Versioned } from '../rails/store/store.ts'
import { NewerEvent } from './newer-event.ts'

/** The place of an event: its record, and its position there if the record is packed. */
interface Place {
  record: Received
  nth: number | undefined
}

export type InsertedRow = Versioned & Place

export interface RefusedRow extends Place {
  reason: string
  /** The event as it was written. */
  text: string
}

const firstPauseMs = 100
const longestPauseMs = 10_000

/**
 * Sorts a batch into rows and refused events. A tombstone is neither: it clears a compacted topic, but the table keeps the
 * row. Throws NewerEvent where a newer version has written more than the table can hold.
 */
export function sorted(
  dataset: Dataset,
  batch: readonly Received[],
  order: Order,
): { rows: InsertedRow[]; refused: RefusedRow[] } {
  const rows: InsertedRow[] = []
  const refused: RefusedRow[] = []
  for (const record of batch) {
    if (record.value === null) continue
    const version = order.versionOf(record)
    for (const found of eventsIn(dataset, record.value)) {
      const { nth } = found
      if (found.newer) throw new NewerEvent(dataset, record, found.newer.join(', '))
      if (found.event === undefined) refused.push({ record, nth, reason: found.reason, text: found.text })
      else rows.push({ record, nth, event: found.event, version, ...withdrawal(dataset, found.event) })
    }
  }
  return { rows, refused }
}

interface Insertion {
  insert(rows: readonly Versioned[]): Promise<void>
  onRetry(error: StoreAway): void
  signal: AbortSignal
}

/** Asks the store again and again while it is down. */
export async function insist<T>(
  { onRetry, signal }: Pick<Insertion, 'onRetry' | 'signal'>,
  ask: () => Promise<T>,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error
      onRetry(error)
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

/** Inserts every row that fits, however long the store is down. Resolves with the rows that can never fit. */
export async function insertFitting(rows: readonly InsertedRow[], into: Insertion): Promise<RefusedRow[]> {
  try {
    await insist(into, () => into.insert(rows))
    return []
  } catch (error) {
    if (error instanceof RowsRefused) return narrow(rows, error, into)
    throw error
  }
}

/** One bad row must not block the others. It inserts halves of the batch until the bad row is alone. */
async function narrow(
  rows: readonly InsertedRow[],
  { message }: RowsRefused,
  into: Insertion,
): Promise<RefusedRow[]> {
  if (rows.length <= 1) return rows.map(row => ({ ...row, reason: message, text: textOf(row) }))
  const middle = rows.length >> 1
  return [
    ...(await insertFitting(rows.slice(0, middle), into)),
    ...(await insertFitting(rows.slice(middle), into)),
  ]
}

const withdrawal = ({ withdrawn }: Dataset, event: Record<string, unknown>) =>
  withdrawn === undefined ? undefined : { deleted: event[withdrawn] === true }

const textOf = ({ record, nth, event }: InsertedRow): string =>
  nth === undefined ? (record.value ?? '') : JSON.stringify(event)
