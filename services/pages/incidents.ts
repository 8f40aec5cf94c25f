/** Incidents, made from facts: a source was late when its last good poll became older than it promises, until the next good one. */
import type { OpenOrigin } from '../offer/origin.ts'
import { escaped, whole } from '../query/face/text.ts'
import type { HealthParts } from '../roles/health.ts'
import { ago } from './ago.ts'
import { linesOf } from './lineage-lines.ts'
import { days, pollsUntil } from './promises.ts'

const most = 50

export interface Incident {
  source: string
  /** Seconds since 1970: when the promise was broken, and when it was kept again. Null: it lasts. */
  began: number
  ended: number | null
  /** It ended since nobody asks the source any more. */
  off: boolean
  /** No good poll of it was ever known before. */
  never: boolean
  /** The polls that failed meanwhile, and why the last of them did. None: nobody polled, so the service did not run. */
  failed: number
  error: string | null
  /** The calls, by operation, that were refused since the data was late. */
  refused: readonly (readonly [operation: string, calls: number])[]
}

/** A poll that is good begins a stretch, to which the failed ones after it belong. */
const incidentsUntil = (now: number): string => `
  with ${pollsUntil(now)},
  late as (select source, good + promise as began, coalesce(next, if(is_off, off_at, null)) as ended, next is null and is_off as off, never, failed, last_error as error
    from goods join last using (source)
    where coalesce(next, moment) > began order by began desc limit ${most}),
  unsold as (select operation, minute, sum(calls) as calls from door_counts
    where outcome = 'failed' and code in ('stale_data', 'upstream_failed', 'not_ready') and minute > toDateTime64(moment, 3, 'UTC') - interval ${days} day group by operation, minute),
  hit as (select late.source as source, late.began as began, unsold.operation as operation, sum(unsold.calls) as calls from late cross join unsold
    where toUnixTimestamp(unsold.minute) + 60 > late.began and toUnixTimestamp(unsold.minute) < coalesce(late.ended, moment) group by source, began, operation)
  select late.source as source, late.began as began, late.ended as ended, late.off as off, late.never as never, late.failed as failed, late.error as error,
    groupArrayIf((hit.operation, toUInt32(hit.calls)), hit.operation != '') as refused
  from late left join hit on late.source = hit.source and late.began = hit.began
  group by source, began, ended, off, never, failed, error order by began desc`

type Asked = NonNullable<HealthParts['store']>

/** A call counts only where its operation sells what this source brings. */
export async function incidentsOf(
  store: Asked,
  now: number,
  origins: readonly OpenOrigin[],
): Promise<Incident[]> {
  const found = await store.query<Incident>(incidentsUntil(now))
  const sellers = new Map<string, Map<string, string>>()
  for (const { sources, views, operations } of await linesOf(origins))
    for (const source of sources) {
      const known = sellers.get(source) ?? new Map<string, string>()
      for (const each of [...operations, ...views.flatMap(view => view.operations)])
        known.set(each.id, each.path)
      sellers.set(source, known)
    }
  return found.map(({ source, began, ended, off, never, failed, error, refused }) => ({
    ...{ source, error, began: Number(began), ended: ended === null ? null : Number(ended) },
    ...{ off: Boolean(off), never: Boolean(never), failed: Number(failed) },
    refused: refused.flatMap(([id, calls]) => {
      const path = sellers.get(source)?.get(id)
      return path === undefined ? [] : [[path, Number(calls)] as const]
    }),
  }))
}

const moment = (at: number): string => new Date(at * 1000).toISOString()
const minute = (at: number): string => moment(at).slice(0, 16).replace('T', ' ')
const idOf = ({ source, began }: Incident): string => `late-${source}-${Math.floor(began)}`

const titleOf = ({ source, began, ended }: Incident, now: number): string =>
  ended === null
    ? `${source} has been late for ${ago(Math.round(now / 1000 - began))}`
    : `${source} was late for ${ago(Math.round(ended - began))}`

/** XML has no place for control characters and the last two of Unicode's first plane, however they are escaped. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, ' ').toWellFormed()

function toldOf({ began, ended, off, never, failed, error, refused }: Incident): string {
  const why = never ? 'it had no good poll at all' : 'its last good poll was older than it promises'
  const over = off
    ? ' Then it counts as switched off: nobody asks it any more, while other sources are asked.'
    : ''
  const span = `From ${minute(began)} to ${ended === null ? 'now' : minute(ended)} UTC ${why}.${over}`
  const polls = failed
    ? `${whole(failed)} ${failed === 1 ? 'poll' : 'polls'} failed${error ? `, the last one: ${plain(error)}` : ''}.`
    : 'No poll failed: none was made, since the service did not run or could not ask.'
  const calls = refused.map(([name, count]) => `${whole(count)} of ${name}`)
  const unsold = calls.length
    ? `Refused meanwhile, free: ${calls.join(', ')}.`
    : 'No call was refused for it.'
  return [span, polls, unsold].join(' ')
}

export const feedPath = '/status.rss'

export function incidentSection(incidents: readonly Incident[] | undefined, now: number): string {
  const list = (incidents ?? []).map(
    each =>
      `<li id="${idOf(each)}"><h3><span class="${each.ended === null ? 'bad' : 'warn'}">${each.ended === null ? 'now' : 'over'}</span> <time datetime="${moment(each.began)}">${minute(each.began)}</time> <a href="#${idOf(each)}">${escaped(titleOf(each, now))}</a></h3><p>${escaped(toldOf(each))}</p></li>`,
  )
  const none = incidents
    ? `<p>No source was late within ${days} days.</p>`
    : '<p>They are not known now: the store is away.</p>'
  return `<h2 id="incidents">Incidents</h2>
<p class="quiet">Nobody writes them: a source is late while its last good poll is older than it promises. At most the last ${most} of the last ${days} days stand here, and <a href="${feedPath}">in a feed</a>.</p>
${list.length ? `<ol class="log">${list.join('')}</ol>` : none}`
}

/** RSS 2.0. An incident that ends is the same item with other words. */
export function feedOf(incidents: readonly Incident[], url: string, now: number): string {
  const items = incidents.map(each => {
    const link = `${url}/status#${idOf(each)}`
    return `<item><title>${escaped(titleOf(each, now))}</title><link>${link}</link><guid isPermaLink="false">${link}</guid><pubDate>${new Date(each.began * 1000).toUTCString()}</pubDate><description>${escaped(toldOf(each))}</description></item>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Incidents of Farebox</title><link>${url}/status</link><description>When a source was late, and what was refused.</description>${items.join('')}</channel></rss>`
}
