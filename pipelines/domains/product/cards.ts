/** Recognises a list of products by its cards: the same box many times, each with a price and a link to another page. */
import { around, type MarkupElement, type MarkupText } from './markup.ts'
import type { Scene } from './scene.ts'

interface Priced {
  node: MarkupText | MarkupElement
  box: MarkupElement
}

const mostLooked = 60
const mostNodes = 400

/** Counts the boxes with the same form as that of the chosen price that link to pages of their own. */
export function cardsLike(chosen: Priced, all: readonly Priced[], scene: Scene): number {
  const form = formOf(chosen, scene)
  const alike = all.filter(each => formOf(each, scene) === form && !scene.standsAside(each.node))
  if (alike.length < 4) return 0
  const links = new Set(alike.slice(0, mostLooked).map(each => linkOf(each, scene)))
  links.delete(undefined)
  return linkOf(chosen, scene) === undefined ? 0 : links.size
}

const formOf = ({ box }: Priced, { wordsOf }: Scene): string =>
  [box, box.parent, box.parent?.parent].map(each => each && `${each.name} ${wordsOf(each)}`).join('|')

/** The link of the card around the price. Undefined if it is in no card. */
function linkOf({ node }: Priced, { markup, url, h1 }: Scene): string | undefined {
  for (const up of around(node, 8)) {
    if (h1 && h1.at >= up.at && h1.at < up.end) return undefined
    if (up.end - up.at > mostNodes) return undefined
    const link = linkIn(up, markup.nodes, url)
    if (link !== undefined) return link
  }
  return undefined
}

function linkIn(element: MarkupElement, nodes: Scene['markup']['nodes'], url: URL): string | undefined {
  for (let i = element.at; i < element.end; i++) {
    const node = nodes[i] as MarkupElement | MarkupText
    if ('text' in node || node.name !== 'a') continue
    const { href } = node.attributes
    if (href === undefined || /^(#|javascript:)/i.test(href) || !URL.canParse(href, url)) continue
    const { pathname, hostname } = new URL(href, url)
    if (pathname !== url.pathname) return hostname + pathname
  }
  return undefined
}
