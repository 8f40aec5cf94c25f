/** Extracts the text of a filed document, and the items of an 8-K from it. */
import { decodeHTMLStrict } from 'entities/decode'

const unseen = /<(script|style|ix:header|head)\b[^>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>/gi
const lineEnd = /<br\b[^>]*>|<\/(p|div|tr|li|h[1-6]|table)\s*>/gi
/** A footnote mark would look like a digit of the number before it. */
const footnote = /<sup\b[^>]*>\s*(?:<[^>]+>\s*)*\(?(?:\d{1,2}|[a-z*†])\)?\s*(?:<\/[^>]+>\s*)*<\/sup\s*>/gi
const cellEnd = /<\/t[dh]\s*>/gi

export function textOf(html: string): string {
  const isMarkup = /<(html|body|div|p)\b/i.test(html)
  const lines = isMarkup
    ? html
        .replace(unseen, ' ')
        // Line breaks in the source have no meaning: filers break sentences anywhere.
        .replace(/\s+/g, ' ')
        .replace(footnote, '')
        .replace(lineEnd, '\n')
        .replace(cellEnd, ' ')
        .replace(/<[^>]+>/g, '')
    : unwrapped(html.replace(/<[^>]+>/g, ''))
  // Old filings write entity names in capitals.
  return decodeHTMLStrict(lines.replace(/&[A-Z]{2,5};/g, name => name.toLowerCase()))
    .replace(/[\u00a0\u2002\u2003\u2007\u2009\u202f]/g, ' ')
    .split('\n')
    .map(line => line.replace(/\s+/g, ' ').trim())
    .filter(line => line)
    .join('\n')
}

/**
 * Plain text is wrapped at a margin. A line that almost reaches the margin continues in the next one; a table has
 * wide gaps.
 */
function unwrapped(text: string): string {
  const lines: string[] = []
  let before = ''
  for (const line of text.split(/\r?\n/)) {
    const goesOn = before.trim().length >= 55 && line.trim() !== '' && !/\S {3,}\S/.test(before + line)
    if (goesOn && !startsItem.test(line)) lines[lines.length - 1] = `${lines.at(-1)} ${line.trim()}`
    else lines.push(line)
    before = line
  }
  return lines.join('\n')
}
const startsItem = /^\s*(?:items?\s+\d|[•*-]\s|\(?\d{1,2}[.)]\s)/i

/** A header begins a line or follows a drawn rule. Inside a sentence, an item is only mentioned. */
const header =
  /^(?:.*[-=_–—]{5,}\s*)?items?\s+(\d{1,2}\.\s*\d{2}(?:\s*(?:,|and|&)\s*(?:item\s+)?\d{1,2}\.\s*\d{2})*)\W*/i
const theEnd = /^(signatures?|exhibit index)\W*$/i

/** The text under each item. A heading of several items assigns its text to all of them. */
export function itemsIn(text: string): Map<string, string> {
  const bodies = new Map<string, string[]>()
  let current: string[] = []
  for (const line of text.split('\n')) {
    const found = header.exec(line)
    // Only exhibits and attached documents follow.
    if (bodies.size && theEnd.test(line)) break
    if (found) {
      current = (found[1] ?? '').match(/\d{1,2}\.\s*\d{2}/g)?.map(code => code.replace(/\s/g, '')) ?? []
      for (const code of current) bodies.set(code, [...(bodies.get(code) ?? []), line.slice(found[0].length)])
    } else for (const code of current) bodies.get(code)?.push(line)
  }
  return new Map([...bodies].map(([code, lines]) => [code, lines.join('\n').trim()]))
}
