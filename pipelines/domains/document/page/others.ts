/** Takes out the articles that a page shows behind its own: the next ones, or those of the same blog. */
import type { DomDocument, DomElement } from './dom.ts'
import { type Size, sizesOf } from './sizes.ts'

/** A page for readers has fewer of these. */
const mostTitles = 60
/** Another article has this much prose, and the page's own too. */
const leastProse = 500

/**
 * Such a page gives each article a title of one kind, and its own has the title of the page. The titles of sections are of another
 * kind, or stand in one article.
 */
export function withoutOthers(document: DomDocument, title: string): void {
  const titles = [...document.querySelectorAll('h1')].slice(0, mostTitles)
  const of = wordsIn(title)
  const own = titles.find(each => names(of, each))
  if (!own) return
  const called = new Set(titleNames(own))
  const others = titles.filter(each => !names(of, each) && titleNames(each).some(name => called.has(name)))
  if (!others.length) return
  const sizes = sizesOf(document.body)
  const parts = new Set(
    others.flatMap(
      each =>
        partOf(
          each,
          titles.filter(one => names(of, one)),
          sizes,
        ) ?? [],
    ),
  )
  const prose = [...parts].reduce((sum, part) => sum + (sizes.get(part)?.prose ?? 0), 0)
  if ((sizes.get(document.body) as Size).prose - prose < leastProse) return
  for (const part of parts) part.remove()
}

/** The largest element around a title that has none of these, where it has the prose of an article. */
function partOf(
  title: DomElement,
  own: readonly DomElement[],
  sizes: Map<DomElement, Size>,
): DomElement | undefined {
  const above = new Set(own.flatMap(each => [...aboveOf(each)]))
  let part = title
  for (const each of aboveOf(title)) {
    if (above.has(each)) break
    part = each
  }
  return (sizes.get(part)?.prose ?? 0) >= leastProse ? part : undefined
}

function* aboveOf(element: DomElement): Iterable<DomElement> {
  for (let above = element.parentElement; above; above = above.parentElement) yield above
}

/** Its names that call it a title. */
const titleNames = (element: DomElement): string[] =>
  (element.getAttribute('class') ?? '')
    .slice(0, 600)
    .split(/\s+/)
    .filter(name => /title|headline/i.test(name))

const wordsIn = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? ''

/** The title of a page has the name of its site behind it, or before. */
function names(title: string, { textContent }: DomElement): boolean {
  const own = wordsIn((textContent ?? '').slice(0, 400))
  return own.length > 0 && ` ${title} `.includes(` ${own} `)
}
