/** Reads the feed of new filings, and fetches their companies again until EDGAR's documents show the filing. */
import { secCompanies } from '../../../schemas/sec-companies.ts'
import { secEvents } from '../../../schemas/sec-events.ts'
import { secFacts } from '../../../schemas/sec-facts.ts'
import { reportForms, secFilings } from '../../../schemas/sec-filings.ts'
import { secFinancials } from '../../../schemas/sec-financials.ts'
import { isInsiderForm, secInsiders } from '../../../schemas/sec-insiders.ts'
import type { Summarise } from '../../domains/company/events/model.ts'
import type { Drift } from '../../rails/drift.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import type { Emitted, Source } from '../source.ts'
import { fetchFacts, fetchSubmissions, submissionPages } from './company.ts'
import { daysBetween, daysSinceArchive, fromIndex } from './daily-index.ts'
import { fetchEvent, newestEvents } from './events.ts'
import { type FeedEntry, feedPages, mostPages } from './feed.ts'
import { fetchInsiders } from './insiders.ts'
import { wasRead } from './seen.ts'
import { secData, secWww } from './upstream.ts'

interface Changed {
  cik: number
  accessions: string[]
  /** The day of the oldest of these filings. */
  since: string
  /** The accessions of reports with numbers. */
  reports: string[]
  tries: number
  dueAt: number
}

interface Cursor {
  /** The time of the newest entry seen. */
  at: number
  /** The entries of the minutes before it, because the feed may still add older ones. */
  seen: [accession: string, at: number][]
  changed: Changed[]
  /** The days that the feed did not show completely. Their index does. */
  missed?: string[]
}

const minuteMs = 60_000
const behindMs = 5 * minuteMs
/**
 * EDGAR's documents follow its feed within a minute, at peak times later. After these tries the nightly file must
 * bring the filing.
 */
const retryMs = [1, 3, 10].map(minutes => minutes * minuteMs)
/** A filing changes these parties, but not a party that only signs or files for others. */
const concerned = new Set(['Filer', 'Issuer', 'Subject'])
/** Only the list of filings tells whether a 6-K has numbers. */
const isReport = (form: string) => reportForms.includes(form) && !form.startsWith('6-K')

interface Needs {
  dataDir: string
  summarise?: Summarise | undefined
}

export const current: Source<Cursor, Needs> = {
  name: 'sec_current',
  upstreams: [secWww, secData],
  writes: [secCompanies, secFilings, secFacts, secFinancials, secEvents, secInsiders],
  schedule: '* * * * *',
  timeoutMs: 15 * minuteMs,
  silentAfterMs: 15 * minuteMs,

  async *pull(cursor, outside, needs) {
    const found = await newEntries(cursor, outside)
    const { entries, missed } = await fromIndex([...(cursor?.missed ?? []), ...found.missed], outside)
    let next: Cursor = { ...merged(cursor, [...found.entries, ...entries], outside.now()), missed }
    // The list of companies to fetch is written first, so that a kill forgets none of them.
    const isNews = missed.join() !== (cursor?.missed ?? []).join()
    if (found.entries.length || entries.length || isNews) yield { events: [], cursor: next }
    const due = next.changed.filter(({ dueAt }) => dueAt <= outside.now()).sort(newestFirst)
    for (const one of due.slice(0, mostCompanies)) {
      // It records a failed try before the fetch, so that a company whose documents crash the process cannot block
      // the others.
      next = replaced(next, one.cik, left(one, new Set(), outside.now()))
      yield { events: [], cursor: next }
      let shown: ReadonlySet<string> = new Set()
      const show = (accessions: ReadonlySet<string>) => {
        shown = accessions
      }
      const drift: Drift[] = []
      for await (const events of refresh(one, outside, needs, { show, drift }))
        yield { events, cursor: next, drift: drift.splice(0) }
      next = replaced(next, one.cik, left(one, shown, outside.now()))
      yield { events: [], cursor: next }
    }
  },
}

/** The newest filings are fetched first, because the companies of an index may take many polls. */
const newestFirst = (a: Changed, b: Changed): number => Number(a.since < b.since) - Number(a.since > b.since)
const mostCompanies = 200

const replaced = (cursor: Cursor, cik: number, by: readonly Changed[]): Cursor => ({
  ...cursor,
  changed: cursor.changed.flatMap(other => (other.cik === cik ? by : [other])),
})

/** The entries of the feed, and the days that the feed does not show completely. */
async function newEntries(
  cursor: Cursor | undefined,
  outside: Outside,
): Promise<{ entries: FeedEntry[]; missed: string[] }> {
  const seen = new Set(cursor?.seen.map(([accession]) => accession))
  const found: FeedEntry[] = []
  let pages = 0
  for await (const entries of feedPages(outside)) {
    pages++
    found.push(...entries.filter(({ accession }) => !seen.has(accession)))
    if (!cursor || entries.some(({ at }) => at < cursor.at - behindMs)) break
  }
  // The first poll only learns the position of the feed. The archives have everything before that day.
  if (!cursor) return { entries: found, missed: daysSinceArchive(outside.now()) }
  const oldest = Math.min(...found.map(({ at }) => at))
  return {
    entries: found.filter(({ at }) => at >= cursor.at - behindMs),
    // After a long silence, the feed has more filings than one poll reads.
    missed: pages === mostPages && oldest > cursor.at ? daysBetween(cursor.at, oldest) : [],
  }
}

function merged(cursor: Cursor | undefined, found: readonly FeedEntry[], now: number): Cursor {
  const at = Math.max(cursor?.at ?? 0, ...found.map(entry => entry.at))
  const changed = new Map(cursor?.changed.map(one => [one.cik, one]))
  for (const { cik, role, form, accession, filed } of found) {
    if (!concerned.has(role)) continue
    const one = changed.get(cik)
    const reports = isReport(form) ? [accession] : []
    changed.set(cik, {
      cik,
      accessions: [...new Set([...(one?.accessions ?? []), accession])],
      since: one && one.since < filed ? one.since : filed,
      reports: [...new Set([...(one?.reports ?? []), ...reports])],
      tries: 0,
      dueAt: now,
    })
  }
  const seen = new Map([...(cursor?.seen ?? []), ...found.map(entry => [entry.accession, entry.at] as const)])
  return {
    at,
    seen: [...seen].filter(([, seenAt]) => seenAt >= at - behindMs),
    changed: [...changed.values()],
  }
}

/**
 * Yields everything filed since then (all filings, until the archives have brought the rest), and reports which
 * accessions EDGAR's documents show.
 */
async function* refresh(
  { cik, since, accessions, reports: announced }: Changed,
  outside: Outside,
  { dataDir, summarise }: Needs,
  { show, drift }: { show: (accessions: ReadonlySet<string>) => void; drift: Drift[] },
): AsyncGenerator<readonly Emitted[]> {
  const submissions = await fetchSubmissions(outside, cik)
  if (!submissions) return
  drift.push(...submissions.drift())
  const shown = new Set(submissions.filings.map(({ accession }) => accession))
  const reports = submissions.filings
    .filter(({ form, is_xbrl }) => is_xbrl && reportForms.includes(form))
    .map(({ accession }) => accession)
    .filter(accession => accessions.includes(accession))
    .concat(announced)
  if (reports.length) {
    const inFacts = new Set<string>()
    const from = (await wasRead(dataDir, 'companyfacts.zip')) ? since : undefined
    const notice = (found: readonly Drift[]) => void drift.push(...found)
    for await (const events of fetchFacts(outside, cik, { since: from, notice })) {
      for (const { dataset, event } of events)
        if (dataset === (secFacts as unknown)) inFacts.add((event as { accession: string }).accession)
      yield events
    }
    for (const accession of reports) if (!inFacts.has(accession)) shown.delete(accession)
  }
  yield* submissionPages(submissions, (await wasRead(dataDir, 'submissions.zip')) ? since : undefined)
  const filings = newestEvents(submissions, since).filter(({ accession }) => accessions.includes(accession))
  for (const filing of filings) yield await fetchEvent(submissions.company, filing, outside, { summarise })
  const forms = submissions.filings.filter(
    ({ form, accession }) => isInsiderForm(form) && accessions.includes(accession),
  )
  for (const form of forms) yield await fetchInsiders(form, outside)
  show(shown)
}

/** Returns what to ask for again, a few times: the filings that EDGAR does not show yet. */
function left(one: Changed, shown: ReadonlySet<string>, now: number): Changed[] {
  const accessions = one.accessions.filter(accession => !shown.has(accession))
  const waitMs = retryMs[one.tries]
  if (!accessions.length || waitMs === undefined) return []
  const reports = one.reports.filter(accession => !shown.has(accession))
  return [{ ...one, accessions, reports, tries: one.tries + 1, dueAt: now + waitMs }]
}
