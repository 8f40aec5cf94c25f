/** Parses a page into a complete document of bounded depth, whatever its markup. */

import { parseHTML } from 'linkedom'
import type { DomDocument } from './dom.ts'
import { tagIn, tagsOf, withoutTags } from './tags.ts'

/** Deeper elements are unwrapped: their text stays. So code that walks a document may recurse. */
export const deepest = 250

export function parseDocument(html: string): DomDocument {
  return parseHTML(shallow(whole(html))).document as unknown as DomDocument
}

/**
 * The parser adds no html, head or body, takes the first element for the root, and recognises a body only directly
 * after the head.
 */
function whole(html: string): string {
  // For a browser a section of CDATA is a comment without an end. The parser would take the page for its text.
  const open = html
    .replace(/^\uFEFF/, '')
    .replace(/<\/(?:body|html)\s*>|<!\[CDATA\[/gi, '')
    .replace(streamed, '<div>')
  const root = tagIn(open, 'html')
  const from = root ? open.slice(root.end) : open.replace(/^\s*<!doctype[^>]*>/i, '')
  const body = tagIn(from, 'body')
  const [head, between] = headOf(body ? from.slice(0, body.at) : from)
  const rest = body ? withoutTags(from.slice(body.end), 'body') : ''
  return `<!doctype html>${root?.text ?? '<html>'}<head>${head}</head>${body?.text ?? '<body>'}${between}${rest}</body></html>`
}

/** React streams parts of a page hidden, and its script puts them into their places. */
const streamed = /<div hidden(?:="")? id="S:[0-9a-f]+">/g

/** An element that may be in a head and ends with its tag, or with the end of its name. */
const ofHead =
  /\s+|<!--[\s\S]*?-->|<\/?head(?:\s[^>]*)?>|<(?:meta|link|base)\b[^>]*>|<(title|script|style|noscript)\b[^>]*>[\s\S]*?<\/\1\s*>/iy

/** Splits before the first thing that cannot be in a head. */
function headOf(html: string): [head: string, rest: string] {
  ofHead.lastIndex = 0
  let at = 0
  while (ofHead.test(html)) at = ofHead.lastIndex
  return [withoutTags(html.slice(0, at), '/?head'), html.slice(at)]
}

const empty =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|basefont|frame|keygen)$/i
/** Elements that end another open element when they begin. */
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

/** Removes the tags below the deepest level, because no code that walks a document survives thousands of levels. */
export function shallow(html: string): string {
  const open: string[] = []
  const dropped: string[] = []
  const kept: string[] = []
  let from = 0
  let inDrawing = 0
  for (const { at, end, name, isEnd, isWhole } of tagsOf(html)) {
    if (name === 'svg') inDrawing += isEnd ? -1 : 1
    if (empty.test(name) || (inDrawing > 0 && isWhole)) continue
    const top = open.at(-1) ?? ''
    let drop = false
    if (isEnd) {
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
    kept.push(html.slice(from, at), ' ')
    from = end
  }
  return kept.length ? kept.join('') + html.slice(from) : html
}

/** Closes the nearest element with the name, and the open elements in it. An end tag without a start tag closes nothing. */
function close(open: string[], name: string): void {
  const at = open.lastIndexOf(name)
  if (at >= 0) open.length = at
}
