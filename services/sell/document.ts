/** Reads a file that sells: YAML, or JSON, which YAML contains. It knows the place of each value, so every fault has its line. */
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'

export type Path = readonly PropertyKey[]

export interface Fault {
  line: number
  column: number
  message: string
  /** Absent: the file itself. */
  file?: string
}

/** A file that sells a hundred operations has a quarter of this. */
const usualBytes = 1 << 20
/** YAML takes five seconds for a megabyte on a slow machine, and JSON none. So a larger one is read as JSON alone, and its faults have no line. */
const largeBytes = 4 << 20
/** Each takes time to find its line. */
const mostFaults = 200
const tooDeep = 'the file is nested too deep to be read'

export class SellDocument {
  readonly value: unknown
  readonly faults: Fault[] = []
  readonly #text: string
  #document: Document | undefined
  readonly #lines = new LineCounter()
  #hasLines = true
  /** Its values are there, so that what is wrong with them can be told, too. */
  #isReadable = true
  #isRead = false

  /** `isLarge`: somebody else's. As JSON it may have four megabytes, and its lines are looked for only where there is a fault. */
  constructor(text: string, { isLarge = false } = {}) {
    this.#text = text
    const bytes = Buffer.byteLength(text)
    const mostBytes = isLarge ? largeBytes : usualBytes
    if (bytes > mostBytes) {
      this.#faultAt(0, `the file has more than ${mostBytes} bytes`)
      return
    }
    this.#hasLines = bytes <= usualBytes
    const json = isLarge ? jsonIn(text) : undefined
    if (json === undefined && !this.#hasLines)
      this.#faultAt(0, `it is no JSON, and as YAML it may have ${usualBytes} bytes: write it as JSON`)
    else this.value = json ?? this.#readNow()
  }

  #readNow(): unknown {
    this.#isRead = true
    try {
      const document = this.#read(this.#text)
      if (!this.#isReadable) return undefined
      this.#document = document
      return document.toJS({ maxAliasCount: 0 })
    } catch (error) {
      // The parser goes one step deeper for each dash and bracket, until its stack is full.
      if (!(error instanceof RangeError)) throw error
      this.#faultAt(0, tooDeep)
      return undefined
    }
  }

  #read(text: string): Document {
    const document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      stringKeys: true,
      merge: false,
      version: '1.2',
      schema: 'core',
      // With 'silent' it drops every document but the first, and says nothing.
      logLevel: 'error',
      // It compares each key with all before it: a megabyte of keys would take minutes.
      uniqueKeys: false,
    })
    for (const { pos, message } of [...document.errors, ...document.warnings])
      this.#unreadable(pos[0], message.startsWith('Maximum call stack') ? tooDeep : message)
    this.#refuseWhatReadersDoubt(document)
    return document
  }

  has(path: Path): boolean {
    let node: unknown = this.#document?.contents
    for (const name of path) node = stepTo(node, name)[1]
    return node !== undefined
  }

  /** Line and column of the value at this path. */
  placeOf(path: Path): string {
    const { line, col } = this.#lines.linePos(this.#offsetOf(path, false))
    return `${Math.max(line, 1)}:${Math.max(col, 1)}`
  }

  /** Reports what is wrong with the value at this path, or with the name of it. */
  fault(path: Path, message: string, { isName = false } = {}): void {
    if (this.faults.length >= mostFaults) return
    if (!this.#isRead && this.#hasLines) this.#readNow()
    this.#faultAt(
      this.#offsetOf(path, isName),
      `${path.length ? `${path.map(String).join('.')}: ` : ''}${message}`,
    )
  }

  /** An alias may grow without end, and what stands under a name twice, or under none, is read in two ways. */
  #refuseWhatReadersDoubt(document: Document): void {
    visit(document, {
      Alias: (_, { range }) =>
        this.#unreadable(range?.[0] ?? 0, 'an alias is not read: write its value here'),
      Node: (_, node) => {
        if ('anchor' in node && node.anchor) this.#faultAt(node.range?.[0] ?? 0, 'an anchor is not read')
      },
      Map: (_, { items }) => {
        const keys = new Set<unknown>()
        for (const { key } of items) {
          if (!isScalar(key)) continue
          if (keys.has(key.value)) this.#faultAt(key.range?.[0] ?? 0, 'Map keys must be unique')
          keys.add(key.value)
        }
      },
      Pair: (_, { key }) => {
        if (isScalar(key) && key.value === '__proto__')
          this.#unreadable(key.range?.[0] ?? 0, 'there is no field __proto__')
      },
    })
  }

  #unreadable(offset: number, message: string): void {
    this.#isReadable = false
    this.#faultAt(offset, message)
  }

  #offsetOf(path: Path, isName: boolean): number {
    let node: unknown = this.#document?.contents
    let offset = 0
    for (const [i, name] of path.entries()) {
      const [key, value] = stepTo(node, name)
      const isLast = i === path.length - 1
      const found = isLast && isName ? key : (value ?? key)
      if (!isNode(found) || !found.range) return offset
      offset = found.range[0]
      node = value
    }
    return offset
  }

  #faultAt(offset: number, message: string): void {
    if (this.faults.length >= mostFaults) return
    const { line, col } = this.#lines.linePos(offset)
    this.faults.push({ line: Math.max(line, 1), column: Math.max(col, 1), message })
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    // It is YAML, or none of both: then its line is told.
    return undefined
  }
}

function stepTo(node: unknown, name: PropertyKey): [key: unknown, value: unknown] {
  if (isSeq(node)) return [node.items[Number(name)], node.items[Number(name)]]
  if (!isMap(node)) return [undefined, undefined]
  // Of a name that stands twice, the last is the value.
  const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(name))
  return [pair?.key, pair?.value]
}
