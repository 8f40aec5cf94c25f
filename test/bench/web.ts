/** Pages read as their servers send them, rendered, and pictured: how many a second, and the CPU of each. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReading } from '../../pipelines/domains/document/reader.ts'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { openBrowser } from '../../pipelines/rails/outside/browser/browser.ts'
import { publicFetch } from '../../pipelines/rails/outside/fetching/visit.ts'
import { openPages } from '../../pipelines/rails/outside/pages/open-pages.ts'
import type { PageAsked } from '../../pipelines/rails/outside/pages/page.ts'
import { startRendering } from '../../pipelines/workers/renderer.ts'
import { browserFolder, noBrowser } from '../browser-folder.ts'
import { webTopics } from '../services/origins/web/rendering.ts'

const paragraphs = Array.from(
  { length: 40 },
  (_, i) => `<p>Paragraph ${i}. ${'It has some words. '.repeat(12)}</p>`,
)
const article = `<!doctype html><html lang="en"><title>An article</title><body>${paragraphs.join('')}</body></html>`
const scripted = `<!doctype html><title>A page made by a script</title><div id="root"></div><script>
root.innerHTML = ${JSON.stringify(paragraphs.join(''))}</script>`

const pictured: Omit<PageAsked, 'url' | 'maxAgeMs'> = { render: 'always', picture: true }
const kinds: Record<string, { path: string; asked: Omit<PageAsked, 'url' | 'maxAgeMs'>; pages: number }> = {
  static: { path: 'article', asked: { render: 'never' }, pages: 2000 },
  rendered: { path: 'scripted', asked: { render: 'always' }, pages: 60 },
  screenshot: { path: 'scripted', asked: pictured, pages: 60 },
}
const atOnce = 4

export async function web(): Promise<void> {
  const missing = await noBrowser()
  if (missing) return console.log(`pages        ${missing}`)
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const site = createServer(({ url = '' }, response) => {
    const body = url.includes('article') ? article : url.includes('scripted') ? scripted : undefined
    response.writeHead(body ? 200 : 404, { 'content-type': 'text/html' }).end(body)
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  const { port } = site.address() as AddressInfo
  const publicWeb = {
    userAgent: 'Farebox/0.0 (+bench)',
    resolve: async () => ['93.184.216.34'],
    reach: () => ({ host: '127.0.0.1', port }),
  }
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: webTopics })
  const blobs = await openBlobs(`file:${folder}/blobs`)
  const browser = openBrowser({
    dataDir: browserFolder,
    withoutSandbox: false,
    userAgent: publicWeb.userAgent,
  })
  const onFailed = (...told: unknown[]) => console.error(...told)
  const common = { log, blobs, now: Date.now, onFailed }
  const renderer = await startRendering({ ...common, browser, web: publicWeb, atOnce })
  const turns = { atOnce: 1000, pauseMs: 0, mostWaiting: 1000 }
  const reading = openReading()
  const pages = await openPages({ ...common, reading, visits: publicFetch(publicWeb), turns })

  for (const [kind, { path, asked, pages: most }] of Object.entries(kinds)) {
    const load = (count: number) =>
      inTurns(count, n =>
        pages.find({ ...asked, url: `http://site.sample/${path}/${kind}/${n}`, maxAgeMs: 0 }),
      )
    await load(8)
    const [own, its, startedAt] = [process.cpuUsage(), await cpuOf(browser), performance.now()]
    await load(most)
    const seconds = (performance.now() - startedAt) / 1000
    const { user, system } = process.cpuUsage(own)
    const ofBrowser = (1000 * ((await cpuOf(browser)) - its)) / most
    console.log(
      `pages        ${kind.padEnd(10)} ${(most / seconds).toFixed(1).padStart(7)} a second; CPU of each ` +
        `${((user + system) / 1000 / most).toFixed(1)} ms of ours (the site's among them), ${ofBrowser.toFixed(0)} ms of the browser`,
    )
  }
  await alone(n => pages.find({ ...pictured, url: `http://site.sample/scripted/alone/${n}`, maxAgeMs: 0 }))
  await memory(
    n => pages.find({ render: 'always', url: `http://site.sample/scripted/m/${n}`, maxAgeMs: 0 }),
    browser,
  )
  await pages.close()
  await reading.close()
  await renderer.close()
  await blobs.close()
  await log.close()
  site.close().closeAllConnections()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** What a caller waits for a screenshot of a warm browser that shows nothing else. */
async function alone(show: (n: number) => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let n = 0; n < oneByOne; n += 1) {
    const startedAt = performance.now()
    await show(n)
    times.push(performance.now() - startedAt)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => `${times[Math.floor(times.length * share)]?.toFixed(0)} ms`
  console.log(
    `pages        one warm screenshot after the other, ${oneByOne}: p50 ${at(0.5)}, p95 ${at(0.95)}`,
  )
}
const oneByOne = 21

/** A thousand pages: the second half must not need more than the first. */
async function memory(load: (n: number) => Promise<unknown>, browser: ReturnType<typeof openBrowser>) {
  const most = Number(process.env.BENCH_PAGES ?? 1000)
  const shown: string[] = []
  for (let done = 0; done < most; done += most / 4) {
    await inTurns(most / 4, n => load(done + n))
    const its = await bytesOf(browser)
    shown.push(`${Math.round(process.memoryUsage().rss / 2 ** 20)}+${Math.round(its / 2 ** 20)}`)
  }
  console.log(
    `pages        memory after each quarter of ${most} rendered pages, MB of ours + of the browser: ${shown.join(', ')}`,
  )
}

async function inTurns(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

interface Part {
  cpuSeconds: number
  bytes: number
}

/** The use of the browser's processes, including those that have ended meanwhile. */
async function partsOf(browser: ReturnType<typeof openBrowser>): Promise<Part[]> {
  const pid = await browser.use(async chromium => chromium.pid)
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')
          .map(Number)
        const [resident = 0, shared = 0] = readFileSync(`/proc/${name}/statm`, 'utf8')
          .split(' ')
          .slice(1)
          .map(Number)
        const ticks = fields.slice(11, 15).reduce((sum, part) => sum + part, 0)
        return fields[2] === pid ? [{ cpuSeconds: ticks / 100, bytes: (resident - shared) * 4096 }] : []
      } catch {
        // It has ended.
        return []
      }
    })
}

const cpuOf = async (browser: ReturnType<typeof openBrowser>) =>
  (await partsOf(browser)).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
const bytesOf = async (browser: ReturnType<typeof openBrowser>) =>
  (await partsOf(browser)).reduce((sum, { bytes }) => sum + bytes, 0)
