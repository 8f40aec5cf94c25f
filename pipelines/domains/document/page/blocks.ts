/** Cuts a document into its blocks: paragraphs, headings, items, rows, code. */
import { TableColumns } from '../../../rails/outside/pages/table-columns.ts'
import type { DomElement } from './dom.ts'
import { blockTags, isSilent } from './element-kinds.ts'
import { Inline } from './inline.ts'

export interface Block {
  kind: 'text' | 'heading' | 'item' | 'row' | 'code' | 'quote'
  /** 1 to 6 for a heading. For an item, the depth of its list. */
  level: number
  text: string
  markdown: string
  /** The number of characters of `text` inside links. */
  linked: number
  /** The element that holds it. */
  of: DomElement
}

const longestBlock = 20_000
/** A longer text with lines is not a cell of a data table, but a text that a table positions. */
const longestCell = 200

interface BlockOptions {
  /** Whether to leave out an element with everything in it. */
  leaves?: (element: DomElement) => boolean
  /** Makes the addresses of links absolute. */
  url?: string | undefined
}

/** `root` comes from parseDocument, so its depth is bounded. */
export function blocksOf(root: DomElement, { leaves = () => false, url }: BlockOptions = {}): Block[] {
  const blocks: Block[] = []
  const [orderOf, columns] = [orders(), new TableColumns()]
  let inline = new Inline(url)
  const where = { quote: 0, list: 0, item: '', code: false }

  function end(of: DomElement, kind: Block['kind'] = 'text', level = 0): void {
    const { text, markdown, linked } = inline.taken(where.code, kind === 'row')
    inline = new Inline(url)
    if (!markdown) return
    const isItem = kind === 'text' && where.item !== ''
    const real = isItem ? 'item' : kind === 'text' && where.quote > 0 ? 'quote' : kind
    const dress = { ...where, mark: isItem ? where.item : '', of }
    // Only the first block of an item has its mark.
    if (isItem) where.item = ' '
    blocks.push({
      kind: real,
      level: real === 'item' ? where.list : level,
      text,
      markdown: dressed(markdown, real, level, dress),
      linked,
      of,
    })
  }

  function walkChildren(element: DomElement): void {
    for (let node = element.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === 3) inline.add(node.nodeValue ?? '', where.code)
      else if (node.nodeType === 1) walk(node as DomElement)
      // One block for the whole page would be copied again for each link in it.
      if (inline.length > longestBlock) end(element)
    }
  }

  function walk(element: DomElement): void {
    const tag = element.tagName.toUpperCase()
    if (isSilent(element) || leaves(element)) return
    if (blockTags.has(tag)) walkBlock(element, tag)
    else if (tag === 'BR') inline.line()
    else if (tag === 'IMG') inline.picture(element)
    else {
      inline.enter(tag)
      walkChildren(element)
      inline.leave(tag, element)
    }
  }

  function walkBlock(element: DomElement, tag: string): void {
    const cell = tag === 'TD' || tag === 'TH'
    if (!cell) end(element.parentElement ?? element)
    else inline.cell(1 + columns.cell(element))
    columns.enter(tag)
    const before = { ...where }
    if (tag === 'LI') where.item = orderOf(element)
    else if (tag === 'UL' || tag === 'OL') Object.assign(where, { list: where.list + 1, item: '' })
    else if (tag === 'BLOCKQUOTE') where.quote += 1
    else if (tag === 'PRE') where.code = true
    walkChildren(element)
    if (cell) inline.cell(columns.behind())
    const [kind, level] = kindOf(tag)
    if (!cell || (inline.hasLines && inline.length > longestCell)) end(element, kind, level)
    const item = tag === 'LI' || tag === 'UL' || tag === 'OL' ? before.item : where.item
    Object.assign(where, before, { item })
    columns.leave(tag)
  }

  walk(root)
  end(root)
  return blocks
}

function kindOf(tag: string): [kind: Block['kind'], level: number] {
  if (/^H[1-6]$/.test(tag)) return ['heading', Number(tag[1])]
  return [tag === 'PRE' ? 'code' : tag === 'TR' ? 'row' : 'text', 0]
}

/** The mark of an item: `-`, or its number. Items come in order, and each number follows from the one before. */
function orders(): (item: DomElement) => string {
  const counted = new Map<DomElement, { item: DomElement; place: number }>()
  return item => {
    const list = item.parentElement
    if (list?.tagName.toUpperCase() !== 'OL') return '-'
    const step = list.hasAttribute('reversed') ? -1 : 1
    const first = list.firstElementChild as DomElement
    const before = counted.get(list) ?? { item: first, place: numberOf(first) ?? firstOf(list, step) }
    let { place } = before
    for (let each = before.item; each !== item && each.nextElementSibling; ) {
      each = each.nextElementSibling
      place = numberOf(each) ?? place + step
    }
    counted.set(list, { item, place })
    return `${place}.`
  }
}

/** A reversed list counts down to 1. */
function firstOf(list: DomElement, step: number): number {
  const start = Number(list.getAttribute('start') ?? Number.NaN)
  if (Number.isInteger(start) || step > 0) return start || 1
  let items = 0
  for (let each = list.firstElementChild; each; each = each.nextElementSibling)
    if (each.tagName.toUpperCase() === 'LI') items += 1
  return items
}

function numberOf(item: DomElement): number | undefined {
  const value = item.getAttribute('value')
  return value !== null && /^\s{0,9}-?\d{1,9}\s{0,9}$/.test(value) ? Number(value) : undefined
}

/** The class name that code highlighters write: `language-python`. */
const languageOf = (of: DomElement): string =>
  [of, of.firstElementChild, of.parentElement]
    .map(each =>
      /\b(?:lang(?:uage)?|highlight-source)-([\w+#-]{1,20})/.exec(
        (each?.getAttribute('class') ?? '').slice(0, 600),
      ),
    )
    .find(Boolean)?.[1] ?? ''

interface Dress {
  mark: string
  of: DomElement
  list: number
  quote: number
}

function dressed(markdown: string, kind: Block['kind'], level: number, dress: Dress): string {
  const bare = undressed(markdown, kind, level, dress)
  return dress.quote ? bare.replace(/^/gm, '> '.repeat(dress.quote)) : bare
}

function undressed(markdown: string, kind: Block['kind'], level: number, dress: Dress): string {
  if (kind === 'heading') return `${'#'.repeat(level)} ${markdown.replace(/\n+/g, ' ')}`
  if (kind === 'row')
    return `| ${markdown.replace(/\|/g, '\\|').replace(/\n/g, ' ').replaceAll('\t', ' | ')} |`
  if (kind === 'code') return `${fence(markdown)}${languageOf(dress.of)}\n${markdown}\n${fence(markdown)}`
  const text = markdown.replace(lineMark, '$1\\$2')
  if (kind !== 'item') return text
  const indent = '  '.repeat(Math.max(0, dress.list - 1))
  const hang = indent + ' '.repeat(dress.mark.trim().length + 1)
  return dress.mark === ' '
    ? text.replace(/^/gm, `${indent}  `)
    : `${indent}${dress.mark} ${text.replace(/\n/g, `\n${hang}`)}`
}

/** At the beginning of a line these would make a heading or a list. */
const lineMark = /^(\d{0,9})([#+.)-]{1,6})(?=\s)/gm

const fence = (code: string): string => (code.includes('```') ? '````' : '```')
