/**
 * Pictures of pages, kept beside the tests so that a change is seen. Letters are boxes, since machines have different fonts, and what
 * moves is gone: figures and the cells of tables say nothing, charts are empty, long tables are short. `KEEP_PICTURES=1` keeps what is
 * seen now.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { pagePatienceMs } from '../../browser.ts'
import { boxFont } from './box-font.ts'

const folder = new URL('pictures/', import.meta.url)
const size = { width: 1280, height: 1000 }
/** Browsers of different versions draw round corners and controls a little differently. */
export const mostDiffering = 0.003

const still = `${boxFont}
*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important }
tbody tr:nth-child(n + 5), .figures div:nth-child(n + 2), ol.log li:nth-child(n + 3), nav.row a:nth-child(n + 9) { display: none !important }
td svg *, svg.chart *, .flow svg * { visibility: hidden } .flow { height: 400px } ::-webkit-scrollbar { display: none }`
const emptied = `for (const at of document.querySelectorAll('td, tbody th, .figures dd, .figures dt, ol.log li, .crumbs + h1'))
  if (!at.querySelector('svg, details')) at.textContent = '0000 0000'
const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/\\d+/g, '0')`

/** The share of the picture that differs from the kept one, or undefined where none was kept before. */
export async function differingFromKept(
  browser: Browser,
  url: string,
  name: string,
): Promise<number | undefined> {
  // The policy of the pages forbids styles from elsewhere, and so this one.
  const context = await browser.newContext({ bypassCSP: true, viewport: size, colorScheme: 'light' })
  const page = await context.newPage()
  page.setDefaultTimeout(pagePatienceMs)
  await page.goto(url)
  await page.addStyleTag({ content: still })
  await page.evaluate(emptied)
  await page.evaluate("document.fonts.load('16px Boxes')")
  const seen = await page.screenshot()
  const file = new URL(`${name}.png`, folder)
  const isKept = existsSync(file) && process.env.KEEP_PICTURES === undefined
  const differing = isKept ? await differingShare(page, readFileSync(file), seen) : undefined
  if (!isKept) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, seen)
  }
  await context.close()
  return differing
}

/** The browser itself reads both. */
const differingShare = (page: Page, kept: Buffer, seen: Buffer): Promise<number> =>
  page.evaluate(`(async () => {
    const pixels = async text => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), letter => letter.charCodeAt(0))]))
      const drawing = new OffscreenCanvas(image.width, image.height).getContext('2d')
      drawing.drawImage(image, 0, 0)
      return drawing.getImageData(0, 0, image.width, image.height).data
    }
    const [one, other] = await Promise.all([pixels('${kept.toString('base64')}'), pixels('${seen.toString('base64')}')])
    if (one.length !== other.length) return 1
    let differing = 0
    for (let at = 0; at < one.length; at += 4) {
      const far = Math.max(...[0, 1, 2].map(part => Math.abs(one[at + part] - other[at + part])))
      if (far > 32) differing++
    }
    return (differing * 4) / one.length
  })()`)
