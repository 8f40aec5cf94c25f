/**
 * Reads JSON of any length in pieces of some KB, so that the other work of the thread has its turn in between. It takes what
 * JSON.parse takes, but for values that are too long to be read in one go, and for more of them than memory is worth.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'

type Container = unknown[] | Record<string, unknown>

/** It is cut at the first comma after so many bytes. */
const pieceBytes = 32 << 10
/** Of a text, a number or a run of blanks. */
const mostValueBytes = 1 << 20
const mostNests = 64
/** An empty one takes 3 bytes of the text and 56 of the memory. */
const mostValues = 4_000_000
/** Of an object that is cut, but for those before its first cut. */
const mostNames = 100_000

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [list, listEnd, object, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d]
/** Stands for the member that a piece goes on with. A stranger cannot know it. */
const hole = randomUUID()

/** Rejects with SyntaxError. */
export async function parseInPieces(bytes: Buffer): Promise<unknown> {
  const cutter = new Cutter(bytes)
  const first = cutter.next()
  const root = JSON.parse(first.text)
  const names = new WeakMap<Container, number>()
  let open = cutter.spine([], root)
  while (!cutter.isAtEnd) {
    await turn()
    const { text, kept } = cutter.next()
    merge(open, JSON.parse(text), names)
    open = cutter.spine(open.slice(0, kept), root)
  }
  return root
}

interface Piece {
  /** The piece, within all containers that it stands in. */
  text: string
  /** How many of the containers that were open at its beginning are still open at its end. */
  kept: number
}

class Cutter {
  readonly #bytes: Buffer
  #at = 0
  #values = 0
  /** The containers that are open: their first byte, and where the name of each stands in its parent. */
  #open: { kind: number; nameAt: number; nameEnd: number }[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at > this.#bytes.length
  }

  next(): Piece {
    const start = this.#at
    const before = this.#open.map(({ kind }) => kind)
    const { end, kept } = this.#scan(start)
    this.#at = end + 1
    const text = this.#bytes.toString('utf8', start, end)
    const isLast = end === this.#bytes.length
    // Before a comma and after it stands a member. Within its containers, nothing would be valid too.
    if (start > 0 && /^\s*(?:[\]}]|$)/.test(text)) throw new SyntaxError('a comma without a member')
    if (!isLast && '[{'.includes(text.trimEnd().slice(-1))) throw new SyntaxError('a comma without a member')
    if (isLast !== (this.#open.length === 0)) throw new SyntaxError('an end in the wrong place')
    const begins = before.map((kind, i) =>
      kind === list ? '[' : i === before.length - 1 ? '{' : `{${JSON.stringify(hole)}:`,
    )
    const ends = this.#open.map(({ kind }) => (kind === list ? ']' : '}')).reverse()
    return { text: begins.join('') + text + ends.join(''), kept }
  }

  /** The containers that are open now, from those that were open before. */
  spine(kept: readonly Container[], root: unknown): Container[] {
    const open = [...kept]
    for (const { nameAt, nameEnd } of this.#open.slice(kept.length)) {
      const parent = open.at(-1)
      if (!parent) open.push(root as Container)
      else if (Array.isArray(parent)) open.push(parent.at(-1) as Container)
      else open.push(parent[JSON.parse(this.#bytes.toString('utf8', nameAt, nameEnd)) as string] as Container)
    }
    return open
  }

  #scan(start: number): { end: number; kept: number } {
    const bytes = this.#bytes
    const open = this.#open
    let kept = open.length
    let [nameAt, nameEnd] = [0, 0]
    let i = start
    for (; i < bytes.length; i++) {
      const byte = bytes[i]
      if (byte === quote) {
        nameAt = i
        i = endOfText(bytes, i)
        nameEnd = i + 1
      } else if (byte === list || byte === object) {
        open.push({ kind: byte, nameAt, nameEnd })
        if (open.length > mostNests) throw new SyntaxError(`more than ${mostNests} nests`)
      } else if (byte === listEnd || byte === objectEnd) {
        if (open.pop()?.kind !== byte - 2) throw new SyntaxError('an end without a beginning')
        kept = Math.min(kept, open.length)
      } else if (byte === comma) {
        if (++this.#values > mostValues) throw new SyntaxError(`more than ${mostValues} values`)
        if (i - start >= pieceBytes) break
      }
      if (i - start > pieceBytes + mostValueBytes)
        throw new SyntaxError(`a value of more than ${mostValueBytes} bytes`)
    }
    return { end: i, kept }
  }
}

/** The place of the quote that ends the text. It looks no further than a text may be long. */
function endOfText(bytes: Buffer, start: number): number {
  const most = bytes.subarray(start, start + mostValueBytes + 2)
  for (let end = 0; ; ) {
    end = most.indexOf(quote, end + 1)
    if (end < 0) throw new SyntaxError(`a text without an end, or of more than ${mostValueBytes} bytes`)
    let slashes = 0
    while (most[end - 1 - slashes] === backslash) slashes++
    if (slashes % 2 === 0) return start + end
  }
}

/** Puts the members of a piece into the containers that were open at its beginning. */
function merge(open: readonly Container[], piece: unknown, names: WeakMap<Container, number>): void {
  let part = piece as Container
  for (const [i, into] of open.entries()) {
    const goesOn = i < open.length - 1
    if (Array.isArray(into)) {
      const members = part as unknown[]
      for (let n = goesOn ? 1 : 0; n < members.length; n++) into.push(members[n])
      part = members[0] as Container
    } else {
      const members = part as Record<string, unknown>
      const own = Object.entries(members)
      const count = (names.get(into) ?? 0) + own.length
      if (count > mostNames) throw new SyntaxError(`an object of more than ${mostNames} names`)
      names.set(into, count)
      for (const [name, value] of own) if (name !== hole) put(into, name, value)
      part = members[hole] as Container
    }
  }
}

function put(into: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') into[name] = value
  else Object.defineProperty(into, name, { value, enumerable: true, writable: true, configurable: true })
}
