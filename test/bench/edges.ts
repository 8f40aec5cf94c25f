/** Whether a text has the beginning and the end of what it should say. F1 hides it where they are missing. */

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** A truth may differ in a word of a long paragraph: of four words in a row, so many must stand. */
const mostly = 0.8

export interface Edges {
  first: boolean
  last: boolean
  /** Undefined where the truth has no prose. */
  lastOfProse: boolean | undefined
}

/** Undefined where the truth has no two paragraphs. */
export function edgesOf(truth: string, found: string): Edges | undefined {
  const paragraphs = truth.split(/\n+/).filter(line => wordsOf(line).length > 0)
  const [first, last] = [paragraphs[0], paragraphs.at(-1)]
  if (paragraphs.length < 2 || first === undefined || last === undefined) return undefined
  const words = ` ${wordsOf(found).join(' ')} `
  const prose = paragraphs.findLast(isProse)
  return {
    first: stands(first, words),
    last: stands(last, words),
    lastOfProse: prose === undefined ? undefined : stands(prose, words),
  }
}

/** A paragraph of prose ends as a sentence does, has eight words or as much in a script without spaces, and is none of these. */
const notice =
  /©|copyright|\ball rights reserved|\b(?:image|photo|picture)s?\b[^.]{0,20}(?:credit|source|by|courtesy)\b|\bdisclaimer|\bdisclosure|\baffiliate|\bcommission\b|\bviews (?:and opinions )?expressed|\bcontributed to this|\beditor['’]s note|\bthis (?:article|story|post)\b|\boriginally (?:appeared|published)|все права|разрешается (?:свободное )?использование|перепечатк|wszelkie prawa|版权|转载|\bprovided by|\b(?:last )?updated\b|\bsubscribe|\bsign up|\bnewsletter|\bfollow (?:us|me|him|her|them)|\bis an? (?:[\p{L}-]+ ){0,4}(?:writer|reporter|editor|journalist|author|blogger|correspondent|contributor)\b/iu
const isProse = (paragraph: string): boolean =>
  /[.!?…。！？।؟]["”’»)\]]*$/.test(paragraph.trim()) &&
  (wordsOf(paragraph).length >= 8 || paragraph.length >= 30) &&
  !(paragraph.length < 400 && notice.test(paragraph))

function stands(paragraph: string, words: string): boolean {
  const own = wordsOf(paragraph)
  if (own.length < 8) return words.includes(` ${own.join(' ')} `)
  const rows = own.slice(3).map((_, i) => ` ${own.slice(i, i + 4).join(' ')} `)
  return rows.filter(row => words.includes(row)).length >= rows.length * mostly
}

/** As figures: `first paragraph 0.980, last 0.970 (102)`. */
export function edgesText(all: readonly (Edges | undefined)[]): string {
  const judged = all.filter(each => each !== undefined)
  const share = (which: keyof Edges) => {
    const told = judged.filter(each => each[which] !== undefined)
    return (told.filter(each => each[which]).length / told.length).toFixed(3)
  }
  return `first paragraph ${share('first')}, last ${share('last')}, last of prose ${share('lastOfProse')} (${judged.length})`
}
