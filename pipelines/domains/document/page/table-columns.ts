/** The columns of a row that cells from the left or from above cover. */
import type { DomElement } from './dom.ts'

const mostColumns = 100
const mostRows = 1_000
/** The limit of inserted empty cells on a page. */
const mostFilled = 20_000

interface Reach {
  from: number
  to: number
  rows: number
}

/** `enter` and `leave` follow the tables of a document, and `cell` returns the number of empty cells before one. */
export class TableColumns {
  readonly #tables: { reaching: Reach[]; column: number }[] = []
  #filled = 0

  enter(tag: string): void {
    if (tag === 'TABLE') this.#tables.push({ reaching: [], column: 0 })
  }

  leave(tag: string): void {
    const table = this.#tables.at(-1)
    if (!table) return
    if (tag === 'TABLE') this.#tables.pop()
    if (tag !== 'TR') return
    table.column = 0
    table.reaching = table.reaching.flatMap(reach =>
      reach.rows > 1 ? [{ ...reach, rows: reach.rows - 1 }] : [],
    )
  }

  /** The number of empty cells before this one: a cell further above or further left covers them. */
  cell(element: DomElement): number {
    const table = this.#tables.at(-1)
    if (!table) return 0
    const begins = table.column
    let column = begins
    while (table.reaching.some(({ from, to, rows }) => rows > 0 && from <= column && column < to)) column += 1
    const wide = spanOf(element, 'colspan', mostColumns)
    const high = spanOf(element, 'rowspan', mostRows)
    table.column = Math.min(column + wide, mostColumns)
    // A high cell covers columns from the next row on.
    if (high > 1 && table.reaching.length < mostColumns)
      table.reaching.push({ from: column, to: table.column, rows: high })
    return this.#allowed(column - begins)
  }

  /** The number of empty cells after it, in its own row. */
  behind(element: DomElement): number {
    return this.#tables.length ? this.#allowed(spanOf(element, 'colspan', mostColumns) - 1) : 0
  }

  #allowed(count: number): number {
    const allowed = Math.max(0, Math.min(count, mostFilled - this.#filled))
    this.#filled += allowed
    return allowed
  }
}

function spanOf(element: DomElement, name: string, most: number): number {
  const written = Number(element.getAttribute(name) ?? 1)
  return Number.isInteger(written) && written >= 1 ? Math.min(written, most) : 1
}
