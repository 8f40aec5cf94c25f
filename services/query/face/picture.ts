/** The picture that others show beside a link to a page (Open Graph), as PNG: words of lit dots, as the display of a farebox has them. */
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { dotsOf, letterHeight, letterWidth } from './dot-letters.ts'

export interface Picture {
  /** A word above: whose page it is. */
  over: string
  title: string
  /** The lines below it. */
  lines: readonly string[]
}

export const [pictureWidth, pictureHeight] = [1200, 630]
const margin = 72
const [ground, unlit, white, green, shade] = [0, 1, 2, 3, 4]
const palette = Buffer.from('0f13111a211ee9efec00bb55a9b6af', 'hex')

type Pixels = Uint8Array

function fill(pixels: Pixels, [x, y, width, height]: readonly number[], color: number): void {
  for (let row = 0; row < (height ?? 0); row++) {
    // Each line begins with the number of its filter.
    const from = ((y ?? 0) + row) * (pictureWidth + 1) + 1 + (x ?? 0)
    pixels.fill(color, from, from + (width ?? 0))
  }
}

interface Row {
  y: number
  /** Pixels from dot to dot. */
  pitch: number
  color: number
}

const room = ({ pitch }: Pick<Row, 'pitch'>) =>
  Math.floor((pictureWidth - 2 * margin) / (pitch * letterWidth))

function write(pixels: Pixels, text: string, { y, pitch, color }: Row): void {
  const dot = pitch - Math.max(1, Math.round(pitch / 6))
  dotsOf(text, (column, row) => fill(pixels, [margin + column * pitch, y + row * pitch, dot, dot], color))
}

/** Whole words a line, and what has no room ends with dots. */
function wrapped(text: string, width: number, most: number): string[] {
  const lines: string[] = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? ''
    if (last && last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = last ? `${last} ${word}` : word
  }
  const shown = lines.slice(0, most).map(line => cut(line, width))
  const lost = lines.length > most
  return shown.map((line, at) => (lost && at === most - 1 ? cut(`${line}...`, width) : line))
}
const cut = (line: string, width: number): string =>
  line.length > width ? `${line.slice(0, width - 3)}...` : line

const titlePitches = [10, 8, 6]
const mostTitleLines = 3

function drawn({ over, title, lines }: Picture): Pixels {
  const pixels = new Uint8Array((pictureWidth + 1) * pictureHeight)
  for (let y = 6; y < pictureHeight; y += 12)
    for (let x = 6; x < pictureWidth; x += 12) fill(pixels, [x, y, 2, 2], unlit)
  fill(pixels, [margin, 60, 72, 72], green)
  fill(pixels, [margin + 31, 74, 10, 44], white)
  write(pixels, `   ${over}`, { y: 76, pitch: 6, color: white })
  const pitch =
    titlePitches.find(each => wrapped(title, room({ pitch: each }), 9).length <= 2) ??
    titlePitches.at(-1) ??
    6
  const titleLines = wrapped(title, room({ pitch }), mostTitleLines)
  for (const [at, line] of titleLines.entries())
    write(pixels, line, { y: 210 + at * pitch * (letterHeight + 2), pitch, color: white })
  for (const [at, line] of lines.entries())
    write(pixels, cut(line, room({ pitch: 5 })), {
      ...{ y: 430 + at * 52, pitch: 5 },
      color: at === 0 ? green : shade,
    })
  fill(pixels, [0, pictureHeight - 10, pictureWidth, 10], green)
  fill(pixels, [0, 0, 1, 1], ground)
  return pixels
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

const pack = promisify(deflate)

async function pngOf(picture: Picture): Promise<Buffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(pictureWidth, 0)
  head.writeUInt32BE(pictureHeight, 4)
  // Eight bits a pixel, which name a colour of the palette.
  head.set([8, 3], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('PLTE', palette),
    chunk('IDAT', await pack(drawn(picture))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const kept = new Bounded<Promise<Buffer>>({ most: 256 })

/** Drawn once: it costs some milliseconds. */
function pictureOf(picture: Picture): Promise<Buffer> {
  const name = JSON.stringify(picture)
  const made = kept.ask(name) ?? pngOf(picture)
  kept.set(name, made)
  return made
}

/** The end of a picture's address, behind the address of its page. */
export const pictureEnd = '/picture.png'

export const picturePage = async (picture: Picture) => ({
  type: 'image/png',
  headers: { 'cache-control': 'public, max-age=86400' },
  body: await pictureOf(picture),
})
