/** What the query tier asked for is fetched here, by the ingest role, within the budget of everything else. */
import { readEvent } from '../../../schemas/dataset.ts'
import { type SecRequest, secRequests } from '../../../schemas/sec-requests.ts'
import { instant } from '../../../schemas/values.ts'
import { UpstreamFailed } from '../../failures.ts'
import { append } from '../../intake.ts'
import type { Log, Received } from '../../log/log.ts'
import type { Outside } from '../../outside/outside.ts'
import type { Running } from '../../running.ts'
import type { Summarise } from '../../sec/events/model.ts'
import type { Emitted } from '../source.ts'
import { fetchFacts, fetchOlderFilings, fetchSubmissions, submissionPages } from './company.ts'
import { fetchEvents, newestEvents } from './events.ts'
import type { Submissions } from './submissions.ts'

export interface QueueOptions {
  log: Log
  outside: (signal: AbortSignal) => Outside
  now: () => number
  summarise?: Summarise | undefined
  onFailed: (name: string, error: unknown) => void
}

/** Whoever asked longer ago has gone. */
const stillWantedMs = 60_000
const timeoutMs = 60_000
const yearMs = 365 * 86_400_000
const urgent = { urgent: true }

export async function startRequestQueue(options: QueueOptions): Promise<Running> {
  const { log, now, outside, summarise, onFailed } = options
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()

  /** Nobody behind in the queue waits for a slow one ahead: the budget alone says who is next. */
  const following = await log.follow(secRequests.topic, 'sec_requests', batch => {
    for (const asked of wanted(batch, now())) run(`${asked.what} ${asked.cik}`, () => answer(asked))
  })

  function run(name: string, work: () => Promise<void>): void {
    if (running.has(name)) return
    running.set(
      name,
      work().finally(() => running.delete(name)),
    )
  }

  async function answer(asked: SecRequest): Promise<void> {
    try {
      const submissions = await load(asked, world())
      await reply(asked, submissions ? 'loaded' : 'unknown', null)
      if (submissions && asked.what === 'company') run(`events ${asked.cik}`, () => tellEvents(submissions))
    } catch (error) {
      if (stopping.signal.aborted) return
      // The world fails: whoever asked is told, free of charge, and may ask again.
      onFailed(`sec request ${asked.what}`, error)
      const reason = error instanceof UpstreamFailed ? error.message : 'it could not be fetched'
      await reply(asked, 'failed', reason).catch(problem => onFailed('sec request', problem))
    }
  }

  const world = () => outside(AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]))

  /** Nobody waits for the texts of its reports: until they are there, their items tell. */
  async function tellEvents(submissions: Submissions): Promise<void> {
    const since = instant(now() - yearMs).slice(0, 10)
    try {
      const filings = newestEvents(submissions, since)
      await take(fetchEvents({ name: submissions.company.name, filings }, world(), summarise))
    } catch (error) {
      if (!stopping.signal.aborted) onFailed('sec events', error)
    }
  }

  async function load({ cik, what }: SecRequest, world: Outside): Promise<Submissions | undefined> {
    const submissions = await fetchSubmissions(world, cik, urgent)
    if (!submissions) return undefined
    if (what === 'older_filings') await take(fetchOlderFilings(world, cik, submissions.olderFiles, urgent))
    else {
      await take(fetchFacts(world, cik, urgent))
      await take(submissionPages(submissions))
    }
    return submissions
  }

  async function take(pages: AsyncIterable<Emitted[]> | Iterable<Emitted[]>): Promise<void> {
    for await (const events of pages) await append(events, { log, source: 'sec_requests', now })
  }

  async function reply(asked: SecRequest, state: SecRequest['state'], reason: string | null): Promise<void> {
    const event: SecRequest = { ...asked, state, reason, at: instant(now()) }
    await log.append(secRequests.topic, [{ key: secRequests.keyOf(event), value: JSON.stringify(event) }])
  }

  return {
    ended: following.ended,
    close: async () => {
      stopping.abort(new Error('stopping'))
      await following.close()
      await Promise.all(running.values())
    },
  }
}

function* wanted(batch: readonly Received[], now: number): Generator<SecRequest> {
  for (const { value, at } of batch) {
    const { event } = value === null ? {} : readEvent(secRequests, value)
    if (event?.state === 'asked' && now - at < stillWantedMs) yield event
  }
}
