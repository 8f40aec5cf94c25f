/** Cuts the text of a document into its sentences. */

const abbreviation =
  /(\b(Inc|Corp|Co|Ltd|No|Nos|Mr|Mrs|Ms|Dr|Jr|Sr|St|vs|Art|Sec|Messrs|Esq|L\.P|N\.A|U\.S|U\.K|S\.A|N\.V|P\.L\.C|L\.L\.C|i\.e|e\.g|a\.m|p\.m|Calif|Mass|Conn|Tenn|Dec|Jan|Feb|Aug|Sept|Oct|Nov)|\b[A-Z])\.$/
const stop = /[.!?]["”’)]?$/

/** No sentence ends with one of these. */
const danglingEnd = /\b(?:of|for|to|the|an?|and|or|with|by|at|in|from|approximately)$/

const lonelyMark = /^[•●▪·*–-]$/

/**
 * A line without a stop at its end continues in the next line if that begins in lower case: filers wrap sentences
 * anywhere.
 */
export function joinedLines(text: string): string[] {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const last = lines.at(-1)
    const isOpen = last !== undefined && !/[.!?:;]["”’)]?$/.test(last)
    if (isOpen && (/^[a-z]/.test(line) || danglingEnd.test(last) || lonelyMark.test(last)))
      lines[lines.length - 1] = `${last} ${line}`
    else lines.push(line)
  }
  return lines
}

/** Splits a line at each stop before a capital. */
export function piecesOf(line: string): string[] {
  const pieces: string[] = []
  for (const piece of line.split(/(?<=[.!?]["”’)]?)\s+(?=["“(]?[A-Z])/)) {
    const last = pieces.at(-1)
    if (last !== undefined && abbreviation.test(last)) pieces[pieces.length - 1] = `${last} ${piece}`
    else pieces.push(piece)
  }
  return pieces
}

/** Whole sentences only: text without a capital at its beginning and a stop at its end is a table or a heading. */
export const sentencesOf = (body: string, shortest = 40): string[] =>
  joinedLines(body)
    .flatMap(piecesOf)
    .filter(text => text.length >= shortest && /^["“(]?[A-Z(]/.test(text) && stop.test(text))
    .flatMap(enumerated)

const mark = /(?:(?<!\s)\s+)?\((?:i{1,3}|iv|vi{0,3}|ix|x)\)\s+/

/** "It did (i) this, and (ii) that" reports two things. */
function enumerated(sentence: string): string[] {
  const [lead = '', ...clauses] = sentence.split(mark)
  if (clauses.length < 2 || lead.length < 10) return [sentence]
  const told = clauses.map(clause => clause.replace(/[,;]?\s*(?:and|or)?[\s.;,]*$/, ''))
  return told.map(clause => `${lead.replace(/[:,]$/, '')} ${clause}.`)
}
