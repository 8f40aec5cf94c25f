/** Fetches the companies and documents that the query tier asks for, within the rate of everything else. */
import { rejects } from '../../schemas/rejects.ts'
import { secFinancialsAsOf } from '../../schemas/sec-financials.ts'
import { type CompanyAsked, type DocumentsAsked, secRequests } from '../../schemas/sec-requests.ts'
import { type Summarise, summariesBy } from '../domains/company/events/model.ts'
import { summaryVariables } from '../domains/document/summary/variables.ts'
import type { Log } from '../rails/log/log.ts'
import type { Outside } from '../rails/outside/upstreams/outside.ts'
import { answerRequests } from '../rails/requests.ts'
import type { Running } from '../rails/running.ts'
import { append } from '../sources/intake.ts'
import {
  eventPages,
  fetchFacts,
  fetchFinancialsAsOf,
  fetchOlderFilings,
  fetchSubmissions,
  submissionPages,
} from '../sources/sec/company.ts'
import { fetchEvent } from '../sources/sec/events.ts'
import { fetchInsiders } from '../sources/sec/insiders.ts'
import { secRate } from '../sources/sec/upstream.ts'
import { dutyOfRate, type Emitted, emit } from '../sources/source.ts'
import type { Worker } from './worker.ts'

interface CompanyRequestsOptions {
  log: Log
  outside: (signal: AbortSignal) => Outside
  now: () => number
  summarise?: Summarise | undefined
  onFailed: (name: string, error: unknown) => void
}

const urgent = { urgent: true }

export function answerCompanyRequests(options: CompanyRequestsOptions): Promise<Running> {
  const { log, now, summarise } = options

  async function load(asked: CompanyAsked, outside: Outside): Promise<boolean> {
    if (asked.what === 'events' || asked.what === 'insiders') return loadDocuments(asked, outside)
    const { cik, what, as_of } = asked
    if (as_of !== null) {
      await take([[emit(secFinancialsAsOf, await fetchFinancialsAsOf(outside, cik, as_of, urgent))]])
      return true
    }
    const submissions = await fetchSubmissions(outside, cik, urgent)
    if (!submissions) return false
    if (what === 'older_filings') {
      await take(fetchOlderFilings(outside, cik, submissions.olderFiles, urgent))
      return true
    }
    await take(fetchFacts(outside, cik, urgent))
    await take(eventPages(submissions))
    await take(submissionPages(submissions))
    return true
  }

  /** Reports each document as it arrives, so that a late or failed document does not delay the others. */
  async function loadDocuments({ what, documents }: CompanyAsked, outside: Outside): Promise<boolean> {
    const { filings = [], ...filer } = documents ?? { name: '', industry: null }
    const read = (filing: DocumentsAsked['filings'][number]) =>
      what === 'events'
        ? fetchEvent(filer, filing, outside, { summarise, ...urgent })
        : fetchInsiders(filing, outside, urgent)
    const fetched = await Promise.allSettled(filings.map(async filing => take([await read(filing)])))
    for (const one of fetched) if (one.status === 'rejected') throw one.reason
    return true
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
  writes: [secRequests, secFinancialsAsOf, rejects],
  variables: [summaryVariables],
  open: ({ alone, now, read, onFailed }) => {
    const summarise = summariesBy(read(summaryVariables))
    return alone(dutyOfRate(secRate), own => answerCompanyRequests({ ...own, now, summarise, onFailed }))
  },
}
