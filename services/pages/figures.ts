/** What the first page tells of now: how much is sold, and how fresh the facts are. */
import { sources } from '../../pipelines/sources/index.ts'
import { sourceNow } from '../../schemas/source-ticks.ts'
import type { Figure } from '../query/catalog/offered.ts'
import type { HealthParts } from '../roles/health.ts'
import { ago } from './ago.ts'
import { lastPurchases } from './canary.ts'
import { keptAnswer } from './kept-answer.ts'
import { isOff } from './promises.ts'

const soldToday = (now: number): string =>
  `select count() as calls from receipts where at >= toStartOfDay(toDateTime64(${now} / 1000, 3, 'UTC'))`

/** It never waits for the store: what is not known yet is not told. */
export function figuresOf(parts: HealthParts): () => Promise<readonly Figure[]> {
  const sold = keptAnswer(
    () =>
      parts.store?.query<{ calls: number }>(soldToday(parts.now())).then(([row]) => Number(row?.calls ?? 0)),
    parts.now,
  )
  return async () => {
    const calls = sold.known()
    return [
      ...(calls === undefined ? [] : [{ name: 'calls sold today (UTC)', value: calls.toLocaleString('en') }]),
      freshSources(parts),
      ...lastPurchase(parts),
    ]
  }
}

/** How long ago the canary bought last, and how it went. */
function lastPurchase({ shelf, now }: HealthParts): Figure[] {
  const last = shelf && lastPurchases(shelf).find(({ state }) => state === 'good' || state === 'failed')
  if (!last) return []
  const age = Math.max(0, Math.round((now() - Date.parse(last.at)) / 1000))
  return [{ name: `since our canary bought ${last.operation}: ${last.state}`, value: ago(age) }]
}

/** A source is fresh while its last good poll is not older than it promises. One that is switched off does not count. */
function freshSources({ shelf, now }: HealthParts): Figure {
  const ticks = shelf ? [...shelf.peek(sourceNow)] : []
  const newest = Math.max(...ticks.map(({ at }) => Date.parse(at)))
  const polled = new Map(
    ticks
      .filter(({ source, at }) => !isOff(source, Date.parse(at), newest))
      .map(({ source, good_at }) => [source, good_at]),
  )
  const asked = sources.filter(({ name }) => polled.has(name))
  const fresh = asked.filter(({ name, silentAfterMs }) => {
    const at = polled.get(name)
    return at != null && now() - Date.parse(at) <= silentAfterMs
  })
  return { name: 'sources fresh now', value: `${fresh.length} of ${asked.length}` }
}
