/** Texts of fields: plain, bounded, and never markup. */
import { normalised } from '../../../schemas/values/unicode.ts'
import { plain } from './markup.ts'

const mostDescription = 5_000
const mostName = 500

/** Shops put markup, entities, and entities of entities into their JSON. */
export function plainText(text: string | undefined, most = mostName): string | undefined {
  if (text === undefined) return undefined
  let bare = text.slice(0, most * 4)
  for (let i = 0; i < 2 && /&(?:[a-z]+|#x?[0-9a-f]+);/i.test(bare); i++) bare = withoutEntities(bare)
  if (/<\/?[a-z!][^>]*>/i.test(bare))
    bare = bare.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ').replace(/<\/?[a-z!][^>]*>/gi, ' ')
  const found = plain(bare).slice(0, most)
  return found === '' || /^(null|undefined|n\/?a|none|-+|\{\{.*\}\})$/i.test(found) ? undefined : found
}

export const plainDescription = (text: string | undefined): string | undefined =>
  plainText(text, mostDescription)

const named: Record<string, string> = {
  amp: '&', quot: '"', apos: "'", lt: '<', gt: '>', nbsp: ' ', euro: '€', pound: '£', copy: '©', reg: '®', trade: '™', deg: '°', eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç', auml: 'ä', ouml: 'ö', uuml: 'ü', szlig: 'ß', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', ndash: '–', mdash: '—', rsquo: '’', lsquo: '‘', ldquo: '“', rdquo: '”', hellip: '…', bull: '•', middot: '·', times: '×', frac12: '½', iacute: 'í', oacute: 'ó', uacute: 'ú', aacute: 'á', ntilde: 'ñ', acirc: 'â', ecirc: 'ê', ocirc: 'ô', atilde: 'ã', otilde: 'õ',
} // biome-ignore format: a table

const withoutEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z0-9]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name) return Object.hasOwn(named, name) ? (named[name] as string) : whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
      ? String.fromCodePoint(code)
      : whole
  })

/** The words of a text for a comparison: letters and digits in lower case. */
const wordsOf = (text: string): string[] =>
  normalised(text, 'NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether both have the same words in the same order. */
export const isSameName = (a: string, b: string): boolean => {
  const words = wordsOf(a).join(' ')
  return words !== '' && words === wordsOf(b).join(' ')
}

/** The share of the shorter text that is also in the longer one, between 0 and 1. */
export function likeness(a: string | undefined, b: string | undefined): number {
  if (!a || !b) return 0
  const [left, right] = [new Set(wordsOf(a)), new Set(wordsOf(b))]
  const shared = [...left].filter(word => right.has(word)).length
  if (shared === 0) return 0
  const fewest = Math.min(left.size, right.size)
  return (0.8 * shared) / fewest + (0.2 * shared) / Math.max(left.size, right.size)
}
