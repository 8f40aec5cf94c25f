/** A Dataset is a kind of fact, declared once: topic, table, row types and views all come from here. */
import { z } from 'zod'

/**
 * One column: the zod type of its value beside its ClickHouse type, so the two cannot drift apart. The default of a type
 * is what events and rows hold that were written before the column existed.
 */
export interface Field<T extends z.ZodType = z.ZodType> {
  type: T
  column: string
  about: string
}

export const field = <T extends z.ZodType>(type: T, column: string, about: string): Field<T> => ({
  type,
  column,
  about,
})

export type Fields = Record<string, Field>
export type RowOf<F extends Fields> = { [K in keyof F]: z.output<F[K]['type']> }

export interface Dataset<F extends Fields = Fields> {
  name: string
  about: string
  fields: F
  /** Columns that order the topic: equal keys keep their order, and a compacted topic keeps the newest per key. */
  key: readonly string[]
  /** Columns that make a fact: two events equal in these are one fact, however often delivered. */
  identity: readonly string[]
  views: readonly View[]
  /** The boolean column that takes a fact back: an event in which it is true deletes the row of its identity. */
  withdrawn: string | undefined
  /** `analysts` may read the table; `service` keeps it from them; `log` means the topic has no table. */
  audience: 'analysts' | 'service' | 'log'
  topic: Topic
  /** The strict check of one event, made at both ends of the log. */
  event: z.ZodType<RowOf<F>>
  /** The record key of an event in the log. */
  keyOf(event: RowOf<F>): string
}

/** How a topic lives in the log. `newest` keeps the newest record per key for ever; `ms` forgets by age. */
export interface Topic {
  name: string
  keep: 'newest' | { ms: number } | 'forever'
}

/**
 * What a view's freshness rule may look at: `polledAt`, the last good poll of its source, if there was one; `newest`,
 * the row whose key sorts last.
 */
export interface Freshness<Row, Asked = unknown> {
  now: number
  polledAt: number | undefined
  newest: Row | undefined
  asked: Asked
}

/** A table shaped like an answer. `latest` is the newest row per key, live; `rebuilt` is any SQL, swapped in whole. */
// biome-ignore lint/suspicious/noExplicitAny: a view of any row stands in a dataset's list
export interface View<Row = any, Asked = any> {
  name: string
  about: string
  kind: 'latest' | 'rebuilt'
  key: readonly string[]
  /** Kept in the memory of every query instance, read from the topic itself. */
  held: boolean
  /** Too large to be held: looked up by these columns of the topic's key or below it, and cached. */
  looked: Looked | undefined
  /** The source whose polls vouch for it. */
  source: string | undefined
  /** May this view answer now? Declared per view, for each knows what "old" means for it. */
  fresh: (about: Freshness<Row, Asked>) => boolean
  /** SQL that turns rows (the text given is a table or subquery) into the analyst's shape. */
  sql: (rows: string) => string
}

/** How a large view is looked up: all rows equal in `by`, the newest by `newestBy` first, no more than `most`. */
export interface Looked {
  by: readonly string[]
  newestBy: readonly string[]
  most: number
}

const keySeparator = '|'
/** What every view of a source may rely on: a poll that was good within the last `ms`. */
export const polledWithin =
  (ms: number) =>
  ({ now, polledAt }: { now: number; polledAt: number | undefined }): boolean =>
    polledAt !== undefined && now - polledAt <= ms

export function defineDataset<const F extends Fields>(spec: {
  name: string
  about: string
  fields: F
  key: readonly (keyof F & string)[]
  identity: readonly (keyof F & string)[]
  views?: readonly View[]
  withdrawn?: keyof F & string
  audience?: Dataset['audience']
  keep?: Topic['keep']
}): Dataset<F> {
  const views = spec.views ?? []
  // A held view is read from the compacted topic: its rows are the records that are kept, so it has their key.
  for (const view of views)
    if (view.held && view.key.join() !== spec.key.join())
      throw new Error(
        `${view.name} is held by ${view.key.join()}, but ${spec.name} is keyed by ${spec.key.join()}`,
      )
  const shape = Object.fromEntries(Object.entries(spec.fields).map(([name, f]) => [name, f.type]))
  return {
    name: spec.name,
    about: spec.about,
    fields: spec.fields,
    key: spec.key,
    identity: spec.identity,
    views,
    withdrawn: spec.withdrawn,
    audience: spec.audience ?? 'analysts',
    topic: {
      name: spec.name.replace('_', '.'),
      keep: spec.keep ?? (views.some(view => view.held) ? 'newest' : 'forever'),
    },
    event: z.strictObject(shape) as unknown as z.ZodType<RowOf<F>>,
    keyOf: event =>
      spec.key.map(column => String((event as Record<string, unknown>)[column])).join(keySeparator),
  }
}

/** An event as it stands in the log, checked; or why it is none. */
export function readEvent<F extends Fields>(
  dataset: Dataset<F>,
  text: string,
): { event: RowOf<F>; reason?: undefined } | { event?: undefined; reason: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { reason: 'not JSON' }
  }
  const checked = dataset.event.safeParse(value)
  return checked.success ? { event: checked.data } : { reason: whatIsWrong(checked.error) }
}

/** Each wrong field, named, with what it should be. */
export const whatIsWrong = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => (path.length ? `${path.join('.')}: ${message}` : message)).join('; ')

/** The record key under which a held view keeps a row; the same text as the dataset's `keyOf`. */
export const keyText = (...parts: readonly (string | number)[]): string => parts.join(keySeparator)

/** The newest row per key, live. Tables already hold one row per identity; this narrows them to one per key. */
export function latest<Row, Asked = undefined>(spec: {
  name: string
  about: string
  key: readonly (keyof Row & string)[]
  held?: boolean
  looked?: Looked & { by: readonly (keyof Row & string)[]; newestBy: readonly (keyof Row & string)[] }
  source?: string
  fresh?: View<Row, Asked>['fresh']
  sql?: View['sql']
}): View<Row, Asked> {
  return {
    name: spec.name,
    about: spec.about,
    kind: 'latest',
    key: spec.key,
    held: spec.held ?? false,
    looked: spec.looked,
    source: spec.source,
    fresh: spec.fresh ?? (() => true),
    sql: spec.sql ?? (rows => `select * from ${rows}`),
  }
}

/** Any SQL over the tables, recomputed whole on a clock or by hand, and swapped in at once. */
export function rebuilt<Row, Asked = undefined>(spec: {
  name: string
  about: string
  key: readonly (keyof Row & string)[]
  sql: string
  fresh?: View<Row, Asked>['fresh']
}): View<Row, Asked> {
  return {
    name: spec.name,
    about: spec.about,
    kind: 'rebuilt',
    key: spec.key,
    held: false,
    looked: undefined,
    source: undefined,
    fresh: spec.fresh ?? (() => true),
    sql: () => spec.sql,
  }
}
