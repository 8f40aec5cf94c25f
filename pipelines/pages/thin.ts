/** Tells a page that says little before its scripts have run. */
import { visibleOf } from '../web/visible.ts'

/** The element that the frameworks of script-made pages fill. */
const emptyRoot =
  /<(div|main|section|app-root)\b[^>]{0,200}?(?:id=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|mount|main-app|react-root|q-app)["']?)[^>]{0,200}>\s*(?:<!--[^>]{0,200}-->\s*)*<\/\1>|<app-root[^>]{0,200}>\s*<\/app-root>/i
const asksForScripts =
  /<noscript[^>]{0,100}>(?:(?!<\/noscript)[\s\S]){0,2000}?(enable|activate|requires?|turn on|need)[^<]{0,60}java\s?script/i
const hasScript = /<script\b/i

const littleLetters = 200
const someLetters = 1000
/** More than this much text is no thin page, whatever its elements are called. */
const lookedAt = 20_000

export function isThin(html: string): boolean {
  if (!hasScript.test(html)) return false
  const { text } = visibleOf(html, lookedAt)
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  if (letters < littleLetters) return true
  return letters < someLetters && (emptyRoot.test(html) || asksForScripts.test(html))
}
