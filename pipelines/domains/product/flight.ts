/** Reads the data of a page of Next.js's App Router. Scripts push pieces of one text; each of its rows is an id with a value. */
import { endOf } from './lenient-json.ts'
import type { Script } from './markup.ts'

export const flightType = 'flight'
const begins = /__next_f\.push\(\s{0,20}(?=\[)/g
const mostPieces = 5_000
const mostCharacters = 3 << 20

/** The pieces in their order, as one script. A row may begin in one piece and end in another. */
export function flightOf(scripts: readonly Script[]): Script {
  const pieces: string[] = []
  let left = mostCharacters
  for (const { type, text } of scripts) {
    if (type.includes('json') || !text.includes('__next_f')) continue
    let until = 0
    for (const { index, 0: begin } of text.matchAll(begins)) {
      const start = index + begin.length
      if (start < until) continue
      until = endOf(text, start, Math.min(text.length, start + left))
      const piece = pieceIn(text.slice(start, until))
      left -= piece.length
      if (left < 0 || pieces.length >= mostPieces) break
      if (piece !== '') pieces.push(piece)
    }
  }
  return { type: flightType, id: '', text: pieces.join('') }
}

/** `[1, "text"]`. Other kinds begin the stream, or carry bytes. */
function pieceIn(literal: string): string {
  try {
    const [kind, text] = JSON.parse(literal) as unknown[]
    return kind === 1 && typeof text === 'string' ? text : ''
  } catch {
    return ''
  }
}

const row = /([0-9a-f]{1,8}):(?:T([0-9a-f]{1,8}),)?/y

/** The values of the rows that may tell a price. A text has its length before it, and no line end after it. */
export function flightRows(text: string): unknown[] {
  const found: unknown[] = []
  let at = 0
  while (at < text.length) {
    row.lastIndex = at
    const [begin = '', , length] = row.exec(text) ?? []
    if (length !== undefined) {
      at = afterBytes(text, at + begin.length, Number.parseInt(length, 16))
      continue
    }
    const end = text.indexOf('\n', at)
    const line = text.slice(at + begin.length, end < 0 ? text.length : end)
    if (begin !== '' && /^[[{]/.test(line) && /price/i.test(line)) found.push(...parsed(line))
    at = end < 0 ? text.length : end + 1
  }
  return found
}

/** A row that is cut off has no value. */
function parsed(line: string): unknown[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** The place after as many bytes of UTF-8. */
function afterBytes(text: string, from: number, bytes: number): number {
  let left = bytes
  let at = from
  while (left > 0 && at < text.length) {
    const code = text.codePointAt(at) as number
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    at += code < 0x10000 ? 1 : 2
  }
  return at
}
