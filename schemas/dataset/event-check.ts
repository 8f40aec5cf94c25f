/**
 * Checks events by the hundred million. The values of a column repeat from event to event, so an accepted value is
 * not checked again.
 */
import type { z } from 'zod'
import type { Dataset, Fields, RowOf } from './dataset.ts'

type Checked<F extends Fields> = z.ZodSafeParseResult<RowOf<F>>

interface Column {
  name: string
  type: z.ZodType
  last: unknown
  accepted: Set<unknown>
  /** The accepted lists, as JSON. */
  lists: Set<string>
  /** How often an accepted value came again since all were last forgotten. */
  again: number
  /** The values hardly repeat, so remembering them costs more than checking them. */
  varied: boolean
}

/** A column with more values is forgotten at once. This runs for each field of each event, so it keeps no order of use. */
const mostAccepted = 2000
const columnsOf = new WeakMap<Dataset, Column[]>()

/** Gives the same result as a full check: that of the writer, unless another one is given. */
export function checkEvent<F extends Fields>(
  dataset: Dataset<F>,
  value: unknown,
  full: z.ZodType<RowOf<F>> = dataset.event,
): Checked<F> {
  let columns = columnsOf.get(dataset as unknown as Dataset)
  if (!columns) {
    columns = Object.entries(dataset.fields).map(([name, { type }]) => ({
      name,
      type,
      last: undefined,
      accepted: new Set(),
      lists: new Set(),
      again: 0,
      varied: false,
    }))
    columnsOf.set(dataset as unknown as Dataset, columns)
  }
  return isEvent(columns, value)
    ? { success: true, data: value as RowOf<F> }
    : (full.safeParse(value) as Checked<F>)
}

/** Anything beyond a quick look (a default, an object, a mistake) goes to the full check. */
function isEvent(columns: readonly Column[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== columns.length)
    return false
  for (const column of columns) {
    const one = (value as Record<string, unknown>)[column.name]
    if (one === undefined || (one !== column.last && !isAccepted(column, one))) return false
    if (typeof one !== 'object') column.last = one
  }
  return true
}

function isAccepted(column: Column, one: unknown): boolean {
  const { type, accepted, lists } = column
  if (Array.isArray(one)) {
    const text = JSON.stringify(one)
    if (lists.has(text)) return true
    const { success, data } = type.safeParse(one)
    if (!success || JSON.stringify(data) !== text) return false
    if (lists.size >= mostAccepted) lists.clear()
    lists.add(text)
    return true
  }
  if (typeof one === 'object' && one !== null) return false
  if (!column.varied && accepted.has(one)) {
    column.again++
    return true
  }
  const { success, data } = type.safeParse(one)
  if (!success || data !== one) return false
  if (!column.varied) remember(column, one)
  return true
}

function remember(column: Column, one: unknown): void {
  const { accepted } = column
  if (accepted.size >= mostAccepted) {
    column.varied = column.again < mostAccepted
    column.again = 0
    accepted.clear()
  }
  accepted.add(one)
}
