/** Tells what surrounds the content of a page: navigation, banners, offers, notices. It goes by element, role and name. */
import type { DomElement } from './dom.ts'
import type { PageKind } from './kind.ts'
import { isOfSubject, listOf, namesOf, wordsOf } from './names.ts'
import type { Size } from './sizes.ts'

const roles =
  /^(?:navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar|toolbar|tablist|status|alert)$/
const surroundingTags = /^(?:NAV|FOOTER|ASIDE|DIALOG|MENU|BUTTON|LABEL|SEARCH)$/
/** They are parts of the content itself, or hold all of it. */
const contentTags = /^(?:HTML|BODY|MAIN|ARTICLE|H1|H2|A|TR|TBODY|EM|STRONG|B|I|CODE|PRE)$/

/** What has such a name is no content, even with sentences in it. */
const strongWords = listOf(
  `sidebar sidebars footer breadcrumb breadcrumbs crumb crumbs cookie cookies consent gdpr ccpa onetrust
  share sharing sharethis addtoany addthis newsletter newsletters related recommended recommendation recommendations
  popup popups modal modals lightbox offcanvas advert adverts advertisement advertisements ads adsense adslot
  sponsored pagination pager paginator skiplink login signin copyright colophon disclaimer outbrain taboola
  screenreader noprint minicart`,
)
/** What has such a name is no content, as long as there are no sentences in it. */
const weakWords = listOf(
  `nav navbar navigation navigations subnav topnav sidenav menu menus submenu megamenu masthead toolbar social socials
  follow subscribe subscription signup overlay drawer sponsor promo promos promotion promotions tags tagcloud byline
  banner banners widget widgets toast tooltip dropdown accessibility trending popular bookmark print rss skip
  bar form forms filter filters facets cart flyout controls actions`,
)
const strongPhrases =
  /skip-?(?:to|link)|you-?(?:may|might)|also-?like|site-?(?:header|footer|nav)|global-?(?:header|footer|nav)|back-?to-?top|author-?(?:bio|box|info|card)|about-?(?:the-)?author|post-?(?:nav|tags|share)|entry-?(?:footer|utility)|sign-?(?:up|in)\b|log-?in\b|sr-only|visually-?hidden|screen-?reader|jp-relatedposts|wp-block-latest|mailing-?list|cart-?drawer|(?:rollover|popover|hover)-?(?:[a-z]+-)?(?:block|box|card|content)/i
const weakPhrases =
  /read-?(?:more|next|also)|more-?(?:stories|posts|articles|news|from)|top-?bar|post-?(?:meta|footer)|entry-?meta|table-?of-?contents|call-?to-?action/i
const commentWords = /^(?:comment|comments|commentlist|disqus|respond)$/
const reviewWords = /^reviews$/

const sentences = 300
/** What is called after its subject has so much prose at least. */
const leastProse = 100

/** No content is called so, however long it is. */
const outsideWords = listOf('footer modal modals popup popups flyout cookie cookies consent gdpr onetrust')

const isOutside = (element: DomElement, kind: PageKind): boolean =>
  /^(?:FOOTER|DIALOG)$/.test(element.tagName.toUpperCase()) ||
  namesOf(element)
    .flatMap(wordsOf)
    .some(word => outsideWords.has(word) || (kind === 'product' && reviewWords.test(word)))

/** Tabs and accordions hide what a click shows, and that is content: only what is hidden and short is none. */
function isHidden(element: DomElement, size: Size): boolean {
  const style = element.getAttribute('style') ?? ''
  const hidden =
    element.hasAttribute('hidden') || /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
  return hidden && size.prose < sentences
}

interface Surroundings {
  size: Size
  /** The text of the whole page. */
  page: Size
  /** On a page of a discussion, the comments are the content. On that of a product, what buyers wrote is not. */
  kind: PageKind
}

export function isBoilerplate(element: DomElement, { size, page, kind }: Surroundings): boolean {
  if (isHidden(element, size)) return true
  const tag = element.tagName.toUpperCase()
  if (contentTags.test(tag)) return false
  // What holds much of the prose is the content, whatever it is called: nearly all of it, where it is called a footer.
  const isMuch = size.prose > 400 && size.prose > page.prose * 0.4
  if (isMuch && (size.prose > page.prose * 0.8 || !isOutside(element, kind))) return false
  if (surroundingTags.test(tag)) return true
  if (tag === 'HEADER') return isBanner(element, size)
  if (tag === 'FORM') return size.prose < page.prose * 0.2
  if (roles.test((element.getAttribute('role') ?? '').toLowerCase())) return true
  return namesOf(element).some(name => isSurrounding(name, { size, page, kind }))
}

function isSurrounding(name: string, { size, page, kind }: Surroundings): boolean {
  const words = wordsOf(name)
  if (strongEnd(name, words) !== undefined && !isSubject(name, size)) return true
  if (kind !== 'forum' && words.some(word => commentWords.test(word))) return true
  if (kind === 'product' && words.some(word => reviewWords.test(word))) return true
  // A list of a whole page is no bar and no form.
  if (size.prose >= sentences || size.chars > page.chars * 0.5) return false
  return weakPhrases.test(name) || words.some(word => weakWords.has(word))
}

/** Where the words end that call it no content. */
function strongEnd(name: string, words: readonly string[]): number | undefined {
  const phrase = strongPhrases.exec(name)
  const word = words.findLast(each => strongWords.has(each))
  if (!phrase && word === undefined) return undefined
  const ofWord = word === undefined ? 0 : name.toLowerCase().lastIndexOf(word) + word.length
  return Math.max(ofWord, phrase ? phrase.index + phrase[0].length : 0)
}

/** It has sentences, and is called after what they are about. */
export function isSubject(name: string, { prose, chars, linked }: Size): boolean {
  if (prose < leastProse || linked > chars * 0.3) return false
  const end = strongEnd(name, wordsOf(name))
  return end !== undefined && isOfSubject(name, end)
}

/** The header of a page, and not that of a section. */
function isBanner(element: DomElement, { links, prose }: Size): boolean {
  if (links >= 5 && prose < sentences) return true
  for (let above = element.parentElement; above; above = above.parentElement)
    if (/^(?:MAIN|ARTICLE|SECTION)$/.test(above.tagName.toUpperCase())) return false
  return prose < 200
}
