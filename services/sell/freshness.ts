/** What a view promises about the age of its facts: that the feeds of a table have been polled well lately. */
import { sources } from '../../pipelines/sources/index.ts'
import { datasets } from '../../schemas/index.ts'
import { sourceNow } from '../../schemas/source-ticks.ts'
import { Failure } from '../offer/errors.ts'
import type { Tools } from '../offer/operation.ts'

/** The names of the feeds that fill a table, or the table behind a view. */
export function feedsOf(table: string): string[] {
  const dataset = datasets.find(
    ({ name, views }) => name === table || views.some(view => view.name === table),
  )
  if (!dataset) return []
  return sources
    .filter(({ writes }) => writes.some(({ topic }) => topic === dataset.topic))
    .map(({ name }) => name)
}

export function freshnessOf({ table, within }: { table: string; within: number }) {
  const feeds = feedsOf(table)
  return ({ view, now }: Pick<Tools, 'view' | 'now'>): void => {
    const polls = view(sourceNow, undefined)
    // A feed that this deployment never polls promises nothing.
    const ticks = feeds.flatMap(feed => polls.get(feed) ?? [])
    const isFresh = ticks.every(({ good_at }) => good_at !== null && now() - Date.parse(good_at) <= within)
    if (!ticks.length || !isFresh)
      throw new Failure('stale_data', `${table} is older than we promise`, { 'Retry-After': '30' })
  }
}
