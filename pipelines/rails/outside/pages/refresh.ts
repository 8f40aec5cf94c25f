/** Where a page without a text of its own sends its reader. */
import { attribute, visibleOf } from './visible.ts'

const lookedAt = 20_000
/** A page with more text is one, and says what it has to say. */
const mostLetters = 600
const mostSeconds = 10

export function refreshOf(html: string): string | undefined {
  for (const [tag] of html.slice(0, lookedAt).matchAll(/<meta\s[^<>]{0,2500}>/gi)) {
    if (!/^refresh$/i.test((attribute(tag, 'http-equiv') ?? '').trim())) continue
    const [, seconds = '', url = ''] =
      /^\s*(\d{1,4})(?:\.\d{0,3})?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']{1,2048})/i.exec(
        attribute(tag, 'content') ?? '',
      ) ?? []
    if (!url.trim() || Number(seconds) > mostSeconds) return undefined
    const { text } = visibleOf(html, lookedAt)
    return (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < mostLetters ? url.trim() : undefined
  }
  return undefined
}
