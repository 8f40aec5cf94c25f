/** Every poll returns all active alerts. An alert that is missing in a poll is over. */
import { z } from 'zod'
import { weatherAlerts } from '../../schemas/weather-alerts.ts'
import { nws } from '../lookups/forecast/nws.ts'
import { driftOf } from '../rails/drift.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import { readJson } from '../rails/formats/json.ts'
import type { Answer, Outside, Validators } from '../rails/outside/upstreams/outside.ts'
import { type Feature, feature, knownProperties, nameOf, standing, toAlert } from './alerts/feature.ts'
import { type Emitted, emit, gone, type Source } from './source.ts'

interface Cursor {
  /** The short names of the alerts in force. */
  known: string[]
  validators: Validators
  /** The last poll had no alert. We believe this only if the next poll has none either. */
  wasEmpty: boolean
}

const collection = z.object({
  type: z.literal('FeatureCollection'),
  features: z.array(z.unknown()),
  pagination: z.object({ next: z.string().optional() }).optional(),
})
const mostPages = 20
/** A few hundred to a thousand alerts are a few MB. On the day of a hurricane they are more. */
const mostBytes = 64 * 2 ** 20

export const alerts: Source<Cursor> = {
  name: 'alerts',
  upstreams: [nws],
  writes: [weatherAlerts],
  schedule: '*/30 * * * * *',
  timeoutMs: 25_000,
  silentAfterMs: 10 * 60_000,

  async *pull(cursor, outside) {
    const read = await readAll(outside, cursor?.validators)
    if (!read) return
    const { features, validators } = read
    const known = new Set(cursor?.known)
    const now = eventsOf(features)
    if (now.size === 0 && known.size > 0 && !cursor?.wasEmpty) {
      yield { events: [], cursor: { known: [...known], validators: {}, wasEmpty: true } }
      throw new UpstreamFailed('no alert in the whole country: believed when a second poll says so')
    }
    const begun = [...now].filter(([name]) => !known.has(name)).map(([, event]) => event)
    const over = [...known].filter(name => !now.has(name)).map(name => gone(weatherAlerts, name))
    yield {
      events: [...begun, ...over],
      cursor: { known: [...now.keys()], validators, wasEmpty: now.size === 0 },
      drift: driftOf(
        knownProperties,
        features.map(one => (one as { properties?: unknown } | null)?.properties),
      ),
    }
  },
}

/** The alerts in force, by name. An unreadable alert is an event too, so that its dataset rejects it visibly. */
function eventsOf(features: readonly unknown[]): Map<string, Emitted> {
  const events = new Map<string, Emitted>()
  const readable: Feature[] = []
  for (const read of features) {
    const { data } = feature.safeParse(read)
    if (data) readable.push(data)
    else events.set(nameOf(JSON.stringify(read)), { dataset: weatherAlerts, event: read })
  }
  for (const alert of standing(readable)) {
    const name = nameOf(alert.properties.id)
    events.set(name, emit(weatherAlerts, toAlert(name, alert)))
  }
  return events
}

async function readAll(outside: Outside, validators: Validators | undefined) {
  const features: unknown[] = []
  let first: Validators | undefined
  let path: string | undefined = '/alerts/active?status=actual&message_type=alert,update'
  for (let page = 0; path !== undefined; page++) {
    if (page === mostPages) throw new UpstreamFailed(`${path} would be page ${page + 1} of alerts`)
    const answer: Answer = await outside.get(nws, path, {
      accept: 'application/geo+json',
      validators: page === 0 ? validators : undefined,
      maxBytes: mostBytes,
      proof: ({ status, text }) => status === 200 && text().includes('"FeatureCollection"'),
    })
    if (answer.unchanged) return undefined
    first ??= answer.validators
    const listed: z.output<typeof collection> = readJson(collection, answer.text(), answer.from)
    features.push(...listed.features)
    path = listed.pagination?.next && pathOf(listed.pagination.next)
  }
  return { features, validators: first ?? {} }
}

/** The links of the service contain its real address, even if we ask a mirror. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
