/** How soon a page of each kind is seen in Chromium, the cache empty: the largest piece of its first view, its bytes, its requests. */
import type { Browser } from 'playwright-core'
import { openBrowser } from '../browser.ts'
import { ofEachKind } from '../services/sandbox/looks.ts'
import { runSandbox } from '../services/sandbox/running.ts'
import { until } from '../until.ts'

const rounds = 7

export async function pages(): Promise<void> {
  const browser = await openBrowser()
  if (typeof browser === 'string') return console.log(`pages: ${browser}`)
  const sandbox = await runSandbox()
  await until(
    async () => (await fetch(`${sandbox.url}/market`)).ok,
    'the first release of the market',
    60_000,
  )
  const seen = new Map<string, Look[]>()
  const kinds = await ofEachKind(sandbox.url)
  // The first round warms server and browser up.
  for (let round = 0; round <= rounds; round++)
    for (const path of kinds) {
      const look = await lookAt(browser, sandbox.url + path)
      if (round) seen.set(path, [...(seen.get(path) ?? []), look])
    }
  console.log('| page | largest piece shown, ms (least to most) | over the wire, bytes | requests |')
  console.log('|---|---:|---:|---:|')
  for (const [path, looks] of seen) {
    const shown = looks.map(({ shownMs }) => shownMs).sort((a, b) => a - b)
    const [{ bytes, requests } = { bytes: 0, requests: 0 }] = looks
    const [middle, least, most] = [shown[rounds >> 1], shown[0], shown.at(-1)].map(ms => Math.round(ms ?? 0))
    console.log(`| ${path} | ${middle} (${least} to ${most}) | ${bytes} | ${requests} |`)
  }
  await browser.close()
  await sandbox.stop()
}

interface Look {
  shownMs: number
  bytes: number
  requests: number
}

const largest = `new Promise(resolve =>
  new PerformanceObserver(list => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true })
)`

async function lookAt(browser: Browser, url: string): Promise<Look> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 844 } })
  const page = await context.newPage()
  const wire = await context.newCDPSession(page)
  await wire.send('Network.enable')
  const look = { shownMs: 0, bytes: 0, requests: 0 }
  wire.on('Network.requestWillBeSent', () => look.requests++)
  wire.on('Network.loadingFinished', ({ encodedDataLength }) => {
    look.bytes += encodedDataLength
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  look.shownMs = await page.evaluate(largest)
  await context.close()
  return look
}
