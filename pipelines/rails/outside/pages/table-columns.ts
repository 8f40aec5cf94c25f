/** The columns of a row that cells from the left or from above cover. */

const mostColumns = 100
const mostRows = 1_000
/** The limit of inserted empty cells on a page. */
const mostFilled = 20_000
/** Tables in tables beyond this have no columns of their own. */
const mostTables = 250
const groups = new Set(['THEAD', 'TBODY', 'TFOOT'])

/** A cell: an element, or the tag of one. */
interface Cell {
  getAttribute(name: string): string | null
}

interface Reach {
  from: number
  to: number
  rows: number
}

/** `enter` and `leave` follow the tables of a document, and `cell` returns the number of empty cells before one. */
export class TableColumns {
  readonly #tables: { reaching: Reach[]; column: number; wide: number; isInCell: boolean }[] = []
  #deeper = 0
  #filled = 0

  enter(tag: string): void {
    if (tag === 'TABLE' && this.#tables.length >= mostTables) this.#deeper += 1
    else if (tag === 'TABLE') this.#tables.push({ reaching: [], column: 0, wide: 1, isInCell: false })
    // The row before has no end tag.
    else if (tag === 'TR' && this.#tables.at(-1)?.column) this.leave('TR')
  }

  leave(tag: string): void {
    const table = this.#tables.at(-1)
    if (!table) return
    if (tag === 'TABLE' && this.#deeper > 0) this.#deeper -= 1
    else if (tag === 'TABLE') this.#tables.pop()
    // No cell reaches out of its group of rows.
    if (groups.has(tag)) table.reaching = []
    if (tag !== 'TR') return
    table.column = 0
    table.isInCell = false
    table.reaching = table.reaching.flatMap(reach =>
      reach.rows > 1 ? [{ ...reach, rows: reach.rows - 1 }] : [],
    )
  }

  /** The number of empty cells before this one: a cell further above or further left covers them. */
  cell(element: Cell): number {
    const table = this.#tables.at(-1)
    if (!table) return 0
    const begins = table.column
    let column = begins
    while (table.reaching.some(({ from, to, rows }) => rows > 0 && from <= column && column < to)) column += 1
    const wide = spanOf(element, 'colspan', mostColumns)
    const high = spanOf(element, 'rowspan', mostRows)
    table.column = Math.min(column + wide, mostColumns)
    table.wide = wide
    table.isInCell = true
    // A high cell covers columns from the next row on.
    if (high > 1 && table.reaching.length < mostColumns)
      table.reaching.push({ from: column, to: table.column, rows: high })
    return this.#allowed(column - begins)
  }

  /** The number of empty cells after the last one, in its own row. */
  behind(): number {
    const table = this.#tables.at(-1)
    if (!table) return 0
    table.isInCell = false
    return this.#allowed(table.wide - 1)
  }

  /** A cell has begun that has not ended. */
  get isInCell(): boolean {
    return this.#tables.at(-1)?.isInCell ?? false
  }

  #allowed(count: number): number {
    const allowed = Math.max(0, Math.min(count, mostFilled - this.#filled))
    this.#filled += allowed
    return allowed
  }
}

function spanOf(element: Cell, name: string, most: number): number {
  const written = Number(element.getAttribute(name) ?? 1)
  if (written === 0 && name === 'rowspan') return most
  return Number.isInteger(written) && written >= 1 ? Math.min(written, most) : 1
}
