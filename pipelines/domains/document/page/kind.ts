/** The kind of a page, by its markup, its metadata and its address. */

import type { DomDocument } from './dom.ts'
export type PageKind = 'article' | 'forum' | 'product' | 'other'

const forumSoftware =
  /\b(?:vbulletin|xenforo|phpbb|discourse|smf|simple machines|mybb|invision|ip\.?board|flarum|vanilla|nodebb|fluxbb|punbb|woltlab|burning board|lemmy|bbpress)\b/i
const forumNames =
  /\b(?:postbody|post_body|message-body|message-content|messageText|postcontent|post_message|postrow|topic-body|thread-post|bbWrapper|js-post__content|cPost|ipsComment|answercell|comment-tree|commtext)\b/
const forumPath =
  /\/(?:forums?|threads?|topics?|viewtopic|showthread|showtopic|discussions?|questions|boards?|community|comments|t)(?:[/.?-]|$)|[?&](?:tid|topic|thread|t)=\d|\/\/(?:forums?|community|discuss|boards?|talk)\./i

export function kindOf(document: DomDocument, url: string | undefined): PageKind {
  const types = declaredTypes(document)
  const meta = (name: string) =>
    document.querySelector(`meta[name="${name}"], meta[property="${name}"]`)?.getAttribute('content') ?? ''
  if (types.some(type => /DiscussionForumPosting|QAPage/.test(type))) return 'forum'
  const posts = countOf(document, forumNames)
  if (posts >= 2 || forumSoftware.test(meta('generator'))) return 'forum'
  if (url && forumPath.test(url) && posts >= 1) return 'forum'
  if (types.some(type => /^Product(?:Group)?$/.test(type)) || /^(?:og:)?product/.test(meta('og:type')))
    return 'product'
  if (types.some(type => /Article$|BlogPosting|Report$/.test(type)) || /^article$/.test(meta('og:type')))
    return 'article'
  return 'other'
}

/** The types that the page declares for itself in JSON-LD and in microdata. */
function declaredTypes(document: DomDocument): string[] {
  const scripts = [...document.querySelectorAll('script[type="application/ld+json"]')].slice(0, 20)
  const written = scripts.flatMap(script => [
    ...(script.textContent ?? '').slice(0, 200_000).matchAll(/"@type"\s*:\s*(?:\[\s*)?"([^"]{1,60})"/g),
  ])
  const items = [...document.querySelectorAll('[itemtype]')].slice(0, 50)
  return [
    ...written.map(([, type = '']) => type),
    ...items.map(item => (item.getAttribute('itemtype') ?? '').split('/').at(-1) ?? ''),
  ]
}

function countOf(document: DomDocument, names: RegExp): number {
  let count = 0
  for (const element of document.querySelectorAll('[class]')) {
    if (names.test(element.getAttribute('class') ?? '')) count += 1
    if (count >= 2) break
  }
  return count
}
