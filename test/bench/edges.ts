/** Whether a text has the beginning and the end of what it should say. F1 hides it where they are missing. */

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** A truth may differ in a word of a long paragraph: of four words in a row, so many must stand. */
const mostly = 0.8

export interface Edges {
  first: boolean
  last: boolean
}

/** Undefined where the truth has no two paragraphs. */
export function edgesOf(truth: string, found: string): Edges | undefined {
  const paragraphs = truth.split(/\n+/).filter(line => wordsOf(line).length > 0)
  const [first, last] = [paragraphs[0], paragraphs.at(-1)]
  if (paragraphs.length < 2 || first === undefined || last === undefined) return undefined
  const words = ` ${wordsOf(found).join(' ')} `
  return { first: stands(first, words), last: stands(last, words) }
}

function stands(paragraph: string, words: string): boolean {
  const own = wordsOf(paragraph)
  if (own.length < 8) return words.includes(` ${own.join(' ')} `)
  const rows = own.slice(3).map((_, i) => ` ${own.slice(i, i + 4).join(' ')} `)
  return rows.filter(row => words.includes(row)).length >= rows.length * mostly
}

/** As figures: `first paragraph 0.980, last 0.970 (102)`. */
export function edgesText(all: readonly (Edges | undefined)[]): string {
  const judged = all.filter(each => each !== undefined)
  const share = (which: keyof Edges) => judged.filter(each => each[which]).length / judged.length
  return `first paragraph ${share('first').toFixed(3)}, last ${share('last').toFixed(3)} (${judged.length})`
}
