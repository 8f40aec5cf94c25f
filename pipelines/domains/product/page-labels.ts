/** The labelled statements of a page about its product: `SKU: 123`, `Brand: Acme`. And the id in its URL. */
import { decoded } from '../../rails/formats/percent.ts'
import { stated } from './facts.ts'
import { gtinOf, gtinOfBook, isMistyped } from './gtin.ts'
import { kindOf, type LabelKind } from './label-words.ts'
import { type MarkupText, textOf } from './markup.ts'
import type { Scene } from './scene.ts'
import { plainText } from './texts.ts'

type Labelled = Partial<Record<LabelKind, string>>
/** All values that stand under a label of a kind, in the order of the page. */
export type AllLabelled = Record<LabelKind, string[]>

const idForm = /^[\p{L}\p{N}][\p{L}\p{N}_./-]{1,39}$/u

export function allLabelled(scene: Scene): AllLabelled {
  const { markup } = scene
  const found: AllLabelled = { sku: [], mpn: [], gtin: [], brand: [] }
  for (const [place, node] of markup.texts.entries()) {
    if (node.text.length > 120) continue
    const split = /^([^:#]{2,40}?)\s*[:#]+\s*(\S.*)?$/.exec(node.text)
    const label = (split?.[1] ?? node.text).replace(/(?<![\s:#.*])[\s:#.*]+$/, '')
    if (label.length < 2 || label.length > 40) continue
    const kind = kindOf(label)
    // Without a colon, only a table cell or a term of a list is a label.
    if (!kind || (!split && !isLabel(node, scene)) || scene.standsAside(node)) continue
    const value = split?.[2] ?? markup.texts[place + 1]?.text
    const read = value === undefined ? undefined : readLabelled(kind, value, label)
    if (read !== undefined && found[kind].length < mostOfKind) found[kind].push(read)
  }
  return found
}

/** The URL may name one of several codes. */
export const labelled = ({ sku, mpn, gtin, brand }: AllLabelled, { href }: URL): Labelled =>
  stated<Labelled>({
    sku: sku.find(id => href.includes(id)) ?? sku[0],
    mpn: mpn[0],
    gtin: gtin.find(code => !isMistyped(code)) ?? gtin[0],
    brand: brand[0],
  })
const mostOfKind = 200

const isLabel = ({ parent }: MarkupText, scene: Scene): boolean =>
  [parent, parent.parent].some(
    each =>
      each &&
      (/^(th|td|dt|label|b|strong)$/.test(each.name) ||
        /(?:^|[\s_-])(label|name|title|key|term|attr\w*|caption)(?:$|[\s_-])/.test(scene.wordsOf(each))),
  )

function readLabelled(name: LabelKind, text: string, label: string): string | undefined {
  const value = plainText(text.replace(/^[\s:#‏‎]+/, ''), 80)
  if (value === undefined) return undefined
  if (name === 'brand') return value.length <= 50 && !/[:?!]|\d{5}/.test(value) ? value : undefined
  if (name === 'gtin') return /isbn/i.test(label) ? gtinOfBook(value) : gtinOf(value)
  const first = value.split(/\s+[|–-]\s+|,\s|\s{2,}/)[0]?.trim() ?? ''
  if (name === 'mpn') return first.length <= 40 && /\d/.test(first) ? first : undefined
  const word = first.replace(/(?<![)\].,;])[)\].,;]+$/, '')
  return idForm.test(word) && /\d/.test(word) ? word : undefined
}

const ofId =
  /(?:^|[\s_-])(?:sku|(?:product|item|article|style)[\s_-]?(?:reference|ref|code|number|no|sku)|catalog(?:ue)?[\s_-]?number|artikelnummer)(?:$|\s)/

/** The id in an element with a matching name: `<span class="product-code">A-123</span>`. */
export function namedId(scene: Scene): string | undefined {
  for (const { text, parent } of scene.markup.texts) {
    if (text.length > 40 || !/\d{3}/.test(text) || !ofId.test(scene.wordsOf(parent))) continue
    if (idForm.test(text) && !scene.standsAside(parent)) return text
  }
  return undefined
}

/** The attributes of elements outside of any declared thing. */
export function attributed({ markup, h1, ...scene }: Scene): Labelled {
  const found: Labelled = {}
  const set = (name: LabelKind, value: string | undefined) => {
    if (found[name] === undefined && value) found[name] = value
  }
  for (const element of markup.elements) {
    const { itemprop } = element.attributes
    if (itemprop === undefined || scene.standsAside(element)) continue
    const text = () => plainText(element.attributes.content ?? textOf(markup, element, 100), 80)
    if (itemprop === 'sku' || itemprop === 'productID') set('sku', text()?.replace(/^sku:/i, ''))
    else if (itemprop === 'brand' || itemprop === 'manufacturer') set('brand', text())
    else if (itemprop === 'mpn') set('mpn', text())
    else if (itemprop === 'isbn') set('gtin', gtinOfBook(text()))
    else if (/^(gtin\d*|ean)$/.test(itemprop)) set('gtin', gtinOf(text()))
  }
  return found
}

/** The part of the URL that stays the same when names change. */
export function idInUrl(url: URL): string | undefined {
  for (const name of [
    'sku',
    'childSku',
    'productId',
    'product_id',
    'products_id',
    'itemId',
    'item_id',
    'pid',
    'prodid',
    'id',
  ])
    for (const [key, value] of url.searchParams)
      if (key.toLowerCase() === name.toLowerCase() && idForm.test(value) && /\d{3}/.test(value)) return value
  const segments = url.pathname.split('/').filter(Boolean).map(decoded).reverse()
  for (const segment of segments.slice(0, 4)) {
    const bare = segment.replace(/\.(?:html?|php|aspx?|jsp|shtml|do)$/i, '')
    const id = idIn(bare)
    if (id !== undefined) return id
  }
  return undefined
}

function idIn(segment: string): string | undefined {
  if (idForm.test(segment) && isId(segment) && segment.length <= 24 && !/[a-z]{4,}/.test(segment))
    return bare(segment)
  const words = segment.split(/[-_,.;=]/).filter(Boolean)
  const numbers = words.filter(word => /^(?:[a-z]{1,2})?\d{5,}$/i.test(word))
  const number =
    numbers.at(-1) ?? words.filter(word => /^\d{4}$/.test(word) && !/^(19|20)\d\d$/.test(word)).at(-1)
  if (number) return bare(number)
  // Letters and digits in one word at the end of a name, such as `w712550a`.
  const last = words.at(-1) ?? ''
  return isId(last) && last.length >= 6 && (last.match(/\d/g)?.length ?? 0) >= 3 ? last : undefined
}

/** `p4781720` and `x3410048` are ids after one letter. */
const bare = (id: string): string => id.replace(/^(?:[a-z]\d+)+[a-z](?=\d{6,}$)|^[a-z](?=\d{5,}$)/, '')
const isId = (text: string): boolean =>
  /\d{5,}/.test(text) || (/\d.*\d.*\d/.test(text) && /\p{L}/u.test(text) && text.length >= 6)
