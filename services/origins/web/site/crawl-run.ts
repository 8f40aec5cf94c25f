/** Crawls one site, page by page. What it has done outlives its process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CrawlProgress, Frontier } from '../../../../pipelines/domains/document/site/frontier.ts'
import { BlobLost, type Blobs } from '../../../../pipelines/rails/blobs/blobs.ts'
import { crawlLastsMs, type SiteCrawl } from '../../../../schemas/site-crawls.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { Refused } from '../../../offer/errors.ts'
import type { Tools } from '../../../offer/operation.ts'
import { whyNoPage } from '../../../offer/pages.ts'
import { mannersOf } from './manners.ts'
import { type PageOutcome, readLine } from './page-line.ts'
import { survey } from './survey.ts'

interface CrawlRun {
  tools: Tools
  blobs: Pick<Blobs, 'put' | 'get'>
  /** Resolves once the log has the row. */
  save(row: SiteCrawl): Promise<void>
  /** The process stops. */
  signal: AbortSignal
  now: () => number
}

/** Pages and progress wait so long for a process that goes on with them. */
const keptMs = 3 * 86_400_000
const longestMs = 6 * 3_600_000
const saveEveryMs = 2_000

/** Returns the finished crawl. Undefined if the process stops: another one goes on with it. */
export async function runCrawl(row: SiteCrawl, run: CrawlRun): Promise<SiteCrawl | undefined> {
  const { tools, blobs, signal, now } = run
  const begun: SiteCrawl = { ...row, state: 'running', begun_at: row.begun_at ?? instant(now()) }
  const frontier = await unless(signal, frontierOf(begun, run))
  const manners = await unless(signal, mannersOf(row.url, tools))
  if (!frontier || !manners) return undefined
  const save = async () =>
    run.save({
      ...begun,
      ...frontier.counts,
      progress_blob: await blobs.put(Buffer.from(JSON.stringify(frontier.progress)), keptMs),
    })
  await save()
  let savedAt = performance.now()
  while (endOf(begun, frontier, now()) === undefined) {
    const due = frontier.next()
    if (!due) break
    const outcome = await unless(signal, readLine(due.url, manners, tools))
    if (!outcome) return undefined
    await keep(frontier, due, outcome, blobs)
    if (performance.now() - savedAt >= saveEveryMs) {
      await save()
      savedAt = performance.now()
    }
    // Between two pages of a host there is a second anyway.
    if (manners.pauseMs) await sleep(manners.pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
  const bytes = await linesOf(frontier, blobs)
  const result_blob = await blobs.put(bytes.lines, crawlLastsMs)
  return {
    ...begun,
    ...frontier.counts,
    ...{ state: 'done', ended_at: instant(now()), progress_blob: null },
    ended_because: endOf(begun, frontier, now()) ?? 'no_more_pages',
    ...{ result_blob, result_sha256: result_blob.split('/')[1] ?? null, result_bytes: bytes.lines.length },
    pages_read: frontier.counts.pages_read - bytes.lost,
    pages_failed: frontier.counts.pages_failed + bytes.lost,
  }
}

const endOf = (
  { begun_at }: SiteCrawl,
  frontier: Frontier,
  now: number,
): SiteCrawl['ended_because'] | undefined =>
  frontier.end ?? (now - Date.parse(begun_at ?? '') > longestMs ? 'too_long' : undefined)

/** What an earlier process has kept, or else the pages that the site names. */
async function frontierOf(row: SiteCrawl, { tools, blobs }: CrawlRun): Promise<Frontier> {
  const { progress_blob, url, under, most } = row
  try {
    if (progress_blob !== null)
      return new Frontier(row, JSON.parse(String(await blobs.get(progress_blob))) as CrawlProgress)
  } catch (error) {
    // The progress is lost, so the crawl begins again. Its buyer loses only time.
    if (!(error instanceof BlobLost)) throw error
  }
  const frontier = new Frontier(row)
  const { known } = await survey({ url, under, most: 10 * most }, tools, refuse).catch(error => {
    // The first page was there when it was paid for. It is tried again, like any other.
    if (whyNoPage(error) === undefined) throw error
    return { known: [] }
  })
  frontier.meet(known.map(each => each.url))
  return frontier
}

async function keep(
  frontier: Frontier,
  due: { url: string; tries: number },
  { page, links, error = '', mayCome = false }: PageOutcome,
  blobs: CrawlRun['blobs'],
): Promise<void> {
  frontier.meet(links)
  if (!page) frontier.lose(due, error, mayCome)
  else if (frontier.isDuplicate(page.sha256)) frontier.skip()
  else {
    const blob = await blobs.put(page.line, keptMs)
    frontier.take({ url: due.url, blob, bytes: page.line.length, sha256: page.sha256 })
  }
}

/** A line for each page, then one for each that failed. */
async function linesOf(frontier: Frontier, blobs: CrawlRun['blobs']) {
  const lines: Buffer[] = []
  const lost = [...frontier.progress.lost]
  for (const { url, blob } of frontier.progress.read)
    try {
      lines.push(await blobs.get(blob))
    } catch (error) {
      if (!(error instanceof BlobLost)) throw error
      lost.push({ url, error: 'lost' })
    }
  const failed = lost.map(each => Buffer.from(`${JSON.stringify(each)}\n`))
  return { lines: Buffer.concat([...lines, ...failed]), lost: lost.length - frontier.progress.lost.length }
}

const refuse = (code: string, message: string): never => {
  throw new Refused(code, 422, message)
}

/** Undefined as soon as the process stops. */
async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const stopped = Promise.withResolvers<undefined>()
  const stop = () => stopped.resolve(undefined)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, stopped.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
