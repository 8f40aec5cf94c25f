/**
 * A font whose letters are all the same box, so that a page is laid out alike whatever fonts a machine has: as a TrueType file, made
 * here.
 */
const [em, advance, ascent, descent] = [1000, 520, 900, 300]

const bytes = (size: number, ...values: number[]): Buffer => {
  const written = Buffer.alloc(size * values.length)
  for (const [at, value] of values.entries())
    if (value < 0) written.writeIntBE(value, at * size, size)
    else written.writeUIntBE(value, at * size, size)
  return written
}
const short = (...values: number[]) => bytes(2, ...values)
const long = (...values: number[]) => bytes(4, ...values)
const joined = (...parts: Buffer[]) => Buffer.concat(parts)

/** Clockwise, of four points on the line, whose steps are written as words. */
const box = [60, 0, advance - 60, 700] as const
const glyph = joined(
  short(1, ...box, 3, 0),
  Buffer.from([1, 1, 1, 1]),
  short(box[0], 0, box[2] - box[0], 0),
  short(0, box[3], 0, -box[3]),
)

/** Glyph 0 and 1 are empty: what is missing, and the space. Glyph 2 is the box, of every other character. */
const tables: Record<string, Buffer> = {
  'OS/2': joined(
    short(4, advance, 400, 5, 0, 650, 700, 0, 140, 650, 700, 0, 480, 50, 250, 0),
    Buffer.alloc(10),
    long(1, 0, 0, 0),
    Buffer.from('NONE'),
    short(64, 32, 0xffff, ascent, -descent, 0, ascent, descent),
    long(1, 0),
    short(500, 700, 0, 32, 0),
  ),
  cmap: joined(
    short(0, 1, 3, 10),
    long(12),
    short(13, 0),
    long(16 + 2 * 12, 0, 2),
    long(32, 32, 1),
    long(33, 0x10ffff, 2),
  ),
  glyf: glyph,
  head: joined(
    long(0x10000, 0x10000, 0, 0x5f0f3cf5),
    short(0, em),
    Buffer.alloc(16),
    short(...box, 0, 8, 2, 1, 0),
  ),
  hhea: joined(long(0x10000), short(ascent, -descent, 0, advance, 60, 60, box[2], 1, 0, 0, 0, 0, 0, 0, 0, 3)),
  hmtx: short(advance, 0, advance, 0, advance, 60),
  loca: long(0, 0, 0, glyph.length),
  maxp: joined(long(0x10000), short(3, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)),
  name: named({ 1: 'Boxes', 2: 'Regular', 4: 'Boxes', 6: 'Boxes' }),
  post: joined(long(0x30000, 0), short(-100, 50), long(0, 0, 0, 0, 0)),
}

function named(names: Record<number, string>): Buffer {
  const all = Object.entries(names).map(([id, name]) => ({
    id: Number(id),
    text: Buffer.from(name, 'utf16le').swap16(),
  }))
  let at = 0
  const records = all.map(({ id, text }) => {
    const record = short(3, 1, 0x409, id, text.length, at)
    at += text.length
    return record
  })
  return joined(short(0, all.length, 6 + 12 * all.length), ...records, ...all.map(({ text }) => text))
}

const sumOf = (table: Buffer): number => {
  let sum = 0
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0
  return sum
}
const padded = (table: Buffer) => joined(table, Buffer.alloc((4 - (table.length % 4)) % 4))

function file(): Buffer {
  const all = Object.entries(tables)
  let at = 12 + 16 * all.length
  const listed = all.map(([tag, table]) => {
    const entry = joined(Buffer.from(tag), long(sumOf(padded(table)), at, table.length))
    at += padded(table).length
    return entry
  })
  const power = 2 ** Math.floor(Math.log2(all.length))
  const search = short(all.length, power * 16, Math.log2(power), (all.length - power) * 16)
  return joined(long(0x10000), search, ...listed, ...all.map(([, table]) => padded(table)))
}

/** As CSS, which gives it to all text of a page. */
export const boxFont = `@font-face { font-family: Boxes; src: url(data:font/ttf;base64,${file().toString('base64')}) }
*, *::before, *::after { font-family: Boxes !important; letter-spacing: 0 !important }`
