/** Parses a page into a document that is whole and not too deep, whatever its markup is. */

import { parseHTML } from 'linkedom'
import type { DomDocument } from './dom.ts'

/** Deeper elements are unwrapped: their text stays. Code that walks a document may therefore recurse. */
export const deepest = 250

export function parseDocument(html: string): DomDocument {
  return parseHTML(whole(shallow(html))).document as unknown as DomDocument
}

/**
 * The parser adds neither html nor head nor body, takes the first element for the root, and knows a body only right behind
 * the head.
 */
function whole(html: string): string {
  // To a browser a section of CDATA is a comment without an end. The parser would take the page for its text.
  const open = html
    .replace(/^\uFEFF/, '')
    .replace(/<\/(?:body|html)\s*>|<!\[CDATA\[/gi, '')
    .replace(streamed, '<div>')
  const root = /<html(?:\s[^>]*)?>/i.exec(open)
  const from = root ? open.slice(root.index + root[0].length) : open.replace(/^\s*<!doctype[^>]*>/i, '')
  const body = /<body(?:\s[^>]*)?>/i.exec(from)
  const [head, between] = headOf(body ? from.slice(0, body.index) : from)
  const rest = body ? from.slice(body.index + body[0].length).replace(/<body(?:\s[^>]*)?>/gi, '') : ''
  return `<!doctype html>${root?.[0] ?? '<html>'}<head>${head}</head>${body?.[0] ?? '<body>'}${between}${rest}</body></html>`
}

/** React streams parts of a page hidden, and its script puts them into their places. */
const streamed = /<div hidden(?:="")? id="S:[0-9a-f]+">/g

const ofHead =
  /\s+|<!--[\s\S]*?-->|<\/?head(?:\s[^>]*)?>|<(?:meta|link|base)\b[^>]*>|<(title|script|style|noscript)\b[^>]*>[\s\S]*?<\/\1\s*>/iy

/** Splits before the first thing that cannot stand in a head. */
function headOf(html: string): [head: string, rest: string] {
  ofHead.lastIndex = 0
  let at = 0
  while (ofHead.test(html)) at = ofHead.lastIndex
  return [html.slice(0, at).replace(/<\/?head(?:\s[^>]*)?>/gi, ''), html.slice(at)]
}

const markup =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title|xmp|iframe|noembed)\b[^>]*>[\s\S]*?(?:<\/\1\s*>|$)|<(\/?)([a-z][^\s/<>]*)[^<>]*>/gi
const empty =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|basefont|frame|keygen)$/i
/** What an element ends by its beginning, where that is still open. */
const endedBy: readonly (readonly [beginning: RegExp, ended: RegExp])[] = [
  [/^p$/, /^p$/],
  [/^li$/, /^li$/],
  [/^d[td]$/, /^d[td]$/],
  [/^t[dh]$/, /^t[dh]$/],
  [/^tr$/, /^t[dhr]$/],
  [/^opt(?:ion|group)$/, /^option$/],
]
const blocks =
  /^(?:address|article|aside|blockquote|details|div|dl|fieldset|figure|footer|form|h[1-6]|header|main|nav|ol|pre|section|table|ul)$/

/** Leaves out the tags below the deepest level, for nothing that walks a document survives thousands of levels. */
function shallow(html: string): string {
  const open: string[] = []
  const dropped: string[] = []
  const kept: string[] = []
  let from = 0
  let inDrawing = 0
  for (const match of html.matchAll(markup)) {
    const [text, raw, slash, written] = match
    if (raw !== undefined || written === undefined) continue
    const name = written.toLowerCase()
    if (name === 'svg') inDrawing += slash ? -1 : 1
    if (empty.test(name) || (inDrawing > 0 && text.endsWith('/>'))) continue
    const top = open.at(-1) ?? ''
    let drop = false
    if (slash) {
      if (dropped.at(-1) === name) {
        dropped.pop()
        drop = true
      } else close(open, name)
    } else {
      if (top === 'p' && blocks.test(name)) open.pop()
      const ended = endedBy.find(([beginning]) => beginning.test(name))?.[1]
      while (ended?.test(open.at(-1) ?? '')) open.pop()
      drop = open.length >= deepest
      if (drop) dropped.push(name)
      else open.push(name)
    }
    if (!drop) continue
    kept.push(html.slice(from, match.index), ' ')
    from = match.index + text.length
  }
  return kept.length ? kept.join('') + html.slice(from) : html
}

/** Closes the nearest element of the name, and what was left open in it. An end without a beginning closes nothing. */
function close(open: string[], name: string): void {
  const at = open.lastIndexOf(name)
  if (at >= 0) open.length = at
}
