/** A badge tells which of two prices is asked: `-20 %` beside 100 and 80 means 80. */
import { around, blocks, type MarkupElement, textOf } from './markup.ts'
import type { AmountCandidate } from './page-amounts.ts'
import { compare } from './price.ts'
import type { Scene } from './scene.ts'

const percent = /(\d{1,2}(?:[.,]\d)?)\s?%|%\s?(\d{1,2})(?!\d)/
const minus = /(?:^|\s)[-–−]\s?\d/
const reduced = new Set(
  (
    'off less sale save saved saving savings discount discounted reduced rebate rabat rabatt spar spara spare sparen ' +
    'ersparnis nachlass reduziert remise promo descuento dto sconto desconto korting popust taniej sleva indirim säästä ' +
    'alennus ale rea έκπτωση kedvezmény 割引 オフ 할인'
  ).split(' '),
)
/** Words that begin so. */
const reducing = /^(?:réduc|économ|ahorr|risparmi|bespaar|zniżk|obniżk|zľav|скидк)/
/** Words that stand in such a badge and say nothing else. Whatever other word it has may be a condition: for whom, from when. */
const filler = new Set(
  (
    'you now today only just was price special hot limited time clearance outlet deal offer un una on de di du des en um ' +
    'von jetzt nur sie heute vous aktion angebot oferta oggi nu the list retail rrp msrp ' +
    'kr zł ft tl kč lei eur usd gbp chf r rs inr'
  ).split(' '),
)
/** The lower price may be for some buyers alone. */
const conditional =
  /\b(?:up to|bis zu|jusqu|hasta|fino a|até|tot|extra|codes?|coupons?|vouchers?|gutschein|newsletter|members?|club|for|with|if|when|für|mit|pour|avec|para|con|dla|subscribe|abo|app|cashback|interest|apr|vat|mwst|tva|iva|students?|seniors?|military|teachers?|new customers?|neukunden|(?:first|next|second|2nd|your) (?:order|purchase|item|one)|(?:from|ab|for|buy|bei|per) \d|\d ?\+|or more|each|pieces?|stück)\b/i
/** The name of a code: "with SAVE20". */
const namesCode = /\b(?:with|use|mit|avec|con):? [A-Z\d]{4,}\b/
const longest = 40
/** In nodes of the page. */
const mostAway = 60
const mostBehind = 4

/** The lower price of a pair with `best`, if a badge near them tells their ratio. */
export function discounted(
  best: AmountCandidate,
  all: readonly AmountCandidate[],
  scene: Scene,
): AmountCandidate | undefined {
  const rates = ratesNear(best, scene)
  if (!rates.length) return undefined
  return all.find(
    other =>
      !other.isPast &&
      isNear(other, best) &&
      compare(other.price.value, best.price.value) < 0 &&
      (!other.price.currency || other.price.currency.code === best.price.currency?.code) &&
      !scene.isHidden(other.node) &&
      !scene.standsAside(other.node) &&
      !hasCondition(other, scene) &&
      rates.some(
        rate => Math.abs(100 - (100 * Number(other.price.value)) / Number(best.price.value) - rate) < 1,
      ),
  )
}

/** How one gets a price: with an approval, a card, a code or a membership, or in the cart alone. */
const whose =
  /^\s*\(?(?:(?:upon|on|after|with|subject to) (?:credit )?approval|(?:if|when|once|after) (?:approved|added to|you (?:subscribe|join|sign|log in|apply|enter|use|pay with))|(?:with|after|using) (?:\w{1,20} ){0,4}(?:card|codes?|coupons?|vouchers?|membership|subscription)|(?:for )?members|for \w{1,20} members|at (?:the )?checkout|in (?:the |your )?(?:cart|basket|bag))\b/i

/** The text right behind a price, in the same line, says for whom it is: "$23.96 upon approval". */
function hasCondition({ box, price, text }: AmountCandidate, { markup }: Scene): boolean {
  if (whose.test(text.slice(price.end))) return true
  const behind = markup.nodes.slice(box.end, box.end + mostBehind).find(node => 'text' in node)
  return (
    behind !== undefined &&
    'text' in behind &&
    whose.test(behind.text) &&
    lineOf(behind.parent) === lineOf(box)
  )
}

const lineOf = (element: MarkupElement): MarkupElement | undefined =>
  blocks.has(element.name) ? element : [...around(element)].find(({ name }) => blocks.has(name))

/** It says that a price is reduced, and nothing else. */
function isBadge(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const reduces = (word: string) => reduced.has(word) || reducing.test(word)
  return (minus.test(text) || words.some(reduces)) && words.every(word => reduces(word) || filler.has(word))
}

const isConditional = (text: string): boolean => conditional.test(text) || namesCode.test(text)

const isNear = ({ node }: AmountCandidate, best: AmountCandidate): boolean =>
  Math.abs(node.at - best.node.at) <= mostAway

function ratesNear({ node }: AmountCandidate, scene: Scene): number[] {
  const { markup } = scene
  const rates: number[] = []
  for (let at = Math.max(0, node.at - mostAway); at <= node.at + mostAway && at < markup.nodes.length; at++) {
    const text = markup.nodes[at]
    if (!text || !('text' in text) || text.text.length > longest) continue
    const [, before, behind] = percent.exec(text.text) ?? []
    const rate = before ?? behind
    if (rate === undefined || scene.isHidden(text) || scene.standsAside(text)) continue
    // The word may stand in an element of its own beside the number.
    const around = [text.parent, text.parent.parent].map(each =>
      each ? textOf(markup, each, longest + 1) : '',
    )
    const said = [text.text, ...around].filter(each => each.length <= longest)
    if (said.some(isBadge) && !said.some(isConditional)) rates.push(Number(rate.replace(',', '.')))
  }
  return rates
}
