/** Whether a page declares that its text is sold, and whether it shows the text all the same. */
import type { DomDocument } from './dom.ts'
import { weightOf } from './edges.ts'

/** `free`: it declares nothing. `paid`: the text is not free, and here it is. `withheld`: no more than a beginning is here. */
export type Access = 'free' | 'paid' | 'withheld'

interface Declared {
  isPaid: boolean
  /** The number of words that the page declares for its text. */
  words: number
  /** Characters in the parts that it declares as sold. Undefined if it names no part. */
  soldChars: number | undefined
}

/** A look at the bytes tells whether a page may declare anything. */
export const mayDeclare = (html: string): boolean => /isAccessibleForFree|content_tier/i.test(html)

const mostScripts = 20
const mostChars = 200_000
const mostParts = 20
const mostValues = 5_000
/** A shorter text is only a beginning. If the parts that are sold are empty, the second bound holds. */
const [beginning, longBeginning] = [1_000, 3_000]
/** A part with less text has only an offer. */
const leastSold = 300

const no = /"isAccessibleForFree"\s{0,20}:\s{0,20}"?(?:https?:\\?\/\\?\/schema\.org\\?\/)?false\b/i

/** A part that is free says so of itself, so the page is paid where anything is. */
export function declaredIn(document: DomDocument): Declared {
  const texts = [...document.querySelectorAll('script[type*="ld+json" i]')]
    .slice(0, mostScripts)
    .map(script => (script.textContent ?? '').slice(0, mostChars))
    .filter(text => no.test(text))
  const sold = texts.flatMap(soldIn)
  const isPaid = texts.length > 0 || isMarked(document)
  if (!isPaid) return { isPaid, words: 0, soldChars: undefined }
  const selectors = sold.flatMap(({ cssSelector }) => selectorsIn(cssSelector)).slice(0, mostParts)
  const words = Math.max(0, ...sold.map(({ wordCount }) => Number(wordCount) || 0))
  return { isPaid, words, soldChars: selectors.length ? charsOf(document, selectors) : undefined }
}

/** Whether the page says that it is not free: as microdata or RDFa, or by the tier of a social network. */
function isMarked(document: DomDocument): boolean {
  const named = '[itemprop="isAccessibleForFree"], [property$="isAccessibleForFree"]'
  const marks = [...document.querySelectorAll(named)].slice(0, mostParts)
  const tier = document.querySelector('meta[property="article:content_tier"]')?.getAttribute('content') ?? ''
  const saidBy = (mark: (typeof marks)[number]) =>
    mark.getAttribute('content') ?? mark.getAttribute('href') ?? (mark.textContent ?? '').slice(0, 100)
  return /^\s*locked\s*$/i.test(tier) || marks.some(mark => /(?:^|\/)false\s*$/i.test(saidBy(mark).trim()))
}

interface Thing {
  isAccessibleForFree?: unknown
  cssSelector?: unknown
  wordCount?: unknown
}

/** Everything in a JSON-LD that is not free, however deep. */
function soldIn(text: string): Thing[] {
  let left: unknown[]
  try {
    left = [JSON.parse(text)]
  } catch {
    // It is not JSON. That it names something as sold is enough.
    return []
  }
  const sold: Thing[] = []
  for (let looked = 0; left.length && looked < mostValues; looked += 1) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null) continue
    if (/(?:^|\/)false$/i.test(String((value as Thing).isAccessibleForFree))) sold.push(value)
    left.push(...Object.values(value).slice(0, mostValues))
  }
  return sold
}

/** Names of classes and ids alone: a stranger’s selector may take any time. */
const selectorsIn = (selector: unknown): string[] =>
  String(selector ?? '')
    .slice(0, 1_000)
    .split(',')
    .map(each => each.trim())
    .filter(each => /^[.#][a-z_][\w-]{0,80}$/i.test(each))

function charsOf(document: DomDocument, selectors: readonly string[]): number {
  let [chars, looked] = [0, 0]
  for (const selector of selectors)
    for (const element of document.querySelectorAll(selector)) {
      if (chars >= leastSold || looked >= mostParts) return chars
      looked += 1
      chars += weightOf((element.textContent ?? '').trim())
    }
  return chars
}

/** `text` is the main text of the page. */
export function accessOf({ isPaid, words, soldChars }: Declared, text: string): Access {
  if (!isPaid) return 'free'
  const weight = weightOf(text)
  // Where words have no spaces between them, nobody knows what was counted.
  const isCounted = words > 0 && weight < text.length * 1.2
  if (isCounted && (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < words * 0.5) return 'withheld'
  const least = soldChars !== undefined && soldChars < leastSold ? longBeginning : beginning
  return weight < least ? 'withheld' : 'paid'
}
