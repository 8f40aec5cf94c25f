/** Writes the readings of a static page in brackets: a browser shows them above their words. */

export class Readings {
  readonly #html: string
  /** The end of the word that was looked at last, or of the page. */
  #end = 0
  #isBare = false
  #isOpen = false

  constructor(html: string) {
    this.#html = html
  }

  /** What stands before this tag, whose end is at `at`. A page may write the brackets itself. */
  sign(name: string, isEnd: boolean, at: number): string {
    if (name === 'ruby' && !isEnd && at > this.#end) this.#look(at)
    if (!this.#isBare || !/^(?:ruby|rt|rb|rtc|rp)$/.test(name)) return ''
    const closes = this.#isOpen ? ')' : ''
    this.#isOpen = name === 'rt' && !isEnd
    if (name === 'ruby' && isEnd) this.#isBare = false
    return closes + (this.#isOpen ? '(' : '')
  }

  #look(at: number): void {
    const end = this.#html.indexOf('</ruby', at)
    this.#end = end < 0 ? this.#html.length : end
    this.#isBare = end >= 0 && !this.#html.slice(at, end).includes('<rp')
  }
}
