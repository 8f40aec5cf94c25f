/** Whether a redirect ends at a page other than the requested one. Only the addresses decide. */

import { getDomain } from 'tldts'
import { decoded } from '../../rails/formats/percent.ts'

/** The reason, or undefined if both are one page. */
export function whyDifferent(asked: string, final: string, canonical?: string): string | undefined {
  const [from, to] = [new URL(asked), new URL(final)]
  if (siteOf(from) !== siteOf(to)) return `it is on another site, ${to.hostname}`
  const [before, after] = [segmentsOf(from), segmentsOf(to)]
  if (before.length > 0 && after.length === 0) return 'it is the home page'
  if (after.length < before.length && after.every((segment, i) => segment === before[i]))
    return 'it is a page above the one that was asked for'
  const there = plain(`${to.pathname} ${to.search} ${canonical ?? ''}`)
  const lost = idsOf(before).filter(id => !there.includes(id))
  if (lost.length && lost.length === idsOf(before).length) return `it has no ${lost[0]} in its address`
  for (const [name, value] of from.searchParams) {
    if (!named.test(name) || value === '') continue
    const given = to.searchParams.get(name)
    if (given === null ? !there.includes(plain(value)) && same(before, after) : plain(given) !== plain(value))
      return `it has another ${name}`
  }
  const byParameter = [...from.searchParams]
    .filter(([name]) => named.test(name))
    .map(([, value]) => plain(value))
  return sharesNothing(before, after, there, byParameter) ? 'it has another name' : undefined
}

const siteOf = ({ hostname }: URL): string => getDomain(hostname, { allowPrivateDomains: true }) ?? hostname

/** Parameters that name the product. All others are filters and trackers. */
const named = /^(id|sku|pid|product_?id|products_id|item_?id|prod_?id|article|variant)$/i
const language = /^[a-z]{2}([-_][a-z]{2,4})?$/
const start = /^(index|default|home)\.[a-z]+$/

/** Without languages at the beginning of the path. Letter case and a slash at the end do not count. */
function segmentsOf({ pathname }: URL): string[] {
  const segments = plain(pathname).split('/').filter(Boolean)
  while (segments[0] && language.test(segments[0])) segments.shift()
  if (segments.at(-1) && start.test(segments.at(-1) as string)) segments.pop()
  return segments
}

/** Five or more digits, or letters and digits in the form of SKUs. */
const idsOf = (segments: readonly string[]): string[] =>
  segments.flatMap(segment =>
    segment
      .replace(/\.(html?|php|aspx?|jsp)$/, '')
      .split(/[-_.,;=~]/)
      .flatMap(word => /\d{5,}/.exec(word)?.[0] ?? (isLikeSku(word) ? word : [])),
  )

const isLikeSku = (word: string): boolean =>
  word.length >= 6 && /[a-z]/.test(word) && (word.match(/\d/g)?.length ?? 0) >= 3

const same = (a: readonly string[], b: readonly string[]): boolean => a.join('/') === b.join('/')

/** Without an id, only the words of the name show that it is the same page. */
function sharesNothing(
  before: readonly string[],
  after: readonly string[],
  there: string,
  more: readonly string[],
): boolean {
  if (idsOf(before).length || same(before, after)) return false
  const words = [...more, ...nameOf(before)]
  const target = new Set(wordsIn(there))
  return words.length > 0 && !words.some(word => target.has(word))
}

const wordsIn = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]{2,}/gu) ?? []
const nameOf = (segments: readonly string[]): readonly string[] =>
  wordsIn((segments.at(-1) ?? '').replace(/\.[a-z]{2,5}$/, ''))

const plain = (text: string): string => decoded(text).toLowerCase()
