/** Sorts the pieces of a page for reading: columns one after another, tables row by row with their empty cells. */

/** Continuous text in one line. In the frame of its own direction: x grows along the line, y from line to line. */
export interface Piece {
  text: string
  left: number
  right: number
  top: number
  bottom: number
  /** The size of its letters. */
  size: number
  /** The order of drawing, counted in pieces. */
  place: number
}

type Row = Piece[]

/** The smallest gap between columns, in letter sizes. */
const leastGap = 0.6
/** A line that is wider than this share of its region crosses its columns. */
const wide = 0.6
const mostRows = 600
const mostDepth = 6

export function ordered(pieces: readonly Piece[], depth = 0): string[] {
  const rows = rowsOf(pieces)
  const lines: string[] = []
  const width = spanOf(pieces)
  for (let at = 0; at < rows.length; ) {
    const run = runFrom(rows, at, width)
    const inside = rows.slice(at, at + run)
    const gutter = depth < mostDepth ? gutterOf(inside) : undefined
    if (gutter === undefined) lines.push(...table(inside))
    else {
      const all = inside.flat()
      lines.push(
        ...ordered(
          all.filter(({ right }) => right <= gutter),
          depth + 1,
        ),
      )
      lines.push(
        ...ordered(
          all.filter(({ right }) => right > gutter),
          depth + 1,
        ),
      )
    }
    at += run
  }
  return lines
}

const spanOf = (pieces: readonly Piece[]): number => {
  let [left, right] = [Infinity, -Infinity]
  for (const piece of pieces) [left, right] = [Math.min(left, piece.left), Math.max(right, piece.right)]
  return right - left
}

/** Pieces with their middle at the same height are in one line. */
function rowsOf(pieces: readonly Piece[]): Row[] {
  const middle = ({ top, bottom }: Piece) => (top + bottom) / 2
  const rows: Row[] = []
  for (const piece of [...pieces].sort((a, b) => middle(a) - middle(b) || a.left - b.left)) {
    const row = rows.at(-1)
    const first = row?.[0]
    if (row && first && middle(piece) - middle(first) < Math.min(first.size, piece.size) * 0.5)
      row.push(piece)
    else rows.push([piece])
  }
  for (const row of rows) {
    const sign = isRightToLeft(row) ? -1 : 1
    row.sort((a, b) => sign * (a.left - b.left))
  }
  return rows
}

const isRightToLeft = (row: Row): boolean =>
  /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(row.map(({ text }) => text.slice(0, 20)).join(' '))

/** The number of rows, from here on, with a common gap; else 1. */
function runFrom(rows: readonly Row[], from: number, width: number): number {
  let taken: Interval[] = []
  let run = 1
  for (let at = from; at < Math.min(rows.length, from + mostRows); at += 1) {
    for (const piece of rows[at] as Row) taken = joined(taken, piece)
    const [first, last] = [taken[0], taken.at(-1)]
    if (taken.length > 1) run = at - from + 1
    else if (!first || !last || last.right - first.left > width * wide) break
  }
  return run
}

interface Interval {
  left: number
  right: number
}

/** Intervals with less than the least gap between them become one. */
function joined(taken: readonly Interval[], { left, right, size }: Piece): Interval[] {
  const gap = size * leastGap
  let [from, to] = [left, right]
  const apart = taken.filter(each => {
    if (each.right + gap < left || right + gap < each.left) return true
    from = Math.min(from, each.left)
    to = Math.max(to, each.right)
    return false
  })
  return [...apart, { left: from, right: to }].sort((a, b) => a.left - b.left)
}

const intervalsOf = (rows: readonly Row[]): Interval[] => {
  let taken: Interval[] = []
  for (const row of rows) for (const piece of row) taken = joined(taken, piece)
  return taken
}

/** The gap between columns of text. Columns of a table do not count, because its rows are read across. */
function gutterOf(rows: readonly Row[]): number | undefined {
  const intervals = intervalsOf(rows)
  const all = rows.flat()
  for (const { right } of intervals.slice(0, -1)) {
    const before = all.filter(piece => piece.right <= right)
    const after = all.filter(piece => piece.right > right)
    if (before.length >= 2 && after.length >= 2 && areTexts(before, after)) return right
  }
  return undefined
}

function areTexts(before: readonly Piece[], after: readonly Piece[]): boolean {
  const [least, other] = [lettersOf(before), lettersOf(after)].sort((a, b) => a - b) as [number, number]
  const [one, two] = [placesOf(before), placesOf(after)]
  const isDrawnApart = one.last < two.first || two.last < one.first
  return least >= 20 || (isDrawnApart && least >= 10 && other >= 12)
}

function placesOf(pieces: readonly Piece[]): { first: number; last: number } {
  let [first, last] = [Infinity, -Infinity]
  for (const { place } of pieces) [first, last] = [Math.min(first, place), Math.max(last, place)]
  return { first, last }
}

/** The letters of a middle line. Digits belong to tables. */
function lettersOf(pieces: readonly Piece[]): number {
  const counts = pieces.map(({ text }) => text.match(/\p{L}/gu)?.length ?? 0).sort((a, b) => a - b)
  return counts[Math.floor(counts.length / 2)] ?? 0
}

/** A row with several cells has a tab for each gap that the rows have in common. */
function table(rows: readonly Row[]): string[] {
  const columns = intervalsOf(rows)
  return rows.map(row => {
    if (row.length < 2 || columns.length < 2 || isRightToLeft(row)) return sideBySide(row)
    const cells = columns.map(({ left, right }) =>
      sideBySide(row.filter(piece => piece.left >= left && piece.right <= right)),
    )
    return cells.join('\t')
  })
}

const sideBySide = (row: Row): string => row.map(({ text }) => text.trim()).join(' ')
