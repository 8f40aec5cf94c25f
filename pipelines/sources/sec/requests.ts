/** Fetches the companies that the query tier asks for. It shares the rate with all other requests. */
import { type CompanyAsked, secRequests } from '../../../schemas/sec-requests.ts'
import { instant } from '../../../schemas/values.ts'
import { append } from '../../intake.ts'
import type { Log } from '../../log/log.ts'
import type { Outside } from '../../outside/outside.ts'
import { answerRequests, type Loaded } from '../../requests.ts'
import type { Running } from '../../running.ts'
import type { Summarise } from '../../sec/events/model.ts'
import type { Worker } from '../../worker.ts'
import type { Emitted } from '../source.ts'
import { fetchFacts, fetchOlderFilings, fetchSubmissions, submissionPages } from './company.ts'
import { fetchEvents, newestEvents } from './events.ts'
import type { Submissions } from './submissions.ts'

export interface CompanyRequestsOptions {
  log: Log
  outside: (signal: AbortSignal) => Outside
  now: () => number
  summarise?: Summarise | undefined
  onFailed: (name: string, error: unknown) => void
}

const yearMs = 365 * 86_400_000
const urgent = { urgent: true }

export function answerCompanyRequests(options: CompanyRequestsOptions): Promise<Running> {
  const { log, now, summarise } = options

  async function load({ cik, what }: CompanyAsked, outside: Outside): Promise<Loaded | undefined> {
    const submissions = await fetchSubmissions(outside, cik, urgent)
    if (!submissions) return undefined
    if (what === 'older_filings') {
      await take(fetchOlderFilings(outside, cik, submissions.olderFiles, urgent))
      return {}
    }
    await take(fetchFacts(outside, cik, urgent))
    await take(submissionPages(submissions))
    // No caller waits for the texts of the reports. Until they are there, the summaries are made from the item codes.
    return { afterwards: later => take(eventsOf(submissions, later)) }
  }

  function eventsOf(submissions: Submissions, outside: Outside): AsyncIterable<Emitted[]> {
    const filings = newestEvents(submissions, instant(now() - yearMs).slice(0, 10))
    return fetchEvents({ name: submissions.company.name, filings }, outside, summarise)
  }

  async function take(pages: AsyncIterable<Emitted[]> | Iterable<Emitted[]>): Promise<void> {
    for await (const events of pages) await append(events, { log, source: secRequests.name, now })
  }

  return answerRequests(secRequests, { ...options, load })
}

export const companyRequests: Worker = {
  part: 'request',
  name: secRequests.name,
  role: 'ingest',
  follows: { topic: secRequests.topic, group: secRequests.name },
  open: answerCompanyRequests,
}
