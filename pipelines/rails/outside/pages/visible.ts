/**
 * The text that a reader of a static page sees, without a browser. It is close to `innerText`, but keeps powers and
 * fractions readable.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { TextLines } from './lines.ts'
import { raisedIn, shifts } from './raised.ts'
import { mostNext, UnseenTags } from './unseen-tags.ts'

export interface Visible {
  title: string
  lang: string | null
  text: string
  /** The number of letters that are left out because nobody sees them. */
  hidden: number
}

/** The content of these is not text, or not visible text. It ends at their own end tag, whatever is inside. */
const unseen = new Set(
  'script style noscript template iframe object svg math canvas audio video textarea select datalist noembed noframes head'.split(
    ' ',
  ),
)
const isVoid = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
const blocks = new Set(
  'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol optgroup option p pre search section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
/** An empty line separates these from the text around them. */
const spaced = new Set('p h1 h2 h3 h4 h5 h6 blockquote dl ol ul pre table'.split(' '))
const hides =
  /\shidden(?=[\s=>/]|$)|style\s*=\s*["'][^"']{0,500}?(display\s*:\s*none|visibility\s*:\s*hidden)/i
const tagForm = /^\/?([a-z][^\s/>]*)/i

const mostTitle = 2_000
const mostLang = 100

/** Stops after `most` characters of text. */
export function visibleOf(html: string, most = 1_000_000): Visible {
  const out = new TextLines(most)
  let title: string | undefined
  let lang: string | null = null
  let hidden: { name: string; depth: number; isCounted: boolean } | undefined
  let letters = 0
  let preformatted = 0
  const unseenTags = new UnseenTags(html, attribute)

  for (let at = 0; at < html.length && !out.isFull; ) {
    const open = html.indexOf('<', at)
    const end = open < 0 ? html.length : open
    if (end > at && !hidden) out.add(decodeHTML(html.slice(at, end)), preformatted > 0)
    else if (hidden?.isCounted) letters += html.slice(at, end).match(/[\p{L}\p{N}]/gu)?.length ?? 0
    if (open < 0) break
    if (html.startsWith('<!--', open)) {
      at = after(html, '-->', open + 4)
      continue
    }
    // A `<` that begins no tag is text.
    if (!/[a-z!?/]/i.test(html[open + 1] ?? '')) {
      if (!hidden) out.add('<', preformatted > 0)
      at = open + 1
      continue
    }
    const close = html.indexOf('>', open)
    if (close < 0) break
    const inside = html.slice(open + 1, close)
    const name = tagForm.exec(inside)?.[1]?.toLowerCase()
    at = close + 1
    if (name === undefined) continue
    const isEnd = inside.startsWith('/')
    if (name === 'html' && !isEnd) lang = attribute(inside, 'lang') ?? null
    if (name === 'title' && !isEnd) {
      const stop = endOf(html, 'title', at)
      title ??= decodeHTML(html.slice(at, stop)).replace(/\s+/g, ' ').trim()
      at = stop
      continue
    }
    if (unseen.has(name) && name !== 'head' && !isEnd) {
      if (!inside.endsWith('/') || name !== 'svg') at = endOf(html, name, at)
      continue
    }
    if (hidden) {
      if (name === hidden.name) hidden.depth += isEnd ? -1 : 1
      if (hidden.depth === 0) hidden = undefined
      continue
    }
    if (!isEnd && !isVoid.has(name)) {
      const isCalled = hides.test(inside)
      if (isCalled || unseenTags.hides(inside, html.slice(at, at + mostNext))) {
        hidden = { name, depth: 1, isCounted: !isCalled }
        continue
      }
      unseenTags.enter(name, inside)
    } else if (isEnd) unseenTags.leave(name)
    const isRaised = name === 'sup' || name === 'sub' || shifts.test(inside)
    const raised = isRaised && !isEnd && raisedIn(html, inside, at, out.end())
    if (raised) {
      out.add(raised.text, preformatted > 0)
      at = raised.at
      continue
    }
    if (name === 'pre') preformatted = Math.max(0, preformatted + (isEnd ? -1 : 1))
    if (isChange(name, out.end(), html.slice(at, at + mostNext))) out.add(' ', false)
    layOut(out, name, isEnd)
  }
  const [named, told] = [title?.slice(0, mostTitle) ?? '', lang?.slice(0, mostLang) ?? null]
  return { title: named, lang: told, text: out.text(), hidden: letters }
}

/** What is struck out, and what takes its place, are two numbers. */
const isChange = (name: string, before: string, next: string): boolean =>
  /^(?:del|ins|s|strike)$/.test(name) && /\d$/.test(before) && /^(?:<[^<>]{0,200}>)?[\d.,$€£¥]/.test(next)

function layOut(out: TextLines, name: string, isEnd: boolean): void {
  if (name === 'br') out.breakLine(1, true)
  else if ((name === 'td' || name === 'th') && isEnd) out.tab()
  else if (name === 'tr' && !isEnd) out.row()
  else if (blocks.has(name)) out.breakLine(spaced.has(name) ? 2 : 1)
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found < 0 ? html.length : found + mark.length
}

/** Finds the end tag of an element whose content is not read. */
function endOf(html: string, name: string, from: number): number {
  const form = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  form.lastIndex = from
  return form.exec(html)?.index ?? html.length
}

export const attribute = (tag: string, name: string): string | undefined => {
  const [, quoted, single, bare] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag) ?? []
  const value = quoted ?? single ?? bare
  return value === undefined ? undefined : decodeHTMLAttribute(value)
}
