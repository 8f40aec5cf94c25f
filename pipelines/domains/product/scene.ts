/** The landmarks of a page: its title, its name of the product, its buttons, and the parts aside of the main content. */
import { buyWords } from './availability.ts'
import type { Locale } from './locale.ts'
import { around, type Markup, type MarkupElement, type MarkupText, textOf } from './markup.ts'
import { metaText, type PageMeta } from './meta.ts'
import { likeness } from './texts.ts'

export interface Scene {
  markup: Markup
  meta: PageMeta
  locale: Locale
  url: URL
  title: string | undefined
  h1: MarkupElement | undefined
  /** The text of `h1`. */
  heading: string | undefined
  buttons: readonly MarkupElement[]
  /** Words that name the element: its id, its classes and its test names. */
  wordsOf(element: MarkupElement): string
  /** Whether the node is invisible, or in a part of the page that is not about the product. */
  standsAside(node: MarkupElement | MarkupText): boolean
  isHidden(node: MarkupElement | MarkupText): boolean
}

export function sceneOf(markup: Markup, meta: PageMeta, locale: Locale, url: URL): Scene {
  const title = titleOf(markup)
  const titles = [title, metaText(meta, 'og:title'), metaText(meta, 'twitter:title')]
  // A page has many elements of one class.
  const words = new Map<string, string>()
  const wordsOf = ({ attributes }: MarkupElement): string => {
    const { id = '', class: names = '', itemprop = '' } = attributes
    const test = testName(attributes)
    const written = `${id} ${names} ${itemprop} ${test}`
    const known = words.get(written)
    if (known !== undefined) return known
    const found = written
      .slice(0, 400)
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .trim()
      .toLowerCase()
    words.set(written, found)
    return found
  }
  const verdicts = { hidden: new Map<MarkupElement, boolean>(), aside: new Map<MarkupElement, boolean>() }
  /** A property of an element applies to everything inside it. */
  const inherited = (
    kind: 'hidden' | 'aside',
    node: MarkupElement | MarkupText,
    test: (element: MarkupElement) => boolean,
  ): boolean => {
    const seen: MarkupElement[] = []
    let verdict = false
    let at: MarkupElement | undefined = 'text' in node ? node.parent : node
    for (; at; at = at.parent) {
      const known = verdicts[kind].get(at)
      if (known !== undefined) {
        verdict = known
        break
      }
      seen.push(at)
      if (test(at)) {
        verdict = true
        break
      }
    }
    for (const element of seen) verdicts[kind].set(element, verdict)
    return verdict
  }
  const isHidden = (node: MarkupElement | MarkupText) => inherited('hidden', node, hides)
  const h1 = headingOf(markup, titles, isHidden)
  const scene: Scene = {
    markup,
    meta,
    locale,
    url,
    title,
    h1,
    heading: h1 && textOf(markup, h1, 500),
    buttons: [],
    wordsOf,
    isHidden,
    standsAside: node =>
      inherited(
        'aside',
        node,
        element => isAside(element, wordsOf(element)) && !(h1 && contains(element, h1)),
      ),
  }
  return { ...scene, buttons: buttonsOf(scene) }
}

/** `data-test`, `data-testid`, `data-qa-qualifier`, `data-aut-id`, `data-cy`. */
function testName(attributes: MarkupElement['attributes']): string {
  for (const name in attributes)
    if (/^data-(?:qa|test|auto?|cy)(?:$|-|id)/.test(name)) return attributes[name] as string
  return ''
}

const contains = ({ at, end }: MarkupElement, inner: MarkupElement): boolean =>
  inner.at >= at && inner.at < end

function titleOf(markup: Markup): string | undefined {
  const element = markup.elements.find(({ name }) => name === 'title')
  return element && textOf(markup, element, 500)
}

function headingOf(
  markup: Markup,
  titles: readonly (string | undefined)[],
  isHidden: (element: MarkupElement) => boolean,
): MarkupElement | undefined {
  const all = markup.elements
    .filter(
      ({ name, attributes }) =>
        name === 'h1' || attributes.itemprop === 'name' || attributes.id === 'productTitle',
    )
    .slice(0, 60)
  let best: MarkupElement | undefined
  let most = -1
  for (const element of all) {
    const text = textOf(markup, element, 500)
    if (text === '') continue
    const like = Math.max(...titles.map(title => likeness(text, title)))
    const points = like + (element.name === 'h1' ? 0.5 : 0) - (isHidden(element) ? 0.4 : 0)
    if (points > most + 0.05) {
      best = element
      most = points
    }
  }
  return best
}

const hides = ({ attributes, name }: MarkupElement): boolean =>
  attributes.hidden !== undefined ||
  name === 'template' ||
  name === 'noscript' ||
  name === 'head' ||
  (attributes.style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.style))

const besides =
  /(?:^|[\s_-])(related|similar|recommend\w*|recs?|also|upsells?|cross-?sells?|crosssell\w*|recently|viewed|history|best-?sell\w*|sponsored|footer|nav|menu|navbar|bundles?|accessor\w*|suggest\w*|reviews?|comments?|newsletter|mini-?cart|minicart|compare|comparison|header|breadcrumbs?|complementary|alternatives?|bought|trending|promo-?banner|cookie|ads?|advert\w*|tooltip|popover|modal|basket-?preview|others?|siblings?)(?:$|[\s_-])/

function isAside({ name, attributes }: MarkupElement, words: string): boolean {
  if (name === 'footer' || name === 'nav' || name === 'aside') return true
  if (name === 'body' || name === 'html' || name === 'main' || attributes.itemtype?.endsWith('/Product'))
    return false
  return words !== '' && besides.test(words)
}

function buttonsOf(scene: Scene): MarkupElement[] {
  const found: MarkupElement[] = []
  for (const element of scene.markup.elements) {
    const { name, attributes } = element
    const isButton = name === 'button' || name === 'a' || name === 'input' || attributes.role === 'button'
    if (!isButton || attributes.type === 'hidden' || found.length > 50) continue
    const label = labelOf(scene, element)
    if (
      label !== '' &&
      label.length <= 60 &&
      buyWords.test(label) &&
      !scene.isHidden(element) &&
      !scene.standsAside(element)
    )
      found.push(element)
    else if (
      /\badd-?to-?(cart|bag|basket)\b|\bbuy-?(now|button)\b/.test(scene.wordsOf(element)) &&
      !scene.isHidden(element) &&
      !scene.standsAside(element)
    )
      found.push(element)
  }
  return found
}

export const labelOf = ({ markup }: Scene, element: MarkupElement): string => {
  const { value, title, 'aria-label': label } = element.attributes
  return textOf(markup, element, 100) || value || label || title || ''
}

export const isDisabled = (element: MarkupElement, words: string): boolean =>
  element.attributes.disabled !== undefined ||
  element.attributes['aria-disabled'] === 'true' ||
  /(?:^|[\s_-])(disabled|sold-?out|out-?of-?stock|unavailable)(?:$|[\s_-])/.test(words)

/** The nearest element around the node, or the node itself, that matches. */
export function nearest(
  node: MarkupElement | MarkupText,
  most: number,
  fits: (element: MarkupElement) => boolean,
): MarkupElement | undefined {
  if (!('text' in node) && fits(node)) return node
  for (const element of around(node, most)) if (fits(element)) return element
  return undefined
}
