/** A badge tells which of two prices is asked: `-20 %` beside 100 and 80 means 80. */
import { textOf } from './markup.ts'
import type { AmountCandidate } from './page-amounts.ts'
import { compare } from './price.ts'
import type { Scene } from './scene.ts'

const percent = /(\d{1,2}(?:[.,]\d)?)\s?%/
const reduced =
  /(?:^|\s)[-–−]\s?\d|\b(?:off|save|saving|discount|rabatt|sparen|nachlass|remise|descuento|dto|sconto|desconto|korting|taniej|sleva|indirim)\b|réduc|économ|ahorr|risparmi|bespaar|zniżk|zľav|скидк|割引|オフ|할인/i
/** The lower price may be for some buyers alone. */
const conditional =
  /\b(?:up to|bis zu|jusqu|hasta|fino a|até|tot|extra|with code|coupon|newsletter|members?|club|first order|subscribe|cashback|interest|apr|vat|mwst|tva|iva)\b/i
const longest = 40
/** In nodes of the page. */
const mostAway = 60

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
      rates.some(
        rate => Math.abs(100 - (100 * Number(other.price.value)) / Number(best.price.value) - rate) < 1,
      ),
  )
}

const isNear = ({ node }: AmountCandidate, best: AmountCandidate): boolean =>
  Math.abs(node.at - best.node.at) <= mostAway

function ratesNear({ node }: AmountCandidate, scene: Scene): number[] {
  const { markup } = scene
  const rates: number[] = []
  for (let at = Math.max(0, node.at - mostAway); at <= node.at + mostAway && at < markup.nodes.length; at++) {
    const text = markup.nodes[at]
    if (!text || !('text' in text) || text.text.length > longest) continue
    const rate = percent.exec(text.text)?.[1]
    if (rate === undefined || scene.isHidden(text) || scene.standsAside(text)) continue
    // The word may stand in an element of its own beside the number.
    const around = [text.parent, text.parent.parent].map(each =>
      each ? textOf(markup, each, longest + 1) : '',
    )
    const said = [text.text, ...around].filter(each => each.length <= longest)
    if (said.some(each => reduced.test(each)) && !said.some(each => conditional.test(each)))
      rates.push(Number(rate.replace(',', '.')))
  }
  return rates
}
