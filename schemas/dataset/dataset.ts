/** A Dataset is a kind of fact. Its one declaration gives topic, table, row types and views. */
import { z } from 'zod'

/**
 * One column. The zod type is beside the ClickHouse type, so the two cannot drift apart. Events and rows that are
 * older than the column have the default of the zod type.
 */
export interface Field<T extends z.ZodType = z.ZodType> {
  type: T
  column: string
  about: string
  /** The compression of the column, in the engine's spelling. If unset, the usual one. */
  codec?: string
}

export const field = <T extends z.ZodType>(
  type: T,
  column: string,
  about: string,
  codec?: string,
): Field<T> => ({ type, column, about, ...(codec !== undefined && { codec }) })

export type Fields = Record<string, Field>
export type RowOf<F extends Fields> = { [K in keyof F]: z.output<F[K]['type']> }

export interface Dataset<F extends Fields = Fields> {
  name: string
  about: string
  fields: F
  /**
   * The columns of the record key: records of one key keep their order, and a compacted topic keeps the newest of
   * each.
   */
  key: readonly string[]
  /** The columns that identify a fact: two events that are equal in them are one fact, however often it is delivered. */
  identity: readonly string[]
  views: readonly View[]
  /** The boolean column that withdraws a fact: an event in which it is true deletes the row of its identity. */
  withdrawn: string | undefined
  /** `analysts`: they may read the table. `service`: they may not. `log`: the topic has no table. */
  audience: 'analysts' | 'service' | 'log'
  /** A record of the topic holds many events of one key (packed-events.ts), for events by the hundred million. */
  packed: boolean
  topic: Topic
  table: Table
  /** The checks run after each load. */
  checks: readonly Check[]
  /** The strict check of one event. Its writer makes it. */
  event: z.ZodType<RowOf<F>>
  /** The check of its readers. They take the columns that they know: a newer version may have written more. */
  known: z.ZodType<RowOf<F>>
  /** The record key of an event in the log. */
  keyOf(event: RowOf<F>): string
}

/** How long the log keeps records. `newest` keeps the newest record of each key for ever; `ms` drops records by age. */
export interface Topic {
  name: string
  keep: 'newest' | { ms: number } | 'forever'
  /** All records have one order, not only those of a key. Then one machine of a cluster does all of the writing. */
  inOneOrder?: boolean
}

/** How the store keeps the rows: for ever, unless `expires` says otherwise. */
interface Table {
  /** SQL of the partition. Only a table that loses its old rows needs one: it then drops whole files. */
  partitionBy?: string
  /** A row is deleted this many days after the time in this column. */
  expires?: { after: string; days: number }
  /** Many ask for all of its rows: what is older than a day becomes one file, in which no question looks for second rows of a fact. */
  whole?: boolean
  /** Columns that are asked for one value, and that the rows are not ordered by. The engine skips what cannot hold the value. */
  found?: readonly string[]
}

/** A promise about the rows. */
export interface Check {
  name: string
  about: string
  /** SQL that selects the rows that break it. It may say `lately`. */
  wrong: string
  /** What came so long before the last look is looked at again: it may end late, or be told late by a part of the log that lags. */
  againHours?: number
}

/** In the SQL of a check: a row has come since the last look that found nothing wrong. Once a day, all rows have come. */
export const lately = '{lately}'

/**
 * What a view's freshness rule may use. `polledAt` is the last good poll of its source, if there was one. `newest` is
 * the row whose key sorts last.
 */
interface Freshness<Row, Asked = unknown> {
  now: number
  polledAt: number | undefined
  newest: Row | undefined
  asked: Asked
}

/**
 * A table shaped like an answer. `latest` always holds the newest row of each key. `rebuilt` holds the result of any
 * SQL.
 */
// biome-ignore lint/suspicious/noExplicitAny: a view of any row stands in a dataset's list
export interface View<Row = any, Asked = any> {
  name: string
  about: string
  kind: 'latest' | 'rebuilt'
  key: readonly string[]
  /**
   * The columns that decide which row of a key is the newest. Among equal rows, the last in the log wins. Without
   * columns, only the log decides.
   */
  newest: readonly string[]
  /** Every query instance reads it from the topic and keeps it in memory. */
  held: boolean
  /** An answer can do without it: before the first load it is empty, and not a failure. */
  required: boolean
  /** For a view that is too large for memory: how its rows are looked up in the store. They are cached. */
  looked: Looked | undefined
  /** The source whose good polls show that the view is up to date. */
  source: string | undefined
  /** Whether this view may answer now. Each view has its own rule, because each has its own idea of "old". */
  fresh: (about: Freshness<Row, Asked>) => boolean
  /** The table that the view is read from, where its rows stand in an order of their own. */
  ordered: Ordered | undefined
  /** The table of sums that the view is read from. */
  summed: Summed | undefined
  /** The rows that count, as SQL. The view holds the newest of these for each key, and ignores all others. */
  of: string | undefined
  /** The SQL that analysts read. `rows` is the name of a table, or a subquery. */
  sql: (rows: string) => string
  /** The description of each column. A column of a live view without an entry here comes from its dataset. */
  columns: Readonly<Record<string, string>>
}

/**
 * A table of the rows that count, one of each key, for questions over all of them. The engine fills it with every insert, so a
 * view on it sorts nothing when it is asked.
 */
export interface Ordered {
  table: string
  about: string
  /** The columns that its rows are ordered by, then those of the view's key. */
  by: readonly string[]
  columns: readonly string[]
  /**
   * SQL that is true of rows which may be the second ones of their key. They are few, and only their keys are looked at to
   * withdraw all but the newest row. Absent: the key is the identity of the facts, so the engine keeps one row of each.
   */
  doubtful?: string
}

/** A table of sums by month or week, for questions over all facts that no order of theirs can answer quickly. It is made anew after each load, where months have changed. */
export interface Summed {
  table: string
  about: string
  /** The columns of one row: `month` (as in 202611) or `week` (its Monday), and those of the facts that are summed apart. */
  by: readonly ['month' | 'week', ...string[]]
  fields: Fields
  /** The ordered table that has the facts. If absent, the table of the dataset. */
  from?: string
  /** The time of a fact, and SQL that is true of those that count. */
  time: string
  of: string
  /** SQL of each sum, by its column. */
  sums: Readonly<Record<string, string>>
}

/** How a large view is looked up: all rows with equal values in `by`, the newest by `newestBy` first, at most `most`. */
interface Looked {
  by: readonly string[]
  newestBy: readonly string[]
  most: number
}

const keySeparator = '|'
/** The freshness rule of most views: their source had a good poll within the last `ms`. */
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
  packed?: boolean
  inOneOrder?: boolean
  checks?: readonly Check[]
  table?: Table & {
    expires?: { after: keyof F & string; days: number }
    found?: readonly (keyof F & string)[]
  }
}): Dataset<F> {
  const views = spec.views ?? []
  const keep = spec.keep ?? (views.some(view => view.held) ? 'newest' : 'forever')
  if (spec.packed && keep === 'newest')
    throw new Error(`${spec.name}: a compacted topic keeps one record of a key, so its events are not packed`)
  // A held view is read from the compacted topic, which keeps one record for each key of the dataset.
  for (const view of views)
    if (view.held && view.key.join() !== spec.key.join())
      throw new Error(
        `${view.name} is a held view with the key ${view.key.join()}; the key of ${spec.name} is ${spec.key.join()}`,
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
    packed: spec.packed ?? false,
    topic: {
      name: spec.name.replace('_', '.'),
      keep,
      ...(spec.inOneOrder && { inOneOrder: true }),
    },
    table: spec.table ?? {},
    checks: spec.checks ?? [],
    event: z.strictObject(shape) as unknown as z.ZodType<RowOf<F>>,
    known: z.object(shape) as unknown as z.ZodType<RowOf<F>>,
    keyOf: event =>
      spec.key.map(column => String((event as Record<string, unknown>)[column])).join(keySeparator),
  }
}

/** The columns of an event that this version does not know: a newer version has written it. */
export const newerColumns = ({ fields }: { fields: Fields }, event: object): string[] =>
  Object.keys(event).filter(name => !Object.hasOwn(fields, name))

/**
 * Reads and checks one event of the log. The reason says why the text is not an event. `newer` names the columns that it
 * has beyond the known ones.
 */
export function readEvent<F extends Fields>(
  dataset: Dataset<F>,
  text: string,
):
  | { event: RowOf<F>; newer: readonly string[]; reason?: undefined }
  | { event?: undefined; newer?: undefined; reason: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { reason: 'not JSON' }
  }
  const { success, data, error } = dataset.known.safeParse(value)
  if (!success) return { reason: whatIsWrong(error) }
  return { event: data, newer: newerColumns(dataset, value as object) }
}

/** A stranger's text may be wrong in every letter. */
const mostMistakes = 5

/** Names the first wrong fields, with their expected values. What begins like a sentence is one of its own. */
export function whatIsWrong({ issues }: Pick<z.ZodError, 'issues'>): string {
  const told = issues
    .slice(0, mostMistakes)
    .map(({ path, message }) => (path.length ? `${path.join('.')}: ${message}` : message))
  const more = issues.length - told.length
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])]
    .map((text, i) => (i === 0 ? text : `${/^[A-Z]/.test(text) ? '. ' : '; '}${text}`))
    .join('')
}

/** The record key of a row in a held view. It equals the dataset's `keyOf`. */
export const keyText = (...parts: readonly (string | number)[]): string => parts.join(keySeparator)

/** The newest row of each key. A table holds one row per identity; this view holds one per key. */
export function latest<Row, Asked = undefined>(spec: {
  name: string
  about: string
  key: readonly (keyof Row & string)[]
  newest?: readonly (keyof Row & string)[]
  held?: boolean
  required?: false
  looked?: Looked & { by: readonly (keyof Row & string)[]; newestBy: readonly (keyof Row & string)[] }
  source?: string
  fresh?: View<Row, Asked>['fresh']
  of?: string
  ordered?: Ordered & { by: readonly (keyof Row & string)[]; columns: readonly (keyof Row & string)[] }
  summed?: Summed
  sql?: View['sql']
  columns?: View['columns']
}): View<Row, Asked> {
  return {
    name: spec.name,
    about: spec.about,
    kind: 'latest',
    key: spec.key,
    newest: spec.newest ?? [],
    held: spec.held ?? false,
    required: spec.required ?? true,
    looked: spec.looked,
    source: spec.source,
    fresh: spec.fresh ?? (() => true),
    of: spec.of,
    ordered: spec.ordered,
    summed: spec.summed,
    sql: spec.sql ?? (rows => `select * from ${rows}`),
    columns: spec.columns ?? {},
  }
}

/**
 * The result of any SQL over the tables. A schedule or an operator recomputes it; the new result replaces the old one
 * at once.
 */
export function rebuilt<Row, Asked = undefined>(spec: {
  name: string
  about: string
  key: readonly (keyof Row & string)[]
  sql: string
  columns: View['columns']
  looked?: Looked
  fresh?: View<Row, Asked>['fresh']
}): View<Row, Asked> {
  return {
    name: spec.name,
    about: spec.about,
    kind: 'rebuilt',
    key: spec.key,
    newest: [],
    held: false,
    required: true,
    looked: spec.looked,
    source: undefined,
    fresh: spec.fresh ?? (() => true),
    of: undefined,
    ordered: undefined,
    summed: undefined,
    sql: () => spec.sql,
    columns: spec.columns,
  }
}
