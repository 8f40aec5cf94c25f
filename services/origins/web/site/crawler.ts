/** Begins crawls when their payments settle, runs a few of them at once, one for each site, and tells their webhooks of the end. */

import { siteOf } from '../../../../pipelines/domains/document/site/addresses.ts'
import { bodyOf, eventId } from '../../../../pipelines/domains/watch/events.ts'
import { Orders } from '../../../../pipelines/domains/watch/orders.ts'
import type { Seal } from '../../../../pipelines/domains/watch/seal.ts'
import { eventEntries } from '../../../../pipelines/domains/watch/sealed.ts'
import { watchVariables } from '../../../../pipelines/domains/watch/variables.ts'
import type { Blobs } from '../../../../pipelines/rails/blobs/blobs.ts'
import { eventsIn, newestNow } from '../../../../pipelines/rails/log/events.ts'
import { entryOf, type Log } from '../../../../pipelines/rails/log/log.ts'
import { type Running, together } from '../../../../pipelines/rails/running.ts'
import { Tally } from '../../../../pipelines/rails/tally.ts'
import { settlements } from '../../../../schemas/settlements.ts'
import {
  type CrawlOrder,
  crawlLastsMs,
  crawlOrders,
  type SiteCrawl,
  siteCrawls,
} from '../../../../schemas/site-crawls.ts'
import { watchSubscriptions } from '../../../../schemas/watch-subscriptions.ts'
import { webhookEvents } from '../../../../schemas/webhooks.ts'
import type { Tools } from '../../../offer/operation.ts'
import type { AskingWorker } from '../../../offer/origin.ts'
import { runCrawl } from './crawl-run.ts'
import { resultOf } from './result-link.ts'

interface CrawlingOptions {
  log: Log
  tools: Tools
  blobs: Pick<Blobs, 'put' | 'get'>
  seal: Seal
  /** The address of the origin. */
  origin: string
  now: () => number
  onFailed(error: unknown): void
}

const atOnce = 8
const atOnceOfPayer = 4
const againMs = 10_000
const sweepMs = 600_000
const group = 'crawling'

class Crawler {
  readonly #options: CrawlingOptions
  readonly #rows: Map<string, SiteCrawl>
  readonly #sites = new Set<string>()
  /** The number of crawls under way of each payer. */
  readonly #ofPayer = new Tally()
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []

  constructor(options: CrawlingOptions, rows: Map<string, SiteCrawl>) {
    this.#options = options
    this.#rows = rows
    this.#timers.push(setInterval(() => this.fill(), againMs))
    this.#timers.push(setInterval(() => void this.sweep().catch(options.onFailed), sweepMs))
  }

  async begin({ crawl, subscription }: CrawlOrder, payer: string): Promise<void> {
    if (this.#rows.has(crawl.crawl_id)) return
    const { log } = this.#options
    if (subscription) await log.append(watchSubscriptions.topic, [entryOf(watchSubscriptions, subscription)])
    await this.#save({ ...crawl, payer })
    this.fill()
  }

  /** Those that were paid for first come first. A site is never crawled twice at once, and no payer has all places. */
  fill(): void {
    for (const row of this.#rows.values()) {
      if (this.#running.size >= atOnce || this.#stopping.signal.aborted) return
      const site = siteOf(row.url)
      if (row.state === 'done' || this.#sites.has(site)) continue
      if (this.#ofPayer.of(row.payer) >= atOnceOfPayer) continue
      this.#sites.add(site)
      this.#ofPayer.add(row.payer)
      const running = this.#run(row).finally(() => {
        this.#running.delete(running)
        this.#ofPayer.add(row.payer, -1)
        this.fill()
      })
      this.#running.add(running)
    }
  }

  /** Forgets the crawls whose week is over. */
  async sweep(): Promise<void> {
    const { log, now } = this.#options
    for (const { crawl_id, ended_at, subscription_id } of [...this.#rows.values()]) {
      if (ended_at === null || now() - Date.parse(ended_at) < crawlLastsMs) continue
      if (subscription_id !== null)
        await log.append(watchSubscriptions.topic, [{ key: subscription_id, value: null }])
      await log.append(siteCrawls.topic, [{ key: crawl_id, value: null }])
      this.#rows.delete(crawl_id)
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#stopping.abort(new Error('stopping'))
    while (this.#running.size) await Promise.all(this.#running)
  }

  async #run(row: SiteCrawl): Promise<void> {
    const { tools, blobs, now, onFailed } = this.#options
    const { signal } = this.#stopping
    try {
      const done = await runCrawl(row, { tools, blobs, save: each => this.#save(each), signal, now })
      if (done) await this.#end(done)
      this.#sites.delete(siteOf(row.url))
    } catch (error) {
      // The log or the blobs fail, or we do. The crawl was paid for, so it is tried again from what it has kept.
      onFailed(error)
      setTimeout(() => this.#sites.delete(siteOf(row.url)), againMs).unref()
    }
  }

  /** The event comes first: after a crash between the two, the same event is written again. */
  async #end(row: SiteCrawl): Promise<void> {
    const { log, seal, origin } = this.#options
    const { crawl_id, subscription_id, url, ended_at, ended_because, most, pages_read, pages_failed } = row
    if (subscription_id !== null && ended_at !== null) {
      const type = 'crawl.done'
      const data = {
        subscription_id,
        crawl_id,
        url,
        ended_because,
        pages_asked: most,
        pages_read,
        pages_failed,
      }
      const body = bodyOf({
        type,
        timestamp: ended_at,
        data: { ...data, result: resultOf(row, origin, seal) },
      })
      const event = {
        event_id: eventId(subscription_id, type, crawl_id),
        subscription_id,
        type,
        at: ended_at,
        body,
        replay: 0,
      }
      await log.append(webhookEvents.topic, eventEntries([event], seal))
    }
    await this.#save(row)
  }

  async #save(row: SiteCrawl): Promise<void> {
    await this.#options.log.append(siteCrawls.topic, [entryOf(siteCrawls, siteCrawls.event.parse(row))])
    this.#rows.set(row.crawl_id, row)
  }
}

export async function startCrawling(options: CrawlingOptions): Promise<Running> {
  const { log } = options
  const crawler = new Crawler(options, await newestNow(log, siteCrawls))
  const orders = await Orders.open(log, {
    dataset: crawlOrders,
    answerOf: ({ answer_sha256 }) => answer_sha256,
    mayOrder: ({ origin, operation }) => origin === 'web' && operation.startsWith('crawl'),
  })
  const following = await log.follow(settlements.topic, group, async batch => {
    for (const { event } of eventsIn(settlements, batch))
      await orders.settled(event, order => crawler.begin(order, event.payer))
  })
  await crawler.sweep()
  crawler.fill()
  return {
    ...together([orders, following]),
    async close() {
      await Promise.all([orders.close(), following.close()])
      await crawler.close()
    },
  }
}

export const crawling: AskingWorker = {
  part: 'crawling',
  role: 'query',
  follows: { topic: settlements.topic, group },
  variables: [watchVariables],
  reads: [crawlOrders, siteCrawls, settlements],
  writes: [siteCrawls, watchSubscriptions, webhookEvents],
  async open({ alone, read, now, tools, blobs, addressOf, onFailed }) {
    const seal = read(watchVariables)
    // Without the key no crawl can be bought.
    if (!seal) return together([])
    const opened = await blobs()
    const failed = (error: unknown) => onFailed('crawl', error)
    const more = { tools, seal, now, blobs: opened, origin: addressOf('web'), onFailed: failed }
    return alone('crawls', ({ log }) => startCrawling({ log, ...more }))
  },
}
