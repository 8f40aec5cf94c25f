/** The visible price of a page's product: the amount with the best evidence among all visible amounts. */
import { cardsLike } from './cards.ts'
import { discounted } from './discount.ts'
import type { MarkupElement, MarkupText } from './markup.ts'
import { metaText } from './meta.ts'
import { type AmountCandidate, candidatesOf, isPriceWord, past } from './page-amounts.ts'
import { idInUrl } from './page-labels.ts'
import { type PagePrice, pricesIn, shortest } from './price.ts'
import { nearest, type Scene } from './scene.ts'

interface ShownPrice {
  price: PagePrice
  /** The weight of the evidence for it. */
  points: number
  /** The original text. */
  text: string
  /** The number of cards of other products around it, each with a similar price. */
  cards: number
}

interface ShownPrices {
  best: ShownPrice | undefined
  /** Every visible amount, with the weight of the evidence for it. */
  amounts: ReadonlyMap<string, number>
  /** The amounts that it shows as prices of the past beside its price, and nowhere else. */
  pastAmounts: ReadonlySet<string>
}

/** A price far from the name, and in no element that is named as a price, belongs to another product. */
const fewestPoints = 4.5

export function shownPrices(scene: Scene, hints: ReadonlySet<string>): ShownPrices {
  const candidates = candidatesOf(scene)
  const times = Map.groupBy(candidates, ({ price }) => shortest(price.value))
  const spoken = spokenPrices(scene)
  const amounts = new Map<string, number>()
  let best: { candidate: AmountCandidate; points: number } | undefined
  for (const candidate of candidates) {
    const value = shortest(candidate.price.value)
    const repeated = Math.min(1.5, 0.5 * ((times.get(value)?.length ?? 1) - 1))
    const told = (spoken.has(value) ? 3 : 0) + (hints.has(value) ? 3 : 0)
    const lone = candidate.isPast && !hasPresent(candidate, candidates) ? 3 : 0
    const points = lone + standing(candidate, scene) + nearness(candidate.node, scene) + repeated + told
    amounts.set(value, Math.max(points, amounts.get(value) ?? points))
    if (!best || points > best.points) best = { candidate, points }
  }
  if (!best || best.points < fewestPoints) return { best: undefined, amounts, pastAmounts: new Set() }
  const { points } = best
  const lower = discounted(best.candidate, candidates, scene)
  // If a badge says that a price is the earlier one, it is not a current price of the product.
  if (lower) amounts.set(shortest(best.candidate.price.value), points - ofPast)
  const candidate = lower ?? best.candidate
  const { price, text } = candidate
  return {
    best: { price, points, text, cards: cardsLike(candidate, candidates, scene) },
    amounts,
    pastAmounts: pastBeside(candidate, times, scene),
  }
}

/** A price "from" which others begin has none before it: the other end of the range may be crossed out. */
function pastBeside(
  { node: { at }, price }: AmountCandidate,
  times: ReadonlyMap<string, readonly AmountCandidate[]>,
  scene: Scene,
): ReadonlySet<string> {
  const isOver = ({ node, isPast }: AmountCandidate) =>
    isPast || nearest(node, 8, each => isCrossedOut(each, scene)) !== undefined
  const isBeside = ({ node }: AmountCandidate) =>
    Math.abs(node.at - at) < besides && !scene.isHidden(node) && !scene.standsAside(node)
  const past = price.isLowest ? [] : [...times].filter(([, all]) => all.every(isOver) && all.some(isBeside))
  return new Set(past.map(([value]) => value))
}

/** Shops that end a sale leave the old price in its place. */
const hasPresent = ({ node: { at } }: AmountCandidate, all: readonly AmountCandidate[]): boolean =>
  all.some(({ node, isPast }) => !isPast && Math.abs(node.at - at) < besides)
/** In nodes of the page. */
const besides = 80

const present =
  /(?:^|[\s_-])(current|sale|final|our|ourprice|now|special|actual|new|pricenew|promo|deal|dealprice|offer|buybox|buyingprice|main|primary|best|action)(?:$|[\s_-])|buying|deal|current|primary/
const ofPast = 5
const crossedOut = new Set(['del', 's', 'strike'])
/** By its name, its style, or the class of a style sheet whose classes are named as what they do. */
const isCrossedOut = (element: MarkupElement, { wordsOf }: Scene): boolean =>
  crossedOut.has(element.name) ||
  /line-through/.test(element.attributes.style ?? '') ||
  /(?:^|\s)(?:text-decoration-)?line-through(?:$|\s)/.test(wordsOf(element))

/** The evidence in its own box and in those around it. */
function standing({ node, text, price, near, isPast }: AmountCandidate, scene: Scene): number {
  let points = 0
  if (near.some(({ attributes }) => attributes.itemprop === 'price')) points += 6
  else if (near.slice(0, 3).some(each => isPriceWord(scene.wordsOf(each)))) points += 3.5
  else if (near.some(each => isPriceWord(scene.wordsOf(each)))) points += 2
  else if (nearest(node, 7, each => isPriceWord(scene.wordsOf(each)))) points += 1.5
  if (near.some(each => present.test(scene.wordsOf(each)))) points += 2
  if (isPast) points -= ofPast
  else if (near.slice(2).some(each => past.test(scene.wordsOf(each)))) points -= 2
  if (nearest(node, 8, each => isCrossedOut(each, scene))) points -= 10
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

/** The text directly before it. */
function said(node: MarkupText | MarkupElement, { markup }: Scene): string {
  for (let i = node.at - 1; i > Math.max(0, node.at - 8); i--) {
    const before = markup.nodes[i] as MarkupText | MarkupElement
    if ('text' in before) return before.text.length < 40 ? before.text : ''
  }
  return ''
}

const leadsAway = ({ attributes }: MarkupElement, { url }: Scene): boolean => {
  const { href } = attributes
  if (href === undefined || /^(#|javascript:)/i.test(href) || !URL.canParse(href, url)) return false
  const id = idInUrl(url)
  return new URL(href, url).pathname !== url.pathname && !(id && href.includes(id))
}

/** The pixels by which inline style makes it larger than normal text. */
function largeness(elements: readonly MarkupElement[]): number {
  for (const { attributes, name } of elements) {
    const size = /font(?:-size)?\s*:[^;]*?(\d{2})px/i.exec(attributes.style ?? '')?.[1]
    if (size) return Math.max(0, Number(size) - 14)
    if (name === 'font' && Number(attributes.size) >= 5) return 12
  }
  return 0
}

/** The best place is between the name and the buy button. */
function nearness(node: MarkupText | MarkupElement, { h1, buttons }: Scene): number {
  let points = 0
  if (h1) {
    const far = node.at - h1.at
    points += far >= 0 ? 5 * Math.exp(-far / 350) : 2.5 * Math.exp(far / 150)
  }
  const farFromButton = buttons.reduce((least, { at }) => Math.min(least, Math.abs(at - node.at)), Infinity)
  return points + 3 * Math.exp(-farFromButton / 150)
}

/** Prices in the title or the description of the page. */
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
