/** The amounts on a page, with their surroundings. */
import { around, type MarkupElement, type MarkupText } from './markup.ts'
import { isZero, type PagePrice, pricesIn, statedPrice } from './price.ts'
import type { Scene } from './scene.ts'

const mostCandidates = 600

export interface AmountCandidate {
  price: PagePrice
  node: MarkupText | MarkupElement
  /** The element around the whole price. */
  box: MarkupElement
  text: string
  /** The elements around it, the nearest first. */
  near: readonly MarkupElement[]
  /** Its words or its markup say that the price is over, or belongs to something else. */
  isPast: boolean
}

export function candidatesOf(scene: Scene): AmountCandidate[] {
  const { markup, locale } = scene
  const found: AmountCandidate[] = []
  const seen = new Set<MarkupElement>()
  const candidate = (
    price: PagePrice,
    node: MarkupText | MarkupElement,
    box: MarkupElement,
    text: string,
  ): AmountCandidate => {
    const own = 'text' in node ? [...around(node, 3)] : [node]
    const near = [...new Set([...own, box, ...around(box, 3)])]
    return {
      price,
      node,
      box,
      text,
      near,
      isPast: near.slice(0, 2).some(each => past.test(scene.wordsOf(each))),
    }
  }
  for (const node of markup.texts) {
    if (found.length >= mostCandidates) break
    if (node.text.length > 80 || !/[\d٠-٩]/.test(node.text)) continue
    const held = holding(scene, node)
    if (!held || seen.has(held.box)) continue
    seen.add(held.box)
    const [price] = held.prices
    if (price && !isZero(price.value)) found.push(candidate(price, node, held.box, held.text))
  }
  for (const element of markup.elements) {
    const stated =
      element.attributes.itemprop === 'price' ? element.attributes.content : element.attributes['data-price']
    if (stated === undefined || found.length >= mostCandidates) continue
    const price = statedPrice(stated, locale)
    if (price && !isZero(price.value) && !seen.has(element))
      found.push(candidate(price, element, element, stated))
  }
  return found
}

/** A price may be split over elements: the smallest element with an amount and its currency holds the price. */
function holding(
  scene: Scene,
  node: MarkupText,
): { box: MarkupElement; text: string; prices: PagePrice[] } | undefined {
  const { locale } = scene
  let bare: { box: MarkupElement; text: string; prices: PagePrice[] } | undefined
  let up = 0
  let before: string | undefined
  for (const box of around(node, 5)) {
    const text = joinedText(scene, box)
    if (text === undefined) break
    const prices = text === before ? [] : pricesIn(text, locale)
    before = text
    if (prices.length) return { box, text, prices }
    if (up++ < 2 && isPriceWord(scene.wordsOf(box)))
      bare ??= { box, text, prices: pricesIn(text, locale, { bare: true }) }
  }
  return bare
}

const longest = 60
const cents = /(?:^|[\s_-])(cents?|centimes?|fraction|decimals?|part|kopecks?|sup)(?:$|[\s_-])/

/** Cents are raised after the amount, without a point before them. */
function joinedText({ markup, wordsOf }: Scene, { at, end }: MarkupElement): string | undefined {
  let text = ''
  for (let i = at + 1; i < end; i++) {
    const node = markup.nodes[i] as MarkupElement | MarkupText
    if (!('text' in node)) continue
    const isCents =
      /^\d{2}$/.test(node.text) &&
      /\d$/.test(text) &&
      (node.parent.name === 'sup' || cents.test(wordsOf(node.parent)))
    text += isCents ? `.${node.text}` : node.isApart && text ? ` ${node.text}` : node.text
    if (text.length > longest) return undefined
  }
  return text
}

const named =
  /(?:^|[\s_-])(price\w*|prc\w*|prix|preis\w*|precio\w*|prezzo|preco|preço|cena|ceny|cenas?|pris|prijs|hinta|kaina|fiyat|harga|cost|amount|money|valor|pricing\w*|\w*price|pr|std)(?:$|[\s_-])/
export const isPriceWord = (words: string): boolean => named.test(words)

export const past =
  /(?:^|[\s_-])(old|oldprice|was|list|listprice|strike\w*|rrp|msrp|uvp|before|regular|original|orig|crossed|previous|compare|save|saving\w*|saved|discount\w*|reduction|off|shipping|delivery|versand|livraison|postage|month\w*|installments?|instalment\w*|finance|financing|loyalty|points|bonus|tax|vat|unit|unitprice|perunit|ppu|basis|base|mini-?cart|cart-(?:total|item)|coupon|voucher|gift|warranty|min|max|filter|priceold|pricewas|wasprice|standardprice|regularprice|originalprice|subscription|subscribe|member|used|import|fee|deposit|recommended|actionoldprice)(?:$|[\s_-])/

/** Whether the text in the place of the price says that the product is free. */
export const saysFree = (scene: Scene): boolean =>
  scene.markup.texts.some(
    ({ text, parent }) =>
      free.test(text) &&
      [parent, parent.parent].some(each => each && isPriceWord(scene.wordsOf(each))) &&
      !scene.isHidden(parent) &&
      !scene.standsAside(parent),
  )
const free =
  /^(free|free (?:to play|download|of charge)|(?:play|download|get it) (?:for )?free|gratis|kostenlos|gratuit|grátis|gratuito|za darmo|zdarma|бесплатно|無料|免费)!?$/i
