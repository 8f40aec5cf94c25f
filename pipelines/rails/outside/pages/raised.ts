/** Writes a superscript or a subscript of a static page as text, so that no number changes. */
import { decodeHTML } from 'entities/decode'
import { fractionText, longestScript, scriptText } from '../../formats/scripts.ts'

/** The limits of the markup of one script, and of the text after it. */
const [mostMarkup, mostAfter] = [600, 120]
/** A style that raises or lowers. */
export const shifts = /vertical-align\s{0,3}:\s{0,3}(super|sub)\b/i
const tags = /<[^<>]*>/g
const leadsToNote = /\shref\s*=\s*["']?[^"'\s#]{0,300}#|(?:foot-?note|note-?ref|reference|\bcite)/i
const under = /^\s*(?:\/|⁄|&frasl;|&#8260;)\s*<sub(?:\s[^<>]{0,100})?>\s*(\d{1,4})\s*<\/sub>/i

interface Raised {
  text: string
  /** The place after the script. */
  at: number
}

/** `tag` is the content of its start tag, `from` the place after the tag. Undefined if it is not an exponent. */
export function raisedIn(html: string, tag: string, from: number, before: string): Raised | undefined {
  const name = /^[a-z][a-z\d]{0,20}/i.exec(tag)?.[0].toLowerCase() ?? ''
  const kind =
    name === 'sup' || (name !== 'sub' && /super/i.test(shifts.exec(tag)?.[0] ?? '')) ? 'sup' : 'sub'
  const markup = html.slice(from, from + mostMarkup)
  const end = markup.toLowerCase().indexOf(`</${name}>`)
  const inside = markup.slice(0, Math.max(0, end))
  if (
    end < 0 ||
    inside.toLowerCase().includes(`<${name}`) ||
    /<(?:su[bp]|div|p|br|li|t[dhr])\b/i.test(inside)
  )
    return undefined
  const text = decodeHTML(inside.replace(tags, '')).trim()
  const at = from + end + name.length + 3
  if (!text || text.length > longestScript) return undefined
  const following = html.slice(at, at + mostAfter)
  const fraction = kind === 'sup' && /^\d{1,4}$/.test(text) ? under.exec(following) : null
  if (fraction)
    return { text: fractionText(text, fraction[1] as string, before), at: at + fraction[0].length }
  const after = decodeHTML(following.replace(tags, '')).slice(0, 4)
  const isNote = leadsToNote.test(tag) || leadsToNote.test(inside)
  return { text: scriptText({ kind, text, before, after, isNote }), at }
}
