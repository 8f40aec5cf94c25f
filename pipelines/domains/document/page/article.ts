/** The content of a page that is one text, by the rules of Readability and our own. */
import { Readability } from '@mozilla/readability'
import { type Block, blocksOf } from './blocks.ts'
import { isBoilerplate, isPost, isSubject } from './boilerplate.ts'
import type { DomDocument, DomElement } from './dom.ts'
import { invitation, stop, trimmed } from './edges.ts'
import { isTooIntricate } from './intricate.ts'
import type { PageKind } from './kind.ts'
import { namesOf } from './names.ts'
import { type Size, sizesOf } from './sizes.ts'

/** Takes the document apart. */
export function articleBlocks(document: DomDocument, url: string | undefined, of: PageKind): Block[] {
  // Text below an article is comments, whatever software the site uses.
  const kind = of === 'forum' ? 'article' : of
  const around = withoutMisleadingNames(document, kind)
  withoutWraps(document)
  const content = contentOf(document)
  if (!content) return []
  const sizes = sizesOf(content)
  const page = sizes.get(content) as Size
  const leaves = (element: DomElement): boolean => {
    const size = sizes.get(element)
    if (!size || element === content) return false
    return isCaption(element, size) || isBoilerplate(element, { size, page, kind })
  }
  const blocks = withoutLabels(blocksOf(content, { url, leaves })).filter(block => !isAside(block))
  return trimmed(withoutFarewell(blocks.filter((block, i) => !isLinkList(block, i, blocks))), around)
}

/**
 * Readability leaves out any element with such a word in its name. This removes the names of elements whose subject
 * the word is, and returns the short texts around the content.
 */
function withoutMisleadingNames(document: DomDocument, kind: PageKind): Set<string> {
  const sizes = sizesOf(document.body)
  const page = sizes.get(document.body) as Size
  const around = new Set<string>()
  for (const [element, size] of sizes) {
    if (namesOf(element).some(name => isSubject(name, size)) || isPost(element, size))
      for (const name of ['class', 'id']) element.removeAttribute(name)
    else if (size.chars > 0 && size.chars < short && isBoilerplate(element, { size, page, kind }))
      around.add((element.textContent ?? '').replace(/\s+/g, ' ').trim())
  }
  return around
}
const short = 140

/** Readability takes the frame of a paragraph away, and where the paragraph has links, it takes the frame with it for a list of links. */
function withoutWraps(document: DomDocument): void {
  // The parser's own `:only-child` lists all siblings of each paragraph.
  for (const paragraph of [...document.querySelectorAll('div > p')].filter(isAlone)) {
    const frame = paragraph.parentElement as DomElement
    const text = (paragraph.textContent ?? '').trim()
    if (text.length < leastFramed || !stop.test(text) || (frame.textContent ?? '').trim() !== text) continue
    const linked = [...paragraph.querySelectorAll('a')].reduce(
      (sum, a) => sum + (a.textContent ?? '').length,
      0,
    )
    if (linked < text.length * mostLinked) frame.replaceWith(paragraph)
  }
}
const [leastFramed, mostLinked] = [60, 0.7]
const isAlone = ({ previousElementSibling: before, nextElementSibling: after }: DomElement): boolean =>
  before === null && after === null

/** A caption describes a picture that the text does not show. */
const isCaption = (element: DomElement, { chars }: Size): boolean =>
  element.tagName.toUpperCase() === 'FIGCAPTION' ||
  (chars < 400 && /caption|\bcredit/i.test(element.getAttribute('class') ?? ''))

function contentOf(document: DomDocument): DomElement | undefined {
  if (isTooIntricate(document.body)) return undefined
  try {
    const reader = new Readability<DomElement>(document, {
      serializer: node => node as DomElement,
      charThreshold: 100,
      keepClasses: true,
    })
    return reader.parse()?.content ?? undefined
  } catch {
    // Readability fails on some documents, such as those with two bodies. Then the other rules read the page.
    return undefined
  }
}

const credit =
  /[([](?:image|photo|picture|credit|file|source)s?\b[^)\]]*[)\]]\s*$|^(?:©|photo by|image credit)/i

/** A line of links, a heading of other texts, a credit: it interrupts the text and does not belong to it. */
function isAside({ text, linked, kind }: Block): boolean {
  if (kind === 'code' || kind === 'row') return false
  const isLinked = linked > text.length * 0.85
  if (isLinked && !stop.test(text) && kind !== 'item') return kind !== 'heading' || text.length > 40
  if (text.length < 250 && credit.test(text)) return true
  return (
    text.length < 140 && invitation.test(text) && (isLinked || (kind !== 'item' && !/[.!?…]$/.test(text)))
  )
}

/** Two or more items that contain only links lead to other texts. */
function isLinkList({ kind, linked, text }: Block, i: number, blocks: readonly Block[]): boolean {
  const leads = (block: Block | undefined): boolean =>
    block?.kind === 'item' && block.linked > block.text.length * 0.9 && block.text.length > 25
  return leads({ kind, linked, text } as Block) && (leads(blocks[i - 1]) || leads(blocks[i + 1]))
}

/** A sentence that asks the reader for something. */
const farewell =
  /(?:^|[.!?…]["'”’)]*\s+)(?:Follow (?:us|me|him|her|them)\b|Sign up\b|Subscribe to\b|Join our\b|Have a (?:news )?tip\b|Get\b.{0,60}\b(?:inbox|delivered)\b)/

/** A text may end with a farewell that asks its readers to come again. */
function withoutFarewell(blocks: readonly Block[]): Block[] {
  const isFarewell = ({ kind, text }: Block) => kind === 'text' && text.length < 250 && farewell.test(text)
  return blocks.slice(0, blocks.findLastIndex(block => block.text && !isFarewell(block)) + 1)
}

/** A text that is three times on a page is a label. */
function withoutLabels(blocks: readonly Block[]): Block[] {
  const times = new Map<string, number>()
  for (const { text } of blocks) times.set(text, (times.get(text) ?? 0) + 1)
  return blocks.filter(
    ({ text, kind }) =>
      kind === 'code' ||
      kind === 'row' ||
      text.length > 120 ||
      (times.get(text) as number) < 3 ||
      (kind === 'item' && /\S\s\S+\s\S+\s\S+[.!?]$/.test(text)),
  )
}
