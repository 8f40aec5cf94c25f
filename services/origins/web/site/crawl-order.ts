/** Orders a crawl: what can be known before the payment is looked at first, and what cannot be brought is refused. */
import { randomUUID } from 'node:crypto'
import type { Desk } from '../../../../pipelines/domains/watch/desk.ts'
import { Busy } from '../../../../pipelines/rails/outside/browser/browser-failures.ts'
import type { PageRefusal } from '../../../../pipelines/rails/outside/pages/page.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { crawlLastsMs, crawlNow, crawlOrders, type SiteCrawl } from '../../../../schemas/site-crawls.ts'
import { instant } from '../../../../schemas/values/values.ts'
import type { WatchSubscription } from '../../../../schemas/watch-subscriptions.ts'
import { Serialised } from '../../../offer/answer.ts'
import { Failure } from '../../../offer/errors.ts'
import { mainTextOf, type mainTextRefusals } from '../../../offer/main-text.ts'
import type { Tools } from '../../../offer/operation.ts'
import { type hookRefusals, secretOf, triedHook, webhookOf } from '../../watch/hook.ts'
import { crawlsOf } from './crawls.ts'
import { survey } from './survey.ts'

export interface CrawlSize {
  /** The number of pages that the price buys. */
  most: number
  /** Where fewer pages are known, there is something cheaper. */
  least: number
  cheaper: string
}

interface CrawlAsked extends HookAsked {
  url: string
  under: string
  accept_fewer: boolean
}

interface HookAsked {
  webhookUrl?: string | undefined
  webhookSecret?: string | undefined
}

type HookRefusal = keyof typeof hookRefusals
type CrawlRefusal = PageRefusal | keyof typeof mainTextRefusals | HookRefusal | 'fewer_pages'
type Refuse<Code> = (code: Code, message: string) => never

/** Crawls that are not done yet, of all callers. */
const mostOpen = 200

export async function ordered(
  { url, under, accept_fewer, ...hookAsked }: CrawlAsked,
  { most, least, cheaper }: CrawlSize,
  tools: Tools,
  refuse: Refuse<CrawlRefusal>,
) {
  const { desk, origin, hasHooks } = crawlsOf(tools)
  mustHaveRoom(tools)
  const hook = hookOf(hookAsked, hasHooks, refuse)
  const { page, known } = await survey({ url, under, most: 10 * most }, tools, refuse)
  if (known.length < least && !accept_fewer)
    refuse(
      'fewer_pages',
      `The site shows ${known.length} of its pages: ${cheaper} is cheaper. Send accept_fewer to crawl it all the same`,
    )
  const { title, markdown } = await mainTextOf(page, tools, refuse)
  const crawl_id = `crawl_${randomUUID().replaceAll('-', '')}`
  const at = tools.now()
  const { told, row } = hook
    ? await triedFor({ ...hook, crawl_id, origin, at }, desk, refuse)
    : { told: { secret: null, public_key: null }, row: null }
  const answer = new Serialised({
    ...{ crawl_id, url: page.finalUrl, pages_asked: most, pages_known: known.length },
    first_page: { title, characters: markdown.length },
    status_url: `${origin}/crawl/status?crawl_id=${crawl_id}`,
    result_lasts_days: crawlLastsMs / 86_400_000,
    ...told,
  })
  const crawl = beginning({ crawl_id, url: page.finalUrl, under, most, at })
  // The crawl begins when the settlement of this answer is in the log.
  await desk.tell(crawlOrders, {
    crawl_id,
    answer_sha256: sha256(answer.json),
    crawl: { ...crawl, subscription_id: row?.subscription_id ?? null },
    subscription: row,
  })
  return answer
}

interface CrawlHook {
  url: string
  secret: Buffer
}

function hookOf(
  { webhookUrl, webhookSecret }: HookAsked,
  hasHooks: boolean,
  refuse: Refuse<HookRefusal>,
): CrawlHook | undefined {
  if (webhookUrl === undefined && webhookSecret !== undefined)
    refuse('invalid_webhook', 'webhookSecret is given without webhookUrl')
  if (webhookUrl === undefined) return undefined
  if (!hasHooks) throw new Failure('not_configured', 'Webhooks are not offered by this deployment')
  const url = webhookOf(webhookUrl, said => refuse('invalid_webhook', said))
  return { url, secret: secretOf(webhookSecret, refuse) }
}

interface HookTrial extends CrawlHook {
  crawl_id: string
  origin: string
  at: number
}

/** Tries the webhook. Nobody is reminded of the end of its row. */
async function triedFor(
  { crawl_id, url, secret, origin, at }: HookTrial,
  desk: Desk,
  refuse: Refuse<HookRefusal>,
): Promise<{ told: { secret: string; public_key: string }; row: WatchSubscription }> {
  const subscription_id = crawl_id.replace('crawl', 'sub')
  const trial = { subscriptionId: subscription_id, url, secret, data: { crawl_id } }
  const { sealed, told } = await triedHook(desk, trial, refuse)
  const row: WatchSubscription = {
    ...{ subscription_id, what: 'crawl', subject: crawl_id, webhook_url: url, origin },
    ...{ method: 'GET', body: '', network: '', payee: '', reminded: 'ended', orders: [] },
    secrets: [{ sealed, until: null }],
    started_at: instant(at),
    expires_at: instant(at + 2 * crawlLastsMs),
  }
  return { told, row }
}

type Beginning = Pick<SiteCrawl, 'crawl_id' | 'url' | 'under' | 'most'> & { at: number }

const beginning = ({ at, ...asked }: Beginning): SiteCrawl => ({
  ...asked,
  ...{
    payer: '',
    state: 'waiting',
    ordered_at: instant(at),
    begun_at: null,
    ended_at: null,
    ended_because: null,
  },
  ...{ pages_read: 0, pages_failed: 0, duplicates: 0, pages_known: 0, progress_blob: null },
  ...{ result_blob: null, result_sha256: null, result_bytes: 0, subscription_id: null },
})

function mustHaveRoom({ view }: Pick<Tools, 'view'>): void {
  let open = 0
  for (const { state } of view(crawlNow, undefined).rows()) if (state !== 'done') open += 1
  if (open >= mostOpen) throw new Busy(`${open} crawls wait for their turn`, 300)
}
