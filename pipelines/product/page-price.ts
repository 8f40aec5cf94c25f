/** The price that a page shows for its product: of all amounts that it shows, the one that stands as a price stands. */
import { cardsLike } from './cards.ts'
import { around, type Element, type Text } from './markup.ts'
import { metaText } from './meta.ts'
import { idInUrl } from './page-labels.ts'
import { isZero, type Price, pricesIn, shortest, statedPrice } from './price.ts'
import { nearest, type Scene } from './scene.ts'

export interface ShownPrice {
  price: Price
  /** How much speaks for it. */
  points: number
  /** As it stands there. */
  text: string
  /** How many cards of other products stand beside it, each with a price like it. */
  cards: number
}

export interface ShownPrices {
  best: ShownPrice | undefined
  /** Every amount that the page shows, with how much speaks for it. */
  amounts: ReadonlyMap<string, number>
}

const mostCandidates = 600
/** A price that stands nowhere near the name and in nothing that is called a price is another product's. */
const fewestPoints = 4.5

interface Candidate {
  price: Price
  node: Text | Element
  /** The element that holds the whole price. */
  box: Element
  text: string
  /** The elements around it, the nearest first. */
  near: readonly Element[]
  /** It is called a price that does not hold any more, or that holds for something else. */
  isPast: boolean
}

export function shownPrices(scene: Scene, hints: ReadonlySet<string>): ShownPrices {
  const candidates = candidatesOf(scene)
  const times = Map.groupBy(candidates, ({ price }) => shortest(price.value))
  const spoken = spokenPrices(scene)
  const amounts = new Map<string, number>()
  let best: { candidate: Candidate; points: number } | undefined
  for (const candidate of candidates) {
    const value = shortest(candidate.price.value)
    const repeated = Math.min(1.5, 0.5 * ((times.get(value)?.length ?? 1) - 1))
    const told = (spoken.has(value) ? 3 : 0) + (hints.has(value) ? 3 : 0)
    const lone = candidate.isPast && !hasPresent(candidate, candidates) ? 3 : 0
    const points = lone + standing(candidate, scene) + nearness(candidate.node, scene) + repeated + told
    amounts.set(value, Math.max(points, amounts.get(value) ?? points))
    if (!best || points > best.points) best = { candidate, points }
  }
  if (!best || best.points < fewestPoints) return { best: undefined, amounts }
  const { candidate, points } = best
  const { price, text } = candidate
  return { best: { price, points, text, cards: cardsLike(candidate, candidates, scene) }, amounts }
}

/** Shops that end a sale leave the old price where it stood. */
const hasPresent = ({ node: { at } }: Candidate, all: readonly Candidate[]): boolean =>
  all.some(({ node, isPast }) => !isPast && Math.abs(node.at - at) < 80)

function candidatesOf(scene: Scene): Candidate[] {
  const { markup, locale } = scene
  const found: Candidate[] = []
  const seen = new Set<Element>()
  const candidate = (price: Price, node: Text | Element, box: Element, text: string): Candidate => {
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

/** A price may be split over elements: the smallest that holds an amount and its currency holds the price. */
function holding(scene: Scene, node: Text): { box: Element; text: string; prices: Price[] } | undefined {
  const { locale } = scene
  let bare: { box: Element; text: string; prices: Price[] } | undefined
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

/** Cents stand raised behind the amount, with no point before them. */
function joinedText({ markup, wordsOf }: Scene, { at, end }: Element): string | undefined {
  let text = ''
  for (let i = at + 1; i < end; i++) {
    const node = markup.nodes[i] as Element | Text
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
const isPriceWord = (words: string): boolean => named.test(words)
/** Whether what stands where the price stands is that there is none to pay. */
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
const present =
  /(?:^|[\s_-])(current|sale|final|our|ourprice|now|special|actual|new|pricenew|promo|deal|dealprice|offer|buybox|buyingprice|main|primary|best|action)(?:$|[\s_-])|buying|deal|current|primary/
const past =
  /(?:^|[\s_-])(old|oldprice|was|list|listprice|strike\w*|rrp|msrp|uvp|before|regular|original|orig|crossed|previous|compare|save|saving\w*|saved|discount\w*|reduction|off|shipping|delivery|versand|livraison|postage|month\w*|installments?|instalment\w*|finance|financing|loyalty|points|bonus|tax|vat|unit|unitprice|perunit|ppu|basis|base|mini-?cart|cart-(?:total|item)|coupon|voucher|gift|warranty|min|max|filter|priceold|pricewas|subscription|subscribe|member|used|import|fee|deposit|recommended|actionoldprice)(?:$|[\s_-])/
const crossedOut = new Set(['del', 's', 'strike'])

/** What its own box and those around it say of it. */
function standing({ node, text, price, near, isPast }: Candidate, scene: Scene): number {
  let points = 0
  if (near.some(({ attributes }) => attributes.itemprop === 'price')) points += 6
  else if (near.slice(0, 3).some(each => isPriceWord(scene.wordsOf(each)))) points += 3.5
  else if (near.some(each => isPriceWord(scene.wordsOf(each)))) points += 2
  else if (nearest(node, 7, each => isPriceWord(scene.wordsOf(each)))) points += 1.5
  if (near.some(each => present.test(scene.wordsOf(each)))) points += 2
  if (isPast) points -= 5
  else if (near.slice(2).some(each => past.test(scene.wordsOf(each)))) points -= 2
  if (nearest(node, 8, each => crossedOut.has(each.name) || /line-through/.test(each.attributes.style ?? '')))
    points -= 10
  if (scene.isHidden(node)) points -= 4
  if (scene.standsAside(node)) points -= 7
  if (nearest(node, 12, each => each.name === 'a' && leadsAway(each, scene))) points -= 4
  if (nearest(node, 3, each => each.name === 'option' || each.name === 'label')) points -= 2
  if (nearest(node, 4, each => /^h[1-4]$|^(strong|b)$/.test(each.name))) points += 1
  points += Math.min(2, largeness(near) / 12)
  const rest = text.slice(price.end)
  if (
    /^\s*(\/|per\b|pro\b|je\b|par\b|por\b|al\b|x\s*\d|%)/i.test(rest) &&
    !/^\s*\/\s*(st|pc|piece|each|ks|szt)/i.test(rest)
  )
    points -= 4
  const before = `${said(node, scene)} ${text.slice(0, price.at)}`
  if (notThePrice.test(before)) points -= 5
  if (!price.currency) points -= 1.5
  return points
}

const notThePrice =
  /\b(was|rrp|msrp|list price|regular price|save|you save|shipping|delivery|postage|statt|uvp|versand|ancien prix|au lieu de|livraison|antes|ahorr\w*|envío|gastos de envío|invece di|prezzo di listino|spedizione|risparmi\w*|frete|van|verzend\w*|monthly|per month|mtl\.?|coupon|gift card|over|orders? (?:of|over)|min\. order|ab einem|dès|from the)\s*:?\s*[+]?$|[-−–]$|\b(shipping|livraison|versand|delivery|spedizione|envío)\b/i

/** What stands right before it. */
function said(node: Text | Element, { markup }: Scene): string {
  for (let i = node.at - 1; i > Math.max(0, node.at - 8); i--) {
    const before = markup.nodes[i] as Text | Element
    if ('text' in before) return before.text.length < 40 ? before.text : ''
  }
  return ''
}

const leadsAway = ({ attributes }: Element, { url }: Scene): boolean => {
  const { href } = attributes
  if (href === undefined || /^(#|javascript:)/i.test(href) || !URL.canParse(href, url)) return false
  const id = idInUrl(url)
  return new URL(href, url).pathname !== url.pathname && !(id && href.includes(id))
}

/** Pixels by which inline style shows it larger than usual text. */
function largeness(elements: readonly Element[]): number {
  for (const { attributes, name } of elements) {
    const size = /font(?:-size)?\s*:[^;]*?(\d{2})px/i.exec(attributes.style ?? '')?.[1]
    if (size) return Math.max(0, Number(size) - 14)
    if (name === 'font' && Number(attributes.size) >= 5) return 12
  }
  return 0
}

/** Between the name and the buy button is the best place. */
function nearness(node: Text | Element, { h1, buttons }: Scene): number {
  let points = 0
  if (h1) {
    const far = node.at - h1.at
    points += far >= 0 ? 5 * Math.exp(-far / 350) : 2.5 * Math.exp(far / 150)
  }
  const farFromButton = buttons.reduce((least, { at }) => Math.min(least, Math.abs(at - node.at)), Infinity)
  return points + 3 * Math.exp(-farFromButton / 150)
}

/** Prices that the title or the description of the page says. */
function spokenPrices({ meta, title, locale }: Scene): ReadonlySet<string> {
  const texts = [
    title,
    metaText(meta, 'description'),
    metaText(meta, 'og:description'),
    metaText(meta, 'og:title'),
    metaText(meta, 'og:price'),
  ]
  return new Set(
    texts.flatMap(text =>
      text ? pricesIn(text.slice(0, 1_000), locale).map(({ value }) => shortest(value)) : [],
    ),
  )
}
