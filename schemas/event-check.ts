/**
 * Checks events by the hundred million. The values of a column repeat from event to event: what was accepted once is
 * not checked again.
 */
import type { z } from 'zod'
import type { Dataset, Fields, RowOf } from './dataset.ts'

type Checked<F extends Fields> = z.ZodSafeParseResult<RowOf<F>>

interface Column {
  name: string
  type: z.ZodType
  accepted: Set<unknown>
  /** The accepted lists, as JSON. */
  lists: Set<string>
}

/** Beyond it a column is forgotten: its values do not repeat. */
const mostAccepted = 2000
const columnsOf = new WeakMap<Dataset, Column[]>()

/** Says the same as `dataset.event.safeParse`. */
export function checkEvent<F extends Fields>(dataset: Dataset<F>, value: unknown): Checked<F> {
  let columns = columnsOf.get(dataset as unknown as Dataset)
  if (!columns) {
    columns = Object.entries(dataset.fields).map(([name, { type }]) => ({
      name,
      type,
      accepted: new Set(),
      lists: new Set(),
    }))
    columnsOf.set(dataset as unknown as Dataset, columns)
  }
  return isEvent(columns, value)
    ? { success: true, data: value as RowOf<F> }
    : (dataset.event.safeParse(value) as Checked<F>)
}

/** Whatever needs more than a look (a default, an object, a mistake) is left to the whole check. */
function isEvent(columns: readonly Column[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== columns.length)
    return false
  for (const { name, type, accepted, lists } of columns) {
    const one = (value as Record<string, unknown>)[name]
    if (accepted.has(one)) continue
    if (one === undefined) return false
    const isList = Array.isArray(one)
    if (typeof one === 'object' && one !== null && !isList) return false
    const text = isList ? JSON.stringify(one) : ''
    if (isList && lists.has(text)) continue
    const { success, data } = type.safeParse(one)
    if (!success || (isList ? JSON.stringify(data) !== text : data !== one)) return false
    if (isList) add(lists, text)
    else add(accepted, one)
  }
  return true
}

function add<T>(accepted: Set<T>, one: T): void {
  if (accepted.size >= mostAccepted) accepted.clear()
  accepted.add(one)
}
