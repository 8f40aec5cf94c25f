/** Every poll returns all active alerts. An alert that is missing in a poll is over. */
import { z } from 'zod'
import { weatherAlerts } from '../../schemas/weather-alerts.ts'
import { nws } from '../lookups/forecast/nws.ts'
import { driftOf } from '../rails/drift.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import { parseInPieces } from '../rails/formats/json-pieces.ts'
import { inTurns, weightOf } from '../rails/formats/members.ts'
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
  // A list is not copied, however long it is.
  features: z.custom<unknown[]>(Array.isArray),
  pagination: z.object({ next: z.string().optional() }).optional(),
})
const mostPages = 20
/** A few hundred to a thousand alerts are a few MB. On the day of a hurricane they are more. */
const mostBytes = 64 * 2 ** 20
/** A longer one stands for its zones, without its outline. */
const mostAlertBytes = 1 << 20
/** How many are looked at for a new form. */
const mostLooked = 2_000

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
    const now = await eventsOf(features)
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
        features.slice(0, mostLooked).map(one => (one as { properties?: unknown } | null)?.properties),
      ),
    }
  },
}

/** The alerts in force, by name. An unreadable alert is an event too, so that its dataset rejects it visibly. */
async function eventsOf(features: readonly unknown[]): Promise<Map<string, Emitted>> {
  const events = new Map<string, Emitted>()
  const readable: Feature[] = []
  for await (const { member, bytes } of inTurns(features, mostAlertBytes)) {
    const read = bytes > mostAlertBytes ? withoutOutline(member) : member
    const { data } = feature.safeParse(read)
    if (data) readable.push(data)
    else events.set(nameOf(JSON.stringify(read)), { dataset: weatherAlerts, event: read })
  }
  for await (const { member } of inTurns(standing(readable), mostAlertBytes)) {
    const alert = member as Feature
    const name = nameOf(alert.properties.id)
    events.set(name, emit(weatherAlerts, toAlert(name, alert)))
  }
  return events
}

function withoutOutline(given: unknown): unknown {
  const read = { ...(given as object), geometry: null }
  return weightOf(read, mostAlertBytes) > mostAlertBytes ? { too_long: true } : read
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
      proof: ({ status, bytes }) => status === 200 && bytes.includes('"FeatureCollection"'),
    })
    if (answer.unchanged) return undefined
    first ??= answer.validators
    const listed = await listedIn(answer)
    for (const one of listed.features) features.push(one)
    path = listed.pagination?.next && pathOf(listed.pagination.next)
  }
  return { features, validators: first ?? {} }
}

async function listedIn({ bytes, from }: Answer): Promise<z.output<typeof collection>> {
  const read = await parseInPieces(bytes).then(
    value => collection.safeParse(value),
    () => undefined,
  )
  if (!read?.data) throw new UpstreamFailed(`${from} answered with something other than a list of alerts`)
  return read.data
}

/** The links of the service contain its real address, even if we ask a mirror. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
