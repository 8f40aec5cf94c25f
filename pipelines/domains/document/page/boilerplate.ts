/** Recognises the surroundings of the content: navigation, banners, offers, notices. It uses element, role and name. */
import type { DomDocument, DomElement } from './dom.ts'
import type { PageKind } from './kind.ts'
import { isOfSubject, listOf, namesOf, wordsOf } from './names.ts'
import type { Size } from './sizes.ts'

const roles =
  /^(?:navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar|toolbar|tablist|status|alert)$/
const surroundingTags = /^(?:NAV|FOOTER|ASIDE|DIALOG|MENU|BUTTON|LABEL|SEARCH)$/
/** They are parts of the content, or contain all of it. */
const contentTags = /^(?:HTML|BODY|MAIN|ARTICLE|H1|H2|A|TR|TBODY|EM|STRONG|B|I|CODE|PRE)$/

/** An element with such a name is not content, even if it has sentences. */
const strongWords = listOf(
  `sidebar sidebars footer breadcrumb breadcrumbs crumb crumbs cookie cookies consent gdpr ccpa onetrust
  share sharing sharethis addtoany addthis newsletter newsletters related recommended recommendation recommendations
  popup popups modal modals lightbox offcanvas advert adverts advertisement advertisements ads adsense adslot
  sponsored pagination pager paginator skiplink login signin copyright colophon disclaimer outbrain taboola
  screenreader noprint minicart`,
)
/** An element with such a name is not content unless it has sentences. */
const weakWords = listOf(
  `nav navbar navigation navigations subnav topnav sidenav menu menus submenu megamenu masthead toolbar social socials
  follow subscribe subscription signup overlay sponsor promo promos promotion promotions tags tagcloud byline
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
/** The least prose of an element that is named after its subject. */
const leastProse = 60

/** Content never has such a name, whatever its length. */
const outsideWords = listOf('footer modal modals popup popups flyout cookie cookies consent gdpr onetrust')

const isOutside = (element: DomElement, kind: PageKind): boolean =>
  /^(?:FOOTER|DIALOG)$/.test(element.tagName.toUpperCase()) ||
  namesOf(element)
    .flatMap(wordsOf)
    .some(word => outsideWords.has(word) || (kind === 'product' && reviewWords.test(word)))

/** Tabs and accordions hide content until a click. Only short hidden elements are not content. */
function isHidden(element: DomElement, size: Size): boolean {
  const style = element.getAttribute('style') ?? ''
  const hidden =
    element.hasAttribute('hidden') || /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
  return hidden && size.prose < sentences
}

/** A post of somebody, in the frame that a site gives it: a quotation with sentences, and little beside it. */
export function isPost(element: DomElement, { chars, prose }: Size): boolean {
  if (prose < leastPost || chars > mostPost) return false
  const [quote, ...more] = element.querySelectorAll('blockquote')
  return quote !== undefined && more.length === 0 && (quote.textContent?.length ?? 0) > chars * 0.8
}
const [leastPost, mostPost] = [60, 1_500]

/** What programs for consent put on a page. Their texts may be longer than an article. */
const consent = [
  ...[
    '#onetrust-consent-sdk',
    '#onetrust-banner-sdk',
    '#onetrust-pc-sdk',
    '#CybotCookiebotDialog',
    '#didomi-host',
  ],
  ...[
    '#usercentrics-root',
    '#usercentrics-cmp-ui',
    '#cookie-law-info-bar',
    '#cookiescript_injected',
    '#iubenda-cs-banner',
  ],
  ...[
    '#truste-consent-track',
    '#qc-cmp2-container',
    '#cmplz-cookiebanner-container',
    '#termly-code-snippet-support',
  ],
  ...['[id^="sp_message_container"]', '.osano-cm-window', '.cky-consent-container', '.fc-consent-root'],
].join(',')

export function withoutConsent(document: DomDocument): void {
  for (const element of document.querySelectorAll(consent)) element.remove()
}

interface Surroundings {
  size: Size
  /** The text of the whole page. */
  page: Size
  /** On a discussion page, the comments are the content. On a product page, the texts of buyers are not. */
  kind: PageKind
}

export function isBoilerplate(element: DomElement, { size, page, kind }: Surroundings): boolean {
  if (isHidden(element, size)) return true
  const tag = element.tagName.toUpperCase()
  if (contentTags.test(tag)) return false
  // An element with much of the prose is the content, whatever its name; with the name of a footer, it must have
  // almost all.
  const isMuch = size.prose > 400 && size.prose > page.prose * 0.4
  if (isMuch && (size.prose > page.prose * 0.8 || !isOutside(element, kind))) return false
  if (surroundingTags.test(tag)) return true
  if (isPost(element, size)) return false
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
  // A list that fills a whole page is not a bar and not a form.
  if (size.prose >= sentences || size.chars > page.chars * 0.5) return false
  return weakPhrases.test(name) || words.some(word => weakWords.has(word))
}

/** The place after the words that mark the name as surroundings. */
function strongEnd(name: string, words: readonly string[]): number | undefined {
  const phrase = strongPhrases.exec(name)
  const word = words.findLast(each => strongWords.has(each))
  if (!phrase && word === undefined) return undefined
  const ofWord = word === undefined ? 0 : name.toLowerCase().lastIndexOf(word) + word.length
  return Math.max(ofWord, phrase ? phrase.index + phrase[0].length : 0)
}

/** It has sentences, and its name is their subject. */
export function isSubject(name: string, { prose, chars, linked }: Size): boolean {
  if (prose < leastProse || linked > chars * 0.3) return false
  const end = strongEnd(name, wordsOf(name))
  return end !== undefined && isOfSubject(name, end)
}

/** The header of a page, not of a section. */
function isBanner(element: DomElement, { links, prose }: Size): boolean {
  if (links >= 5 && prose < sentences) return true
  for (let above = element.parentElement; above; above = above.parentElement)
    if (/^(?:MAIN|ARTICLE|SECTION)$/.test(above.tagName.toUpperCase())) return false
  return prose < 200
}
