/**
 * The text that a reader of a static page sees, without a browser. It is close to `innerText`, but keeps powers and
 * fractions readable.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { Formulas } from './formulas.ts'
import { TextLines } from './lines.ts'
import { raisedIn, shiftNamesIn, shiftOfTag } from './raised.ts'
import { Readings } from './readings.ts'
import { TableColumns } from './table-columns.ts'
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
  const page = openPage(html, most)
  const { out, unseenTags, formulas } = page
  let title: string | undefined
  let lang: string | null = null
  let hidden: { name: string; depth: number; isCounted: boolean; hasFormula: boolean } | undefined
  let letters = 0

  for (let at = 0; at < html.length && !out.isFull; ) {
    const open = html.indexOf('<', at)
    const end = open < 0 ? html.length : open
    if (end > at && !hidden) out.add(decodeHTML(html.slice(at, end)), page.preformatted > 0)
    else if (hidden?.isCounted) letters += html.slice(at, end).match(/[\p{L}\p{N}]/gu)?.length ?? 0
    if (open < 0) break
    if (html.startsWith('<!--', open)) {
      at = after(html, '-->', open + 4)
      continue
    }
    // A `<` that begins no tag is text.
    if (!/[a-z!?/]/i.test(html[open + 1] ?? '')) {
      if (!hidden) out.add('<', page.preformatted > 0)
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
      if (name === 'math' && (!hidden || hidden.hasFormula))
        out.add(formulas.written(open, at, out.end(), hidden !== undefined), page.preformatted > 0)
      continue
    }
    if (hidden) {
      if (name === hidden.name) hidden.depth += isEnd ? -1 : 1
      if (hidden.depth === 0) hidden = undefined
      continue
    }
    if (!isEnd && !isVoid.has(name)) {
      const isCalled = hides.test(inside) || formulas.isCopy(inside, open)
      if (isCalled || unseenTags.hides(inside, html.slice(at, at + mostNext))) {
        hidden = { name, depth: 1, isCounted: !isCalled, hasFormula: formulas.isAround(inside, at) }
        continue
      }
      unseenTags.enter(name, inside)
    } else if (isEnd) unseenTags.leave(name)
    at = writeTag({ html, inside, name, isEnd, at }, page)
  }
  const [named, told] = [title?.slice(0, mostTitle) ?? '', lang?.slice(0, mostLang) ?? null]
  return { title: named, lang: told, text: out.text(), hidden: letters }
}

const openPage = (html: string, most: number) => ({
  out: new TextLines(most),
  unseenTags: new UnseenTags(html, attribute),
  shiftNames: shiftNamesIn(html),
  readings: new Readings(html),
  formulas: new Formulas(html),
  columns: new TableColumns(),
  preformatted: 0,
})

interface Tag {
  html: string
  inside: string
  name: string
  isEnd: boolean
  /** The place after the tag. */
  at: number
}

/** Writes what a seen tag says, and returns the place where the text goes on. */
function writeTag({ html, inside, name, isEnd, at }: Tag, page: ReturnType<typeof openPage>): number {
  const { out, unseenTags, shiftNames, readings } = page
  const shift = isEnd ? undefined : shiftOfTag(inside, attribute, shiftNames)
  const raised = shift && raisedIn(html, inside, { from: at, before: out.end(), shift })
  if (raised) {
    unseenTags.leave(name)
    out.add(raised.text, page.preformatted > 0)
    return raised.at
  }
  out.add(readings.sign(name, isEnd, at), page.preformatted > 0)
  if (name === 'pre') page.preformatted = Math.max(0, page.preformatted + (isEnd ? -1 : 1))
  if (isChange(name, out.end(), html.slice(at, at + mostNext))) out.add(' ', false)
  if (name === 'td' || name === 'th') layOutCell(page, inside, isEnd)
  else layOut(out, name, isEnd)
  if (isEnd) page.columns.leave(name.toUpperCase())
  else page.columns.enter(name.toUpperCase())
  return at
}

/** Cells that reach over several columns or rows keep the others in their columns. A cell may have no end tag. */
function layOutCell({ out, columns }: ReturnType<typeof openPage>, tag: string, isEnd: boolean): void {
  if (isEnd || columns.isInCell) out.tab(1 + columns.behind())
  if (!isEnd) out.tab(columns.cell({ getAttribute: name => attribute(tag, name) ?? null }))
}

/** What is struck out, and what takes its place, are two numbers. */
const isChange = (name: string, before: string, next: string): boolean =>
  /^(?:del|ins|s|strike)$/.test(name) && /\d$/.test(before) && /^(?:<[^<>]{0,200}>)?[\d.,$€£¥]/.test(next)

function layOut(out: TextLines, name: string, isEnd: boolean): void {
  if (name === 'br') out.breakLine(1, true)
  else if (name === 'a' || name === 'button') out.link(isEnd)
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
