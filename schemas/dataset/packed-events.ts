/**
 * Packs many events of one key into one record of the log, for events by the hundred million: a record is a table. It
 * names its columns, so that a later schema can still read it.
 */
import { type Dataset, type Fields, newerColumns, type RowOf, whatIsWrong } from './dataset.ts'
import { checkEvent } from './event-check.ts'

interface Packed {
  columns: string[]
  rows: unknown[][]
}

/**
 * An event, or the reason why there is none. `nth` is its place in a packed record, `newer` the columns that only a newer
 * version knows.
 */
type Found<F extends Fields> =
  | { event: RowOf<F>; newer?: readonly string[]; nth?: number; reason?: undefined }
  | { event?: undefined; newer?: undefined; nth?: number; reason: string; text: string }

/** In characters, so that a record stays below 1 MB whichever letters it has. */
const mostCharacters = 200_000

/** Returns the values of as many records as the events need. */
export function packed<F extends Fields>(dataset: Dataset<F>, events: readonly RowOf<F>[]): string[] {
  const columns = Object.keys(dataset.fields)
  const values: string[] = []
  let rows: string[] = []
  let characters = 0
  const close = () => {
    values.push(`{"columns":${JSON.stringify(columns)},"rows":[${rows.join(',')}]}`)
    rows = []
    characters = 0
  }
  for (const event of events) {
    const row = JSON.stringify(columns.map(column => (event as Record<string, unknown>)[column]))
    if (rows.length && characters + row.length > mostCharacters) close()
    rows.push(row)
    characters += row.length
  }
  if (rows.length) close()
  return values
}

/** Reads and checks what one record holds: the events of a packed one, or the one event. */
export function eventsIn<F extends Fields>(dataset: Dataset<F>, text: string): Found<F>[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return [{ reason: 'not JSON', text }]
  }
  if (!dataset.packed || !isPacked(value)) {
    return [found(dataset, value, () => text)]
  }
  const { columns, rows } = value
  return rows.map((row, nth) => {
    const event = eventOf(columns, row)
    return { nth, ...found(dataset, event, () => JSON.stringify(event)) }
  })
}

function found<F extends Fields>(dataset: Dataset<F>, value: unknown, text: () => string): Found<F> {
  const { success, data, error } = checkEvent(dataset, value, dataset.known)
  if (!success) return { reason: whatIsWrong(error), text: text() }
  const newer = newerColumns(dataset, value as object)
  return newer.length ? { event: data, newer } : { event: data }
}

const isPacked = (value: unknown): value is Packed =>
  typeof value === 'object' &&
  value !== null &&
  Array.isArray((value as Packed).columns) &&
  Array.isArray((value as Packed).rows) &&
  (value as Packed).rows.every(Array.isArray)

function eventOf(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  const event: Record<string, unknown> = {}
  for (let n = 0; n < columns.length; n++) event[columns[n] as string] = row[n]
  return event
}
