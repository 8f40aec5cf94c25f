/** How each source keeps its promise: now, from memory, and over 90 days, from the store where it is up. */
import type { Parts } from './health.ts'
import { healthOf } from './health.ts'
import type { Page } from './origin.ts'
import { escaped, layout, pageHeaders } from './query/catalog/layout.ts'

interface Day {
  source: string
  day: string
  good: number
  took_ms: number
}

const days = 90
const dayMs = 86_400_000
const keptMs = 60_000
const sql = `select source, toString(toDate(at)) as day, countIf(outcome != 'failed') / count() as good, quantile(0.5)(took_ms) as took_ms from source_ticks where at > now() - interval ${days} day group by source, day order by source, day`

export function statusPage(parts: Parts, contact: string): Page {
  let kept: { days: Day[]; until: number } | undefined
  /** Undefined while the store is away: the page stands without it. */
  async function history(): Promise<Day[] | undefined> {
    if (kept && parts.now() < kept.until) return kept.days
    try {
      kept = { days: (await parts.store?.query<Day>(sql)) ?? [], until: parts.now() + keptMs }
      return kept.days
    } catch {
      return undefined
    }
  }

  return {
    path: '/status',
    answer: async ({ origins }) => {
      const [health, past] = await Promise.all([healthOf(parts, origins), history()])
      const rows = Object.entries(health.sources).map(([source, { outcome, age_seconds, error }]) => {
        const own = past?.filter(day => day.source === source) ?? []
        const good = own.length ? own.reduce((sum, day) => sum + Number(day.good), 0) / own.length : undefined
        const state =
          outcome === 'failed' ? `<span class="bad">failed</span>` : '<span class="good">good</span>'
        return `<tr><td>${escaped(source)}</td><td>${state}${error ? ` <small>${escaped(error)}</small>` : ''}</td><td class="number">${age_seconds === null ? 'never' : ago(age_seconds)}</td><td class="number">${good === undefined ? 'not known' : `${(good * 100).toFixed(2)} %`}</td><td class="number">${own.length ? `${Math.round(Number(own.at(-1)?.took_ms))} ms` : ''}</td><td>${bars(source, own, parts.now())}</td></tr>`
      })
      const body = `<h1>Status</h1>
<p>${health.ready ? '<span class="good">Open for calls.</span>' : '<span class="bad">Not ready for calls now.</span>'} Stale data is not sold as fresh: such a call is refused, free.</p>
${past ? '' : '<p class="quiet">The store is away; what is known without it is shown.</p>'}
<div class="wide" tabindex="0"><table><thead><tr><th>source</th><th>last poll</th><th class="number">last good</th><th class="number">good, ${days} days</th><th class="number">time of a poll</th><th>by day</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>
<p><a href="/health">The same for programs</a></p>`
      const shown = {
        title: 'Status · Farebox',
        about: 'How each source fares, now and over 90 days.',
        body,
        contact,
      }
      return { type: 'text/html; charset=utf-8', body: layout(shown), headers: pageHeaders }
    },
  }
}

const ago = (seconds: number): string =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`

/** One bar a day, as high as the share of good polls. */
function bars(source: string, own: readonly Day[], now: number): string {
  const known = new Map(own.map(({ day, good }) => [day, Number(good)]))
  const drawn = Array.from({ length: days }, (_, i) => {
    const day = new Date(now - (days - 1 - i) * dayMs).toISOString().slice(0, 10)
    const good = known.get(day)
    const kind = good === undefined ? 'none' : good < 0.95 ? 'gap' : 'bar'
    const height = good === undefined ? 2 : Math.max(2, Math.round(good * 20))
    return `<rect class="${kind}" x="${i * 2}" y="${20 - height}" width="1.5" height="${height}"/>`
  })
  return `<svg role="img" aria-label="Good polls of ${escaped(source)} by day" width="180" height="20" viewBox="0 0 180 20">${drawn.join('')}</svg>`
}
