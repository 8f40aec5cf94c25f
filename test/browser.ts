/** A real browser, and what axe finds in its page. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const places = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
/** Nothing is asked of the world outside. */
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A busy machine is slow to show a page, and that is no fault of the page. */
export const pagePatienceMs = 300_000

/** Or why there is none. */
export async function openBrowser(): Promise<Browser | string> {
  const executablePath = places.find(place => place && existsSync(place))
  if (!executablePath) return 'no Chromium is installed; CHROMIUM may name one'
  return chromium.launch({ executablePath, chromiumSandbox: false, args: quiet })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What depends on colours and widths, so that it may differ from look to look of one page. */
export const lookRules = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable']

export async function whatAxeFinds(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe)
  // The sizes of targets are a rule of WCAG 2.2, which axe does not check unless it is asked to.
  const sizes = { rules: { 'target-size': { enabled: true } } }
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : sizes) }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
