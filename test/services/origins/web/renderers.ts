/** Two renderers in processes of their own, on one Kafka, and a seller in this one that asks them for pages. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { openBlobs } from '../../../../pipelines/rails/blobs/open-blobs.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { openRenderers } from '../../../../pipelines/rails/outside/pages/renderers.ts'
import { failureOf } from '../../../../services/query/call-failures.ts'
import { busyness } from '../../../busyness.ts'
import { listen } from '../../../pipelines/rails/outside/fetching/web.ts'
import { until } from '../../../until.ts'
import { webTopics } from './rendering.ts'

/** After this time the pages of a killed renderer are given up. By then the other one has shown its own. */
const heldMs = () => Math.ceil(6_000 * busyness())
const shownMs = 60_000

interface Renderer {
  child: ChildProcess
  /** The number of pages that it has begun. */
  pages(): number
}

export async function startRenderers(logUrl: string, blobsUrl: string) {
  let held: ServerResponse[] | undefined
  const site = createServer((request, response) => {
    if (request.url === '/favicon.ico') response.writeHead(404).end()
    else if (held) held.push(response)
    else show(response)
  })
  const show = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>shown</p>')
  const port = await listen(site)

  async function enlist(): Promise<Renderer> {
    const program = fileURLToPath(new URL('renderer.ts', import.meta.url))
    const child = spawn(process.execPath, [program, logUrl, blobsUrl, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout?.on('data', text => (said += text))
    await until(() => said.includes('ready'), 'the renderer to be ready', 60_000)
    return { child, pages: () => said.split('a page').length - 1 }
  }
  const renderers = (await Promise.all([enlist(), enlist()])) as [Renderer, Renderer]
  const log = await openLog(logUrl, { topics: webTopics })
  const blobs = await openBlobs(blobsUrl)
  const asking = await openRenderers({ log, blobs, now: Date.now })
  onTestFinished(async () => {
    for (const { child } of renderers) {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    await asking.close()
    await blobs.close()
    await log.close()
    site.close().closeAllConnections()
  })
  return {
    renderers,
    /** Finds the text of the page, or the code of the free failure. */
    find: (n: number) =>
      asking
        .render({ url: `http://shop.sample/${n}`, render: 'always', maxAgeMs: 0 }, held ? heldMs() : shownMs)
        .then(
          found => ('refusal' in found ? found.refusal : found.rendered?.text),
          error => failureOf(error).code,
        ),
    /** Lets the site keep its visitors waiting until `release`. */
    hold: () => {
      held = []
    },
    release: () => {
      for (const response of held ?? []) show(response)
      held = undefined
    },
  }
}
