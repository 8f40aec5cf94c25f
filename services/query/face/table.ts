/** A table. On a narrow screen each row becomes a card that names its columns, so no column is cut; a table of figures scrolls. */
import { escaped } from './text.ts'

interface Column {
  title: string
  isNumber?: boolean
}

interface Table {
  columns: readonly (string | Column)[]
  /** Cells of HTML. The first names its row. */
  rows: readonly (readonly string[])[]
  /** What it shows, for who does not see it. */
  caption: string
  /** It keeps its columns on a narrow screen, and scrolls. */
  scrolls?: boolean
}

export function table({ columns, rows, caption, scrolls = false }: Table): string {
  const shown = columns.map(column => (typeof column === 'string' ? { title: column } : column))
  const number = ({ isNumber }: Column) => (isNumber ? ' class="number"' : '')
  const head = shown.map(
    each => `<th role="columnheader" scope="col"${number(each)}>${escaped(each.title)}</th>`,
  )
  const cellOf = (cell: string, at: number) => {
    const column = shown[at] ?? { title: '' }
    if (at === 0) return `<th role="rowheader" scope="row"${number(column)}>${cell}</th>`
    return `<td role="cell"${number(column)}${column.title && cell ? ` data-title="${escaped(column.title)}"` : ''}>${cell}</td>`
  }
  const body = rows.map(cells => `<tr role="row">${cells.map((cell, at) => cellOf(cell, at)).join('')}</tr>`)
  return `<div class="wide" role="group" aria-label="${escaped(caption)}" tabindex="0"><table role="table"${scrolls ? '' : ' class="folds"'}><thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead><tbody role="rowgroup">${body.join('')}</tbody></table></div>`
}
