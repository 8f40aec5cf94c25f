/** Whether a page sells its product now: by the words about its stock, then by the state of its buy button. */
import { declaredState, stateInWords } from './availability.ts'
import { type MarkupElement, textOf } from './markup.ts'
import { isDisabled, labelOf, nearest, type Scene } from './scene.ts'

const ofStock =
  /(?:^|[\s_-])(availability|available|stock\w*|inventory|instock|outofstock|out-of-stock|sold-?out|delivery-?status|lagerstatus|verfuegbarkeit|disponibilit[ey]|disponibilidad|dostupnost|skladem|buybox-?message)(?:$|[\s_-])/

export function shownState(scene: Scene): string | undefined {
  const { markup } = scene
  let best: { state: string; far: number } | undefined
  for (const element of markup.elements) {
    const state = stateAt(element, scene)
    if (!state || scene.isHidden(element) || scene.standsAside(element) || isChoice(element, scene)) continue
    const far = Math.abs(element.at - (scene.buttons[0]?.at ?? scene.h1?.at ?? 0))
    if (!best || far < best.far) best = { state, far }
  }
  const button = scene.buttons.find(each => !isDisabled(each, scene.wordsOf(each)))
  if (best?.state === 'InStock' || !button) return best?.state ?? soldOutButton(scene) ?? ofButtons(scene)
  // A page with stock may still report one size as sold out.
  return best && best.far < 250 ? best.state : 'InStock'
}

function stateAt(element: MarkupElement, scene: Scene): string | undefined {
  const { itemprop, content, href } = element.attributes
  if (itemprop === 'availability') return declaredState(content || href || textOf(scene.markup, element, 200))
  const words = scene.wordsOf(element)
  if (words === '' || !ofStock.test(words)) return undefined
  return stateInWords(textOf(scene.markup, element, 400))
}

/** A size or a colour among others, each with its own stock; or a shop among others. */
const isChoice = (element: MarkupElement, scene: Scene): boolean =>
  nearest(
    element,
    8,
    each =>
      each.name === 'option' ||
      each.name === 'select' ||
      /(?:^|[\s_-])(swatch\w*|sizes?|size-?(selector|list|option)s?|variants?|variations?|stores?|store-?list|shops?|filters?|facets?)(?:$|[\s_-])/.test(
        scene.wordsOf(each),
      ),
  ) !== undefined

function soldOutButton(scene: Scene): string | undefined {
  for (const element of scene.markup.elements) {
    if (
      element.name !== 'button' &&
      element.attributes.role !== 'button' &&
      element.attributes.type !== 'submit'
    )
      continue
    const label = labelOf(scene, element)
    if (
      label.length > 60 ||
      scene.isHidden(element) ||
      scene.standsAside(element) ||
      isChoice(element, scene)
    )
      continue
    if (stateInWords(label) === 'OutOfStock') return 'OutOfStock'
  }
  return undefined
}

const ofButtons = ({ buttons, wordsOf }: Scene): string | undefined =>
  buttons.length && buttons.every(each => isDisabled(each, wordsOf(each))) ? 'OutOfStock' : undefined
