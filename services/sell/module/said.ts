/** What a module prints, as lines of the log: marked, without control characters, and not too many. */

const mostLetters = 500
const mostAMinute = 120

export const withoutControls = (text: string, most: number): string =>
  text
    .slice(0, 2 * most)
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, most)

export class ModuleLines {
  readonly #name: string
  readonly #tell: (line: string) => void
  readonly #now: () => number
  #since = 0
  #count = 0

  constructor(name: string, tell: (line: string) => void, now: () => number) {
    this.#name = name
    this.#tell = tell
    this.#now = now
  }

  hear(line: string): void {
    if (this.#now() - this.#since >= 60_000) {
      this.#since = this.#now()
      this.#count = 0
    }
    this.#count += 1
    if (this.#count > mostAMinute) return
    const text = withoutControls(line, mostLetters)
    if (text) this.#tell(`the module of ${this.#name} says: ${text}`)
    if (this.#count === mostAMinute)
      this.#tell(`the module of ${this.#name} says too much: the rest of a minute is left out`)
  }
}
