/**
 * Writes superscripts and subscripts into a line of text, where they would otherwise change a number: `10` and `6`
 * are `10^6`, never `106`. A look backwards reads only a short end of the text.
 */

interface Script {
  kind: 'sup' | 'sub'
  /** The text inside the script. */
  text: string
  /** The end of the text before it, in the same block. `mostBefore` letters are enough. */
  before: string
  /** The beginning of the text after it. Two letters are enough. */
  after: string
  /** It links to a note, or its markup calls it one. */
  isNote: boolean
}

export const mostBefore = 40
/** A longer script is not an exponent, but a text in small letters. */
export const longestScript = 60

/** The reader takes these as a part of the word or the number before them. */
const plain =
  /^(?:st|nd|rd|th|er|re|ère|ème|eme|nde|de|es|mo|ma|to|ta|me|lle|mme|gr|ter|bis|º|ª|°|tm|sm|mc|md|™|®|©|℠|[$€£¥¢₹₽₩%‰]|[.,]\d{1,3}|['′″"]{1,2})$/i
/** After a number these are a rank: `19e`, `1o`. After anything else they are an exponent. */
const rank = /^[eoa]$/
const noteMark =
  /^(?:\[[^\]]{1,30}\]|\(?(?:note\s*)?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\)?|[*†‡§¶#]{1,4}|[a-z])$/i
/** What may follow a degree sign: a temperature scale, or a direction of the compass. */
const degrees = /^\s?[CFNSEW](?![a-z\d])/
const digits = /^\d{1,3}$/
const price = /(?:[$€£¥₹₽₩]|\b(?:USD|EUR|GBP|CHF|CAD|AUD))\s?\d{1,3}(?:[,.' ]?\d{3}){0,3}$/
const currencyAfter = /^\s?[€$£¥₹₽₩]/
/** A year, a number with separators and a percentage are never the base of a power. */
const noBase = /(?:^|[^\d.,])(?:1[5-9]\d\d|20\d\d)$|\d[,.]\d{3}$|[%‰]$/
const unit =
  /(?:^|[\s\d([/·⋅*×.-])(?:[A-Za-zα-ωΑ-Ω]|[cdhkmnµμ]m|ft|in|yd|mi|sq|ha|sec|min|kg|mg|Hz|Pa|mol|rad|eV|dB|sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|log|ln|lim)$/
/** In an equation a word is a product of letters: `E = mc`. */
const inEquation = /[=+×·⋅*/^(]\s*[A-Za-z]{1,4}$/
const element = /(?:^|[^A-Za-z])(?:[A-Z][a-z]?\d{0,3}|[[\])]){1,12}$/

/** Returns the text for a script, with a space if the next text would join it. */
export function scriptText(script: Script): string {
  const text = script.text.replace(/\s+/g, ' ').trim()
  if (!text) return ''
  const written = script.kind === 'sup' ? superscript(text, script) : subscript(text, script)
  const ends = /^[_^]/.test(written) ? /[\p{L}\p{N}]$/u : /\d$/
  const joins = ends.test(written) && (written === text ? /^\d/ : /^[\p{L}\p{N}]/u).test(script.after)
  return joins ? `${written} ` : written
}

function superscript(text: string, { before, after, isNote }: Script): string {
  if (isNote && noteMark.test(text)) return bracketed(text)
  const last = before.slice(-1)
  const isNumber = /\d/.test(last)
  if (isNumber && /^[o0]$/.test(text) && degrees.test(after)) return '°'
  if (plain.test(text) || (isNumber && rank.test(text))) return text
  if (isNumber && /^\d\d$/.test(text) && (price.test(before) || currencyAfter.test(after))) return `.${text}`
  if (before.trim() === '' && noteMark.test(text)) return bracketed(text)
  if (noteMark.test(text) && isNoteAfter(text, before)) return bracketed(text)
  return `^${grouped(text)}`
}

/** `1` over `2` as `1/2`, apart from the number before it. */
export function fractionText(over: string, under: string, before: string): string {
  const [above, below] = [over, under].map(part => grouped(part.replace(/\s+/g, ' ').trim()))
  return `${/[\p{L}\p{N}]$/u.test(before) ? ' ' : ''}${above}/${below}`
}

/** Says whether a mark after this text is a note and not an exponent. */
function isNoteAfter(text: string, before: string): boolean {
  if (/^[[(*†‡§¶#]/.test(text) || /[,;–]/.test(text)) return true
  if (!digits.test(text)) return false
  const last = before.slice(-1)
  if (/^\s?$/.test(last)) return false
  if (/\d/.test(last)) return text === '1' || noBase.test(before)
  if (/[)\]]/.test(last))
    return /\p{L}{3}/u.test(before.slice(Math.max(before.lastIndexOf('('), before.lastIndexOf('['))))
  if (!/\p{L}/u.test(last)) return true
  return !unit.test(before) && !inEquation.test(before)
}

function subscript(text: string, { before, isNote }: Script): string {
  if (isNote && noteMark.test(text)) return bracketed(text)
  // Chemical formulas stay as everybody reads them: H2O.
  if (digits.test(text) && element.test(before)) return text
  return before.trim() === '' ? text : `_${grouped(text)}`
}

const bracketed = (text: string): string =>
  /^[[(]/.test(text) ? text.replace(/^\((.*)\)$/, '[$1]') : `[${text}]`

const grouped = (text: string): string => (/^[-−+–]?[\p{L}\p{N}.,′]+[+−-]?$/u.test(text) ? text : `(${text})`)
