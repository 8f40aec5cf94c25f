/** Tiles of the log, as C2SP tlog-tiles names and writes them. */
import type { LogBook } from './book.ts'

const inTile = 256

interface Tile {
  /** Level 0 has the hashes of entries, level 1 those of whole tiles of level 0, and so on. */
  level: number | 'entries'
  index: number
  width: number
}

const form = /^(entries|[0-9]|[1-5][0-9]|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** Reads the part after `/tile/`. Undefined if no tile has that name. */
export function readTile(path: string): Tile | undefined {
  const [, level = '', index = '', width] = form.exec(path) ?? []
  const groups = index.split('/').map(group => group.replace('x', ''))
  // A number has only one spelling, without leading groups of zeros.
  const spelt = groups.length === 1 || groups[0] !== '000'
  const tile = {
    level: level === 'entries' ? ('entries' as const) : Number(level),
    index: Number(groups.join('')),
    width: Number(width ?? inTile),
  }
  if (level === '' || !spelt || !Number.isSafeInteger(tile.index) || Number(width ?? 0) >= inTile)
    return undefined
  return tile
}

/** The bytes of a tile in a log of this size. Undefined if it has no such tile yet. */
export function tileBytes({ level, index, width }: Tile, book: LogBook, size: number): Buffer | undefined {
  const height = level === 'entries' ? 0 : level * 8
  const start = index * inTile
  if (start + width > Math.floor(size / 2 ** height)) return undefined
  if (level !== 'entries') return book.tree.hashes(height, start, width)
  return Buffer.concat(
    Array.from({ length: width }, (_, i) => {
      const record = book.record(start + i)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(record.length)
      return Buffer.concat([length, record])
    }),
  )
}
