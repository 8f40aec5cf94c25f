/** The visible facts of a page about its product. */
import { type Facts, type ProductOffer, stated } from './facts.ts'
import { chosenImages } from './images.ts'
import { metaText } from './meta.ts'
import { type AllLabelled, allLabelled, attributed, idInUrl, labelled, namedId } from './page-labels.ts'
import { shownPrices } from './page-price.ts'
import { shownState } from './page-stock.ts'
import type { Scene } from './scene.ts'
import { likeness, plainDescription, plainText } from './texts.ts'

export interface ShownFacts {
  facts: Facts
  /** The weight of the evidence for the price. */
  pricePoints: number
  /** Whether it has a buy button. */
  isForSale: boolean
  /** The number of product cards around the price. */
  cards: number
  /** Every visible amount, with the weight of the evidence for it. */
  amounts: ReadonlyMap<string, number>
  /** The amounts that it shows as prices of the past beside its price, and nowhere else. */
  pastAmounts: ReadonlySet<string>
  /** What it prints under labels. */
  codes: AllLabelled
}

/** From this weight on, a price is likely to belong to the product. */
export const surePoints = 8

export function shownFacts(scene: Scene, pricesOfState: ReadonlySet<string>): ShownFacts {
  const { meta } = scene
  const { best, amounts, pastAmounts } = shownPrices(scene, pricesOfState)
  const availability = shownState(scene)
  // A sold-out page often shows the price of another product.
  const isSoldOut = availability === 'OutOfStock' && scene.buttons.length === 0
  const shown = isSoldOut && (best?.points ?? 0) < surePoints ? undefined : best
  const marked = attributed(scene)
  const codes = allLabelled(scene)
  const said = labelled(codes, scene.url)
  const offer = stated<ProductOffer>({
    kind: 'one',
    price: shown?.price.value,
    currency: shown?.price.currency?.code,
    availability,
  })
  const doubts = shown?.price.currency?.bySign
    ? [shown.price.currency.code ? ('currency_from_symbol' as const) : ('currency_unclear' as const)]
    : undefined
  return {
    facts: stated<Facts>({
      name: nameOf(scene),
      description: plainDescription(metaText(meta, 'og:description', 'description')),
      sku: marked.sku ?? said.sku ?? namedId(scene) ?? idInUrl(scene.url),
      gtin: marked.gtin ?? said.gtin,
      mpn: marked.mpn ?? said.mpn,
      brand: marked.brand ?? said.brand ?? plainText(metaText(meta, 'brand')),
      images: imagesOf(scene),
      offers: Object.keys(offer).length > 1 ? offer : undefined,
      doubts,
    }),
    pricePoints: shown?.points ?? 0,
    isForSale: scene.buttons.length > 0,
    cards: shown?.cards ?? 0,
    amounts,
    pastAmounts,
    codes,
  }
}

function nameOf({ heading, title, meta }: Scene): string | undefined {
  const shared = plainText(metaText(meta, 'og:title', 'twitter:title'))
  const name = plainText(heading)
  if (name && (likeness(name, title) > 0.3 || likeness(name, shared) > 0.3 || (!title && !shared)))
    return name
  const [first] = plainText(title)?.split(/(?<!\s)\s+[|–—:-]+\s+/) ?? []
  return shared ?? name ?? first
}

function imagesOf({ meta, markup, h1, ...scene }: Scene): string[] | undefined {
  const shared = [
    ...(meta.get('og:image') ?? []),
    ...(meta.get('og:image:secure_url') ?? []),
    ...(meta.get('twitter:image') ?? []),
  ]
  const marked = markup.elements
    .filter(
      ({ name, attributes }) =>
        (name === 'img' || name === 'link') &&
        (attributes.itemprop === 'image' || attributes.rel === 'image_src'),
    )
    .flatMap(({ attributes: { src, href, ...more } }) => [more['data-zoom-image'], src, href])
  const near = markup.elements
    .filter(
      element =>
        element.name === 'img' &&
        h1 !== undefined &&
        Math.abs(element.at - h1.at) < 600 &&
        isLarge(element.attributes) &&
        !scene.standsAside(element),
    )
    .slice(0, 10)
    .flatMap(({ attributes: { src, ...more } }) => [more['data-zoom-image'], more['data-src'], src])
  const images = chosenImages([...shared, ...marked, ...near].filter(url => url !== undefined))
  return images.length ? images : undefined
}

const isLarge = ({ width, height }: Readonly<Record<string, string>>): boolean =>
  Number.parseInt(width ?? '', 10) >= 250 || Number.parseInt(height ?? '', 10) >= 250
