/** What stands behind an operation: how fresh its sources are, and how an analyst asks the views that it reads. */
import { sources } from '../../pipelines/sources/index.ts'
import type { Dataset, View } from '../../schemas/dataset/dataset.ts'
import { sqlText } from '../../schemas/dataset/sql-text.ts'
import { sourceNow } from '../../schemas/source-ticks.ts'
import type { OpenOrigin } from '../offer/origin.ts'
import type { Behind, Offered } from '../query/catalog/offered.ts'
import type { HealthParts } from '../roles/health.ts'
import { ago } from './ago.ts'
import { keptAnswer } from './kept-answer.ts'
import { linesOf } from './lineage-lines.ts'

interface Poll {
  source: string
  moment: string
  outcome: string
  took_ms: number
  error: string | null
}

const mostPolls = 5
/** A source that is polled once a day has some of these, too. */
const pollDays = 14
const lastPolls = `select source, toString(at) as moment, outcome, took_ms, error from source_ticks
  where at > now() - interval ${pollDays} day order by at desc limit ${mostPolls} by source`

export function behindOf(parts: HealthParts) {
  const kept = keptAnswer<Poll[]>(() => parts.store?.query<Poll>(lastPolls), parts.now)
  return async ({ id, example }: Offered, origins: readonly OpenOrigin[]): Promise<Behind> => {
    const lines = (await linesOf(origins)).flatMap(line => {
      const read = line.views.filter(({ operations }) => operations.some(each => each.id === id))
      return read.length || line.operations.some(each => each.id === id) ? { line, read } : []
    })
    const polled = new Map(
      parts.shelf ? [...parts.shelf.peek(sourceNow)].map(tick => [tick.source, tick]) : [],
    )
    const names = new Set(lines.flatMap(({ line }) => line.sources))
    // Who waits for the page of an operation without sources waits for no store.
    const polls = names.size ? ((await kept.fresh()).value ?? []) : []
    return {
      sources: sources
        .filter(({ name }) => names.has(name))
        .map(({ name, silentAfterMs }) => {
          const tick = polled.get(name)
          const age = tick?.good_at
            ? Math.max(0, Math.round((parts.now() - Date.parse(tick.good_at)) / 1000))
            : undefined
          return {
            name,
            state: tick?.outcome ?? 'not polled yet',
            isGood: tick !== undefined && tick.outcome !== 'failed',
            lastGood: age === undefined ? 'never' : `${ago(age)} ago`,
            promise: ago(silentAfterMs / 1000),
            polls: polls
              .filter(({ source }) => source === name)
              .map(({ moment, outcome, took_ms: tookMs, error }) => ({
                ...{ at: moment.slice(0, 19), outcome, error },
                tookMs: Number(tookMs),
              })),
          }
        }),
      views: lines.flatMap(({ line, read }) =>
        read.map(({ view }) => ({
          name: view.name,
          sql: queryOf(view, example.request),
          columns: columnsOf(line.dataset, view),
        })),
      ),
    }
  }
}

/** A view of the newest rows has the columns of its dataset. */
const columnsOf = ({ fields }: Dataset, { kind, columns }: View): [name: string, about: string][] => [
  ...(kind === 'latest'
    ? Object.entries(fields).map(([name, { about }]): [string, string] => [name, columns[name] ?? about])
    : []),
  ...Object.entries(columns).filter(([name]) => kind !== 'latest' || !Object.hasOwn(fields, name)),
]

/** A key of the view that the question names, too, is asked for. */
function queryOf({ name, key }: View, question: unknown): string {
  const asked = Object.entries((question ?? {}) as Record<string, unknown>).filter(
    ([field, value]) => key.includes(field) && ['string', 'number'].includes(typeof value),
  )
  const where = asked.map(
    ([field, value]) => `${field} = ${typeof value === 'number' ? value : sqlText(String(value))}`,
  )
  return `select * from ${name}${where.length ? ` where ${where.join(' and ')}` : ''} limit 10`
}
