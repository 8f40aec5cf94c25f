import { mostBefore } from '../../formats/scripts.ts'

/** Collects text as lines. A run of white space becomes one space, and none stays at the ends of a line. */
export class TextLines {
  readonly #parts: string[] = []
  readonly #most: number
  #length = 0
  #breaks = 0
  #space = false
  #tabs = 0
  #isRow = false
  /** The lengths where a link begins, and where one with a text has ended. */
  #linkBegin = -1
  #linkEnd = -1

  constructor(most: number) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.#length >= this.#most
  }

  add(text: string, preformatted: boolean): void {
    if (text === '') return
    if (preformatted) {
      this.#put(text)
      return
    }
    const words = text.replace(/[ \t\n\r\f]+/g, ' ')
    const bare = words.trim()
    if (bare === '') {
      if (words !== '') this.#space = true
      return
    }
    if (words.startsWith(' ')) this.#space = true
    this.#put(bare)
    this.#space = words.endsWith(' ')
  }

  breakLine(lines: number, always = false): void {
    this.#breaks = always ? this.#breaks + 1 : Math.max(this.#breaks, lines)
    this.#space = false
    this.#tabs = 0
  }

  /** Links side by side are texts of their own, though no white space is between them: "Home" and "Timetable" of a menu. */
  link(isEnd: boolean): void {
    if (isEnd) this.#linkEnd = this.#length > this.#linkBegin ? this.#length : -1
    else {
      if (this.#linkEnd === this.#length) this.#space = true
      this.#linkBegin = this.#length
    }
  }

  /** A row begins. Its first cells may be empty. */
  row(): void {
    this.breakLine(1)
    this.#isRow = true
  }

  /** A cell may be empty, so each tab counts within its line. */
  tab(count: number): void {
    this.#tabs += count
  }

  /** Returns the end of the current line. */
  end(): string {
    if (this.#breaks > 0 || this.#tabs > 0) return ''
    return this.#parts.slice(-4).join('').slice(-mostBefore) + (this.#space ? ' ' : '')
  }

  text(): string {
    const text = this.#parts.join('').slice(0, this.#most)
    return this.#parts[0]?.startsWith('\t') ? text.trimEnd() : text.trim()
  }

  #put(text: string): void {
    if (this.#length > 0) {
      if (this.#breaks > 0)
        this.#push('\n'.repeat(Math.min(this.#breaks, 2)) + (this.#isRow ? '\t'.repeat(this.#tabs) : ''))
      else if (this.#tabs > 0) this.#push('\t'.repeat(this.#tabs))
      else if (this.#space) this.#push(' ')
    } else if (this.#isRow) this.#push('\t'.repeat(this.#tabs))
    this.#breaks = 0
    this.#space = false
    this.#tabs = 0
    this.#isRow = false
    this.#push(text)
  }

  #push(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
  }
}
