/** What is wrong with the looks of a page: what is cut, and what moves after it is shown. */
import type { Page } from 'playwright-core'

/** From a small phone to 4K. */
export const widths = [320, 360, 390, 768, 1280, 1920, 3840]

/**
 * What stands out of the window or out of its box, so that nobody can read it. What scrolls is whole if a keyboard can scroll it, and a
 * shadow at its edge says that there is more.
 */
export const whatIsCut = (page: Page): Promise<string[]> => page.evaluate(cut)

const cut = `(() => {
  const found = new Set()
  const named = (at, why) => found.add(why + ': ' + at.tagName.toLowerCase() + (at.id && '#' + at.id) + ' ' + at.outerHTML.slice(0, 80))
  const wide = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > wide) found.add('the page is wider than the window')
  const isHidden = style => style.clipPath !== 'none' || style.visibility === 'hidden'
  const scrolls = ({ overflowX }) => overflowX === 'auto' || overflowX === 'scroll'
  const look = (at, isScrolled) => {
    const style = getComputedStyle(at)
    if (isHidden(style) || at.matches('.skip, datalist, option')) return
    const { left, right, width } = at.getBoundingClientRect()
    if (width && !isScrolled && (right > wide + 1 || left < -1)) named(at, 'out of the window')
    const isOver = at.clientWidth > 0 && at.scrollWidth > at.clientWidth + 1 && !at.matches('input, select, svg *')
    if (isOver && ['hidden', 'clip'].includes(style.overflowX) && !(at instanceof SVGElement)) named(at, 'cut by its box')
    if (isOver && scrolls(style) && !at.matches('textarea')) {
      if (at.tabIndex < 0) named(at, 'no keyboard scrolls it')
      if (!style.backgroundAttachment.includes('local')) named(at, 'nothing says that it scrolls')
    }
    if (at instanceof SVGSVGElement) {
      const box = at.getBoundingClientRect()
      for (const text of box.width ? at.querySelectorAll('text') : []) {
        const own = text.getBoundingClientRect()
        if (own.right > box.right + 1 || own.left < box.left - 1) named(text, 'out of its picture')
      }
      return
    }
    for (const child of at.children) look(child, isScrolled || scrolls(style))
  }
  look(document.body, false)
  return [...found]
})()`

/** How much has moved since the page was opened, as Chromium counts it: 0 is nothing. */
export const shiftOf = (page: Page): Promise<number> => page.evaluate(shift)

const shift = `new Promise(resolve => {
  let sum = 0
  const add = list => { for (const entry of list) sum += entry.value }
  const observer = new PerformanceObserver(list => add(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  // What is in the buffer is told in a task of its own, after what is drawn next.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
    add(observer.takeRecords())
    observer.disconnect()
    resolve(sum)
  })))
})`

/** Those that the map of the site names. */
export async function mappedPaths(url: string): Promise<string[]> {
  const map = await (await fetch(`${url}/sitemap.xml`)).text()
  return [...map.matchAll(/<loc>[^<]*?\/\/[^/<]+(\/[^<]*)<\/loc>/g)].map(([, path]) => path ?? '')
}

/** Nothing is here. */
export const missedPath = '/docs/fz'

/** A page of each kind: those of operations are of one, and those of sellers. */
export async function ofEachKind(url: string): Promise<string[]> {
  const all = await mappedPaths(url)
  const kindOf = (path: string) => /^\/docs\/|^\/market\/sellers\//.exec(path)?.[0] ?? path
  return [...new Map(all.toReversed().map(path => [kindOf(path), path])).values()]
    .toReversed()
    .concat(missedPath)
}
