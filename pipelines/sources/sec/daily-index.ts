/** EDGAR's index of a day lists all filings of that day, once the day is over. */
import { instant } from '../../../schemas/values/values.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { askEdgar } from './edgar.ts'
import type { FeedEntry } from './feed.ts'
import { secWww } from './upstream.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Eastern time is this far behind UTC in winter. In summer one hour makes no difference here. */
const easternMs = 5 * hourMs
/** The archives are built at three in the morning, Eastern time. */
const builtMs = 4 * hourMs
/** An index appears at ten in the evening, Eastern time. A day without business never gets one. */
const publishedMs = dayMs + 3.5 * hourMs
const patienceMs = 8 * hourMs

const easternDay = (ms: number): string => instant(ms - easternMs).slice(0, 10)

/** The archives bring older filings. */
const mostDays = 7

/** The days from the day of `from` to the day of `to`. */
export function daysBetween(from: number, to: number): string[] {
  const days: string[] = []
  for (let at = Date.parse(easternDay(from)); at <= to - easternMs; at += dayMs)
    days.push(instant(at).slice(0, 10))
  return days.slice(-mostDays)
}

/** The days that are missing in the newest archive. */
export const daysSinceArchive = (now: number): string[] => daysBetween(now - builtMs, now)

/** The filings of those days whose index is out, and the days whose index is still to come. */
export async function fromIndex(
  days: readonly string[],
  outside: Outside,
): Promise<{ entries: FeedEntry[]; missed: string[] }> {
  const entries: FeedEntry[] = []
  const missed: string[] = []
  for (const day of new Set(days)) {
    if (isWeekend(day)) continue
    const lateMs = outside.now() - Date.parse(day) - publishedMs
    const answer =
      lateMs < 0 ? undefined : await askEdgar(outside, secWww, pathOf(day), { maxBytes: mostBytes })
    if (answer) entries.push(...entriesIn(answer.text()))
    else if (lateMs < patienceMs) missed.push(day)
  }
  return { entries, missed }
}

/** The list of a busy day has two megabytes. */
const mostBytes = 16 * 2 ** 20

const isWeekend = (day: string): boolean => [0, 6].includes(new Date(day).getUTCDay())

function pathOf(day: string): string {
  const [year, month = ''] = day.split('-')
  const quarter = Math.ceil(Number(month) / 3)
  return `/Archives/edgar/daily-index/${year}/QTR${quarter}/master.${day.replaceAll('-', '')}.idx`
}

const row =
  /^(\d+)\|[^|]*\|([^|]+)\|(\d{4})-?(\d{2})-?(\d{2})\|edgar\/data\/\d+\/(\d{10}-\d{2}-\d{6})\.txt\s*$/gm
/** Forms about people, about funds, and letters: no company's answer uses them, and the nightly archive brings them. */
const passedOver = /^(144|CORRESP|UPLOAD|D)(\/A)?$|13[DFGH]|^(N-|NPORT|497|485|40-17|24F)/

const entriesIn = (index: string): FeedEntry[] =>
  [...index.matchAll(row)].flatMap(([, cik, form = '', year, month, day, accession = '']) =>
    passedOver.test(form)
      ? []
      : { form, cik: Number(cik), role: 'Filer', accession, filed: `${year}-${month}-${day}`, at: 0 },
  )
