/** A text that grows at its end. Adding text does not copy the earlier text. */
export class Pieces {
  readonly #pieces: string[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  add(text: string): void {
    if (!text) return
    this.#pieces.push(text)
    this.#length += text.length
  }

  /** Removes the white space at the end, or only the spaces. */
  trimEnd(onlySpaces = false): void {
    for (let last = this.#pieces.pop(); last !== undefined; last = this.#pieces.pop()) {
      const left = onlySpaces ? withoutSpaces(last) : last.trimEnd()
      this.#length -= last.length - left.length
      if (!left) continue
      this.#pieces.push(left)
      return
    }
  }

  /** Removes and returns the text after this many characters. */
  cut(length: number): string {
    const taken: string[] = []
    while (this.#length > length) {
      const last = this.#pieces.pop() as string
      const left = last.slice(0, Math.max(0, last.length - (this.#length - length)))
      this.#length -= last.length
      this.add(left)
      taken.push(last.slice(left.length))
    }
    return taken.reverse().join('')
  }

  toString(): string {
    return this.#pieces.join('')
  }
}

function withoutSpaces(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end -= 1
  return text.slice(0, end)
}
