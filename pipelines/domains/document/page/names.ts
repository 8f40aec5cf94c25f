/** The names of an element, from its own tag, its classes and its id, and their meaning. */
import type { DomElement } from './dom.ts'

export const namesOf = (element: DomElement): string[] =>
  `${ownTag(element)} ${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`
    .slice(0, 600)
    .split(/\s+/)
    // Utility class names describe the look: `md:hidden`, `w-[50%]`.
    .filter(name => name && !/[:[\]/!]/.test(name))

/** A custom element has its name in its tag: `cart-drawer`. */
const ownTag = ({ tagName }: DomElement): string => (tagName.includes('-') ? tagName : '')

export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)

export const listOf = (text: string): Set<string> => new Set(text.split(/\s+/))

/** Parts of pages: `cookie-banner` and `share-tools` are not texts about cookies and shares. */
const furniture = listOf(
  `above accept actions ad ads agreement aligncenter all amp animation app archive area article articles aside author avatar
  background banner bar bars base below bg block blocks blog body border bottom box boxes break btn btns button buttons call card
  cards carousel center circle click close col cols column columns comment comments compact component components conditional consent
  container containers content contents control controls count counter cta custom dark data default desktop details dialog disclaimer
  disclosure div dropdown element elements email embed end entries entry even facebook feed field fieldset fields fixed flex floating
  follow foot footer form forms frame full global gallery grid group groups head header heading hidden holder horizontal html icon
  icons image images img info inline inner input instagram item items js label labels large layout layer left light line link
  linkedin links list listing lists load loop main manager map mark media medium menu message messages meta mobile module modules
  more msg nav navigation news newsletter next node none note notice odd off one open option options outer overlay pad page pager
  pages pane panel part parts pinterest placeholder placement plugin point policy pop popup portlet post posts preferences prev
  primary print prompt reader reading region right root round rounded row rows script scroll search secondary section sections
  separator settings sidebar sign signup single site slide slider slot small social socials spacing sponsor sticky stories story
  style sub subscribe tab tabs tag tags target teaser teasers template text theme thumb thumbnail title titles to toggle tool
  toolbar tools top topic topics tray tweet twitter two type unit up upper url vertical video videos view views warning whatsapp
  widget widgets wrap wrapper wrappers zone`,
)

/**
 * The last word of a name is its subject: a `share-price` is a price, and `related-work` is work. It must be neither
 * a part of a page nor a piece of one.
 */
export function isOfSubject(name: string, after: number): boolean {
  return wordsOf(name.slice(after)).some(word => word.length >= 4 && !furniture.has(word))
}
