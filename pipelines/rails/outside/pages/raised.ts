/** Writes a superscript or a subscript of a static page as text, so that no number changes. */
import { decodeHTML } from 'entities/decode'
import { fractionText, longestScript, scriptText } from '../../formats/scripts.ts'
import { raisedMark } from './marked.ts'
import { type Declarations, declarationsIn, judgedNames } from './style-rules.ts'

/** The limits of the markup of one script, and of the text after it. */
const [mostMarkup, mostAfter] = [600, 120]
const tags = /<[^<>]*>/g
const leadsToNote = /\shref\s*=\s*["']?[^"'\s#]{0,300}#|(?:foot-?note|note-?ref|reference|\bcite)/i
const under = /^\s*(?:\/|⁄|&frasl;|&#8260;)\s*<sub(?:\s[^<>]{0,100})?>\s*(\d{1,4})\s*<\/sub>/i

export interface Shift {
  kind: 'sup' | 'sub'
  /** Otherwise it may be a badge or a picture, and only a number counts. */
  isSure: boolean
}

/** A style raises by name, or sets smaller letters higher or lower. */
function shiftBy(style: Declarations): Shift | undefined {
  const align = style.get('vertical-align') ?? ''
  if (align === 'super' || align === 'sub') return { kind: align === 'sub' ? 'sub' : 'sup', isSure: true }
  if (!isSmaller(style.get('font-size') ?? '')) return undefined
  const isRelative = style.get('position') === 'relative'
  const [top, bottom] = ['top', 'bottom'].map(side => (isRelative ? lengthIn(style.get(side) ?? '') : 0))
  const height = lengthIn(align) || -(top ?? 0) || (bottom ?? 0)
  if (height > 0 || /^(?:text-)?top$/.test(align)) return { kind: 'sup', isSure: false }
  return height < 0 || align === 'text-bottom' ? { kind: 'sub', isSure: false } : undefined
}

function isSmaller(size: string): boolean {
  const [, number = '', unit = ''] = /^(\d{0,3}\.?\d{0,4})(r?em|%|px|pt)$/.exec(size) ?? []
  const most = { em: 0.9, rem: 0.9, '%': 90, px: 12, pt: 9 }[unit] ?? 0
  return /^(?:smaller|x{1,2}-small)$/.test(size) || (number !== '' && Number(number) <= most)
}

const lengthIn = (text: string): number =>
  Number(/^(-?\d{0,3}\.?\d{0,4})(?:px|pt|r?em|ex|%)$/.exec(text)?.[1] ?? 0) || 0

type ShiftNames = ReadonlyMap<string, Shift>

/** The classes and ids that raise or lower. */
export const shiftNamesIn = (html: string): ShiftNames => judgedNames(html, shiftBy, { anywhere: true })

const mayShift =
  /^su[bp]$|^su[bp]\s|vertical-align|position\s{0,3}:\s{0,3}relative|superscript|subscript|\bsup\b/i
const isNamed = /\s(?:class|id)\s*=/i
/** It has a line of its own, or it is no text. */
const unshifted = /^(?:t[dh]|tr|div|p|li|img|svg|h[1-6]|i?frame|input|button)\b/i

/** `tag` is the inside of a start tag. */
export function shiftOfTag(
  tag: string,
  attribute: (tag: string, name: string) => string | undefined,
  names: ShiftNames,
): Shift | undefined {
  if (unshifted.test(tag) || !(mayShift.test(tag) || (names.size > 0 && isNamed.test(tag)))) return undefined
  const name = /^[a-z][a-z\d]{0,20}/i.exec(tag)?.[0].toLowerCase() ?? ''
  return shiftOf(name, of => (tag.includes(of) ? attribute(tag, of) : undefined), names)
}

const mostClasses = 40

/** By its name, its style, or a class whose style, or whose name alone, says so. */
export function shiftOf(
  name: string,
  get: (attribute: string) => string | null | undefined,
  names: ShiftNames,
): Shift | undefined {
  if (name === 'sup' || name === 'sub') return { kind: name, isSure: true }
  const marked = get(raisedMark)
  if (marked === 'sup' || marked === 'sub') return { kind: marked, isSure: true }
  const style = get('style')
  const own = style ? shiftBy(declarationsIn(style)) : undefined
  if (own) return own
  const classes = (get('class') ?? '').slice(0, 600).split(/\s+/, mostClasses)
  const rule = classes.map(each => names.get(`.${each}`)).find(Boolean) ?? names.get(`#${get('id') ?? ''}`)
  if (rule) return rule
  if (classes.some(each => /^sup(?:erscript)?$/i.test(each))) return { kind: 'sup', isSure: false }
  return classes.some(each => /^subscript$/i.test(each)) ? { kind: 'sub', isSure: false } : undefined
}

/** Whether a text is raised or lowered, if only its place says so. */
export const isScriptBeside = (text: string, before: string): boolean =>
  /^[-−+.,]?\d{1,4}[*†‡]?$/.test(text.trim()) && /[\p{L}\p{N}.,)\]%]$/u.test(before)

interface Raised {
  text: string
  /** The place after the script. */
  at: number
}

/** `tag` is the content of its start tag, `from` the place after the tag. Undefined if it is not an exponent. */
export function raisedIn(
  html: string,
  tag: string,
  { from, before, shift }: { from: number; before: string; shift: Shift },
): Raised | undefined {
  const markup = html.slice(from, from + mostMarkup)
  if (!markup.includes('</')) return undefined
  const name = /^[a-z][a-z\d]{0,20}/i.exec(tag)?.[0].toLowerCase() ?? ''
  const { kind, isSure } = shift
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
  if (!text || text.length > longestScript || !(isSure || isScriptBeside(text, before))) return undefined
  const following = html.slice(at, at + mostAfter)
  const fraction = kind === 'sup' && /^\d{1,4}$/.test(text) ? under.exec(following) : null
  if (fraction)
    return { text: fractionText(text, fraction[1] as string, before), at: at + fraction[0].length }
  const after = decodeHTML(following.replace(tags, '')).slice(0, 4)
  const isNote = leadsToNote.test(tag) || leadsToNote.test(inside)
  return { text: scriptText({ kind, text, before, after, isNote }), at }
}
