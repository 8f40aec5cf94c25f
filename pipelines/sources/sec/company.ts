/** Fetches one complete filer, document by document. The last row is written after all others, so it confirms them. */
import { secCompanies } from '../../../schemas/sec-companies.ts'
import { isEventForm, secEvents } from '../../../schemas/sec-events.ts'
import { type SecFact, secFacts } from '../../../schemas/sec-facts.ts'
import { type SecFiling, secFilings } from '../../../schemas/sec-filings.ts'
import { type SecFinancialsAsOf, secFinancials } from '../../../schemas/sec-financials.ts'
import { paddedCik } from '../../../schemas/values/sec-values.ts'
import { instant } from '../../../schemas/values/values.ts'
import { conceptsRead } from '../../domains/company/concept-chains.ts'
import { eventOfItems } from '../../domains/company/events/event.ts'
import { financialsOf } from '../../domains/company/financials.ts'
import type { Drift } from '../../rails/drift.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { type Emitted, emit } from '../source.ts'
import { ConceptCutter } from './concepts.ts'
import { askEdgar, type EdgarAsking } from './edgar.ts'
import { factDrift, factsOf } from './facts.ts'
import { readOlderFilings, readSubmissions, type Submissions } from './submissions.ts'
import { secData } from './upstream.ts'

/** A page is short enough that its check does not delay a caller. */
const pageEvents = 1000
/** Ten times what the largest filers have. */
export const maxDocumentBytes = 64 * 2 ** 20
/** Of the concepts that count. The largest filers have a tenth of them. */
const mostRead = 100_000

export async function fetchSubmissions(
  outside: Outside,
  cik: number,
  asking?: EdgarAsking,
): Promise<Submissions | undefined> {
  const path = `/submissions/CIK${paddedCik(cik)}.json`
  const answer = await askEdgar(outside, secData, path, { maxBytes: maxDocumentBytes, ...asking })
  return answer && readSubmissions(answer.bytes, answer.from, instant(outside.now()))
}

/** Fetches the facts, and computes the metrics from them. It leaves out facts that were filed before `since`. */
export async function* fetchFacts(
  outside: Outside,
  cik: number,
  { since, notice, ...asking }: EdgarAsking & Partial<Pick<Reading, 'since' | 'notice'>> = {},
): AsyncGenerator<Emitted[]> {
  const path = `/api/xbrl/companyfacts/CIK${paddedCik(cik)}.json`
  const answer = await askEdgar(outside, secData, path, { maxBytes: maxDocumentBytes, ...asking })
  const today = instant(outside.now()).slice(0, 10)
  yield* readFacts(cik, inChunks(answer?.bytes), { since, today, from: path, notice })
}

/** Ignores everything that was filed later. */
export async function fetchFinancialsAsOf(
  outside: Outside,
  cik: number,
  asOf: string,
  asking: EdgarAsking,
): Promise<SecFinancialsAsOf> {
  const path = `/api/xbrl/companyfacts/CIK${paddedCik(cik)}.json`
  const answer = await askEdgar(outside, secData, path, { maxBytes: maxDocumentBytes, ...asking })
  const read: SecFact[] = []
  const cutter = new ConceptCutter()
  for await (const chunk of inChunks(answer?.bytes))
    for (const concept of cutter.cut(chunk))
      if (conceptsRead.has(`${concept.taxonomy}:${concept.name}`))
        for (const fact of factsOf(cik, concept)) if (fact.filed <= asOf) keep(read, fact)
  return { ...financialsOf(cik, read, asOf), as_of: asOf }
}

export async function* fetchOlderFilings(
  outside: Outside,
  cik: number,
  files: readonly string[],
  asking?: EdgarAsking,
): AsyncGenerator<Emitted[]> {
  for (const file of files) {
    const path = `/submissions/${file}`
    const answer = await askEdgar(outside, secData, path, { maxBytes: maxDocumentBytes, ...asking })
    if (answer) yield* olderPages(await readOlderFilings(answer.bytes, cik, answer.from))
  }
}

export const olderPages = (filings: readonly SecFiling[], since = ''): Generator<Emitted[]> =>
  inPages(filings.filter(({ filed }) => filed >= since).map(row => emit(secFilings, row)))

/** The row of the filer comes after its filings. */
export const submissionPages = ({ company, filings }: Submissions, since = ''): Generator<Emitted[]> =>
  inPages([
    ...filings.filter(({ filed }) => filed >= since).map(row => emit(secFilings, row)),
    emit(secCompanies, company),
  ])

const yearMs = 400 * 86_400_000

/** The events of the last year, with their items but still without their texts. */
export function eventPages({ company, filings }: Submissions, since = ''): Generator<Emitted[]> {
  const yearAgo = instant(Date.parse(company.read_at) - yearMs).slice(0, 10)
  return inPages(
    filings
      .filter(({ form, filed }) => isEventForm(form) && filed >= since && filed >= yearAgo)
      .map(filing => emit(secEvents, eventOfItems(filing, company))),
  )
}

interface Reading {
  since?: string | undefined
  today: string
  from: string
  /** Is called with drifts. Absent for a nightly archive, which has too many rows. */
  notice?: ((drift: readonly Drift[]) => void) | undefined
}

export async function* readFacts(
  cik: number,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { since = '', today, from, notice }: Reading,
): AsyncGenerator<Emitted[]> {
  const cutter = new ConceptCutter()
  const read: SecFact[] = []
  let page: Emitted[] = []
  for await (const chunk of chunks)
    for (const concept of cutter.cut(chunk)) {
      const counts = conceptsRead.has(`${concept.taxonomy}:${concept.name}`)
      if (counts) notice?.(factDrift(concept))
      for (const fact of factsOf(cik, concept)) {
        if (counts) keep(read, fact)
        if (fact.filed < since) continue
        page.push(emit(secFacts, fact))
        if (page.length < pageEvents) continue
        yield page
        page = []
      }
    }
  if (!cutter.done) throw new UpstreamFailed(`${from} was cut off`)
  yield [...page, emit(secFinancials, financialsOf(cik, read, today))]
}

/** They are read once more, all together. */
function keep(read: SecFact[], fact: SecFact): void {
  if (read.push(fact) > mostRead)
    throw new UpstreamFailed(`a company has more than ${mostRead} facts that count`)
}

const chunkBytes = 65_536

/** Yields a document in chunks, as a stream does, with a pause after each so that other work can run. */
async function* inChunks(bytes: Buffer | undefined): AsyncGenerator<Buffer> {
  for (let start = 0; bytes && start < bytes.length; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes)
    await new Promise(resolve => setImmediate(resolve))
  }
}

function* inPages(events: readonly Emitted[]): Generator<Emitted[]> {
  for (let start = 0; start < events.length; start += pageEvents)
    yield events.slice(start, start + pageEvents)
}
