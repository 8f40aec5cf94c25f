/** Recognises a page with little text before its scripts have run. */
import { visibleOf } from './visible.ts'

/** The element that frameworks for script-made pages fill. */
const rootTag = /<(div|main|section|app-root)(?=[\s>])/gi
const rootId = /id=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|mount|main-app|react-root|q-app)["']?/i
const mostOfTag = 400
const betweenTags = /\s*(?:<!--[^>]{0,200}-->\s*)*/y
const mostBetween = 1_000

const noScript = /<noscript[^>]{0,100}>/gi
const asks = /(enable|activate|requires?|turn on|need)[^<]{0,60}java\s?script/i
const mostOfNotice = 2_000
const hasScript = /<script\b/i

const littleLetters = 200
const someLetters = 1000
/** A page with more text than this is not thin, whatever its elements are called. */
const lookedAt = 20_000

export function isThin(html: string): boolean {
  if (!hasScript.test(html)) return false
  const { text } = visibleOf(html, lookedAt)
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  if (letters < littleLetters) return true
  return letters < someLetters && (hasEmptyRoot(html) || asksForScripts(html))
}

function hasEmptyRoot(html: string): boolean {
  for (const { 0: begin, 1: name = '', index } of html.matchAll(rootTag)) {
    const tag = html.slice(index, index + begin.length + mostOfTag)
    const end = tag.indexOf('>')
    if (end < 0 || !(name.toLowerCase() === 'app-root' || rootId.test(tag.slice(0, end)))) continue
    const rest = html.slice(index + end + 1, index + end + 1 + mostBetween)
    betweenTags.lastIndex = 0
    betweenTags.test(rest)
    const close = `</${name}>`
    if (rest.slice(betweenTags.lastIndex).slice(0, close.length).toLowerCase() === close.toLowerCase())
      return true
  }
  return false
}

/** Looks at each notice once, however many begin inside it. */
function asksForScripts(html: string): boolean {
  noScript.lastIndex = 0
  for (let found = noScript.exec(html); found; found = noScript.exec(html)) {
    const at = noScript.lastIndex
    const notice = html.slice(at, at + mostOfNotice)
    const end = notice.search(/<\/noscript/i)
    if (asks.test(end < 0 ? notice : notice.slice(0, end))) return true
    noScript.lastIndex = at + (end < 0 ? mostOfNotice : end)
  }
  return false
}
