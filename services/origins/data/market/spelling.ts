/** Finds the known word that is most like a misspelt one, by the groups of three letters that both have. */

const leastAlike = 0.6
/** No word of a language is longer, and each letter more costs a look at all words with its group. */
const longest = 30
/** A longer or shorter word is another word, and so is one with another first letter: a plumber is no number. */
const mostLonger = 3

export class Spelling {
  readonly #words: readonly string[]
  readonly #sizes: Uint8Array
  /** The words that have a group of letters. */
  readonly #having = new Map<string, number[]>()
  /** How many groups each word shares with the one that is looked for. All zero between two looks. */
  readonly #shared: Uint8Array

  constructor(words: readonly string[]) {
    this.#words = words.filter(({ length }) => length <= longest)
    this.#sizes = new Uint8Array(this.#words.length)
    this.#shared = new Uint8Array(this.#words.length)
    for (const [at, word] of this.#words.entries()) {
      const grams = trigrams(word)
      this.#sizes[at] = grams.size
      for (const gram of grams) {
        const having = this.#having.get(gram)
        if (having) having.push(at)
        else this.#having.set(gram, [at])
      }
    }
  }

  /** Returns the word itself if none is like it. */
  nearest(word: string): string {
    if (word.length > longest) return word
    const shared = this.#shared
    const grams = trigrams(word)
    const touched: number[] = []
    for (const gram of grams)
      for (const at of this.#having.get(gram) ?? []) {
        const before = shared[at] as number
        if (before === 0) touched.push(at)
        shared[at] = before + 1
      }
    let nearest = { word, alike: leastAlike }
    for (const at of touched.sort((a, b) => a - b)) {
      const known = this.#words[at] as string
      const alike = (2 * (shared[at] as number)) / (grams.size + (this.#sizes[at] as number))
      shared[at] = 0
      if (alike > nearest.alike && known[0] === word[0] && Math.abs(known.length - word.length) <= mostLonger)
        nearest = { word: known, alike }
    }
    return nearest.word
  }
}

function trigrams(word: string): Set<string> {
  const padded = ` ${word} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))
}
