/**
 * How well each source keeps its promise: now, from memory, and over 90 days, from the store. The page also works without the
 * store.
 */

import type { NetworkName } from '../../schemas/tables/networks.ts'
import { Failure } from '../offer/errors.ts'
import type { OpenOrigin, ServedPage } from '../offer/origin.ts'
import { generalPicture, urlOf } from '../query/catalog/offered.ts'
import { layout, pageHeaders } from '../query/face/layout.ts'
import { table } from '../query/face/table.ts'
import { escaped } from '../query/face/text.ts'
import type { HealthParts } from '../roles/health.ts'
import { healthOf } from '../roles/health.ts'
import { ago } from './ago.ts'
import { canarySection, lastPurchases } from './canary.ts'
import { feedOf, feedPath, type Incident, incidentSection, incidentsOf } from './incidents.ts'
import { type KeptAnswer, keptAnswer } from './kept-answer.ts'
import { days, isOff, pollsUntil, promisedMs } from './promises.ts'

interface Day {
  source: string
  day: string
  polls: number
  good: number
  /** The seconds of the day in which a good poll was overdue. */
  late: number
  /** The seconds since the first poll of the source that is known, at most all that are told. */
  span: number
  median_ms: number
  slow_ms: number
}

const dayMs = 86_400_000

/** A gap between two good polls counts on the day of its end. The last gap still lasts. */
export const historyUntil = (now: number): string => `with ${pollsUntil(now)},
  gaps as (select source, coalesce(next, least(moment, if(is_off, off_at, moment))) as ended, ended - greatest(good + promise, moment - ${days} * 86400) as over from goods join last using (source)),
  late as (select source, toDate(toDateTime(ended)) as day, sum(greatest(over, 0)) as late from gaps group by source, day),
  polled as (select source, toDate(toDateTime(ended)) as day, count() as polls, countIf(was_good) / polls as good, quantile(0.5)(took_ms) as median_ms, quantile(0.95)(took_ms) as slow_ms from polls group by source, day),
  spans as (select source, moment - greatest(min(if(never, good + promise, good)), moment - ${days} * 86400) as span from goods group by source),
  told as (select source, toString(day) as day, polls, good, late, median_ms, slow_ms from polled full join late using (source, day))
select source, day, polls, good, late, span, median_ms, slow_ms from told join spans using (source) order by source, day`

/** `explored`: the networks whose block explorers know what is sold here. */
export function statusPages(
  parts: HealthParts,
  contact: string,
  explored: readonly NetworkName[] = [],
): ServedPage[] {
  const kept = keptAnswer<Day[]>(() => parts.store?.query<Day>(historyUntil(parts.now())), parts.now)
  const incidents = incidentsKept(parts)
  const status: ServedPage = {
    path: '/status',
    isForPeople: true,
    answer: async ({ origins }) => {
      const [health, past, late] = await Promise.all([
        healthOf(parts, origins),
        kept.fresh(),
        incidents(origins).fresh(),
      ])
      const newest = Math.max(...Object.values(health.sources).map(({ last_poll }) => Date.parse(last_poll)))
      const rows = Object.entries(health.sources)
        .toSorted(([a], [b]) => Number(promisedMs.has(b)) - Number(promisedMs.has(a)) || a.localeCompare(b))
        .map(([source, now]) => rowOf(source, { ...now, newest }, past.value ?? [], parts.now()))
      const canary = canarySection(parts.shelf ? lastPurchases(parts.shelf) : [], explored)
      const body = `<h1>Status</h1>
<p class="lead">${health.ready ? '<span class="good">Open for calls.</span>' : '<span class="bad">Not ready for calls now.</span>'} Stale data is not sold as fresh: such a call is refused, free.</p>
<nav class="row" aria-label="On this page"><a href="#sources">Sources</a><a href="#incidents">Incidents</a>${canary && '<a href="#canary">The canary</a>'}</nav>
${past.isOld ? `<p class="quiet">The store is away: the history is ${past.value ? 'what it said last' : 'not known'}. Calls that need no store are sold.</p>` : ''}
<div id="sources">${table({ columns, rows, caption: 'Sources' })}</div>
<p class="quiet">The promise is how old the last good poll may be. It is kept while it is not older. A poll takes: the median, and in brackets the slowest of twenty.</p>
${incidentSection(late.value, parts.now())}
${facilitatorsOf(parts)}
${canary}
<p><a href="/health">The same for programs</a> · <a href="/lineage">Where each fact comes from and who sells it</a></p>`
      const shown = {
        title: 'Status · Farebox',
        path: '/status',
        about: 'How each source fares, now and over 90 days.',
        body,
        contact,
        picture: generalPicture(origins),
      }
      return { type: 'text/html; charset=utf-8', body: layout(shown), headers: pageHeaders }
    },
  }
  const feed: ServedPage = {
    path: feedPath,
    answer: async ({ origins }) => {
      const { value } = await incidents(origins).fresh()
      if (!value) throw new Failure('not_ready', 'The store is away, so the incidents are not known now')
      return { type: 'application/rss+xml; charset=utf-8', body: feedOf(value, urlOf(origins), parts.now()) }
    },
  }
  return [status, feed]
}

/** Each host tells of its own operations. */
function incidentsKept(parts: HealthParts) {
  const kept = new WeakMap<readonly OpenOrigin[], KeptAnswer<Incident[]>>()
  return (origins: readonly OpenOrigin[]): KeptAnswer<Incident[]> => {
    const known =
      kept.get(origins) ??
      keptAnswer<Incident[]>(
        () => (parts.store ? incidentsOf(parts.store, parts.now(), origins) : undefined),
        parts.now,
      )
    kept.set(origins, known)
    return known
  }
}

/** Who settles payments here, and what catalogs say of what is sold. */
function facilitatorsOf({ till }: HealthParts): string {
  if (!till) return ''
  const rows = till.facilitators().map(({ name, state, listings }) => {
    const said = listings.map(
      ({ operation, status, reason }) => `${operation}: ${status}${reason && ` (${reason})`}`,
    )
    return [escaped(name), escaped(state), said.map(escaped).join('<br>')]
  })
  return `<h2>Facilitators</h2>
${table({ columns: ['facilitator', 'now', 'what its catalog says of our operations'], rows, caption: 'Facilitators' })}`
}

const columns = [
  'source',
  'last poll',
  { title: 'last good', isNumber: true },
  { title: 'promise', isNumber: true },
  { title: `kept, ${days} days`, isNumber: true },
  { title: 'good polls', isNumber: true },
  { title: 'a poll takes', isNumber: true },
  'good polls by day',
]

interface Now {
  last_poll: string
  /** When any source was polled last. */
  newest: number
  outcome: string
  age_seconds: number | null
  error: string | null
}

const states = {
  off: '<span class="quiet">not asked any more</span>',
  failed: '<span class="bad">failed</span>',
  good: '<span class="good">good</span>',
}

function rowOf(
  source: string,
  { outcome, age_seconds, error, last_poll, newest }: Now,
  past: readonly Day[],
  now: number,
): string[] {
  const own = past.filter(day => day.source === source)
  const polled = own.filter(({ polls }) => Number(polls))
  const promised = promisedMs.get(source)
  const standing = isOff(source, Date.parse(last_poll), newest)
    ? 'off'
    : outcome === 'failed'
      ? 'failed'
      : 'good'
  const state = states[standing]
  const [first] = polled
  const spanSeconds = Number(first?.span ?? 0)
  const lateSeconds = own.reduce((sum, { late }) => sum + Number(late), 0)
  const polls = polled.reduce((sum, { polls }) => sum + Number(polls), 0)
  const good = polled.reduce((sum, { polls, good }) => sum + Number(polls) * Number(good), 0)
  const last = polled.at(-1)
  return [
    `<span id="source-${escaped(source)}">${escaped(source)}</span>`,
    `${state}${error ? ` <small>${escaped(error)}</small>` : ''}`,
    age_seconds === null ? 'never' : ago(age_seconds),
    promised === undefined ? 'none' : ago(promised / 1000),
    promised === undefined || !spanSeconds ? '' : percent(1 - lateSeconds / spanSeconds),
    polls ? percent(good / polls) : '',
    last ? `${Math.round(last.median_ms)} ms (${Math.round(last.slow_ms)})` : '',
    `${bars(source, polled, now)} <small>${yesterday(polled, now)}</small>`,
  ]
}

/** Rounded down: what was late is never the whole. A share that floating point has made too small by a trace is no smaller. */
const percent = (share: number): string =>
  `${(Math.floor(Math.max(0, share) * 10_000 + 1e-9) / 100).toFixed(2)} %`

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The bars show no figure, and this day is asked for most. */
function yesterday(own: readonly Day[], now: number): string {
  const known = own.find(({ day }) => day === dayOf(now - dayMs))
  if (!known) return 'yesterday: not asked'
  const late = Number(known.late) ? `, late for ${ago(Number(known.late))}` : ', never late'
  return `yesterday: ${percent(Number(known.good))}${late}`
}

/** Draws one bar a day, as high as the share of good polls. */
function bars(source: string, own: readonly Day[], now: number): string {
  const known = new Map(own.map(({ day, good }) => [day, Number(good)]))
  const drawn = Array.from({ length: days }, (_, i) => {
    const day = dayOf(now - (days - 1 - i) * dayMs)
    const good = known.get(day)
    const kind = good === undefined ? 'none' : good < 0.95 ? 'gap' : 'bar'
    const height = good === undefined ? 2 : Math.max(2, Math.round(good * 20))
    return `<rect class="${kind}" x="${i * 2}" y="${20 - height}" width="1.5" height="${height}"/>`
  })
  return `<svg role="img" aria-label="Good polls of ${escaped(source)} by day" width="180" height="20" viewBox="0 0 180 20">${drawn.join('')}</svg>`
}
