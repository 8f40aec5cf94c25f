/** Writes the SQL of tables and views, derived from the datasets. */
import { type Dataset, type Field, lately, type View } from '../../../schemas/dataset/dataset.ts'
import { sqlText } from '../../../schemas/dataset/sql-text.ts'

/** Two databases, so that one grant on one of them gives analysts exactly what they need. */
export interface Databases {
  analysts: string
  service: string
  /** The name in ClickHouse of the servers that share the rows. If absent, one server has them all. */
  cluster?: string | undefined
}

/** The name under which a dataset is written and read. */
export const databaseOf = (dataset: Dataset, databases: Databases): string =>
  dataset.audience === 'service' ? databases.service : databases.analysts

const shardOf = (database: string): string => `${database}_local`

/** The table with the rows. On a cluster, each shard has a part of them. */
export const rowsOf = (dataset: Dataset, databases: Databases): string =>
  databases.cluster ? shardOf(databaseOf(dataset, databases)) : databaseOf(dataset, databases)

export const allDatabases = ({ analysts, service, cluster }: Databases): string[] =>
  cluster ? [analysts, service, shardOf(analysts), shardOf(service)] : [analysts, service]

/** Makes every server of the cluster run the statement. */
export const everywhere = ({ cluster }: Databases): string => (cluster ? ` on cluster ${cluster}` : '')

/** The columns that the store adds to those of a dataset. */
const bookkeeping = {
  version: {
    column: 'UInt64',
    about: 'The place of the event in the log: of one fact told twice, the higher counts',
    // Versions of one load grow slowly, so their differences are small.
    codec: 'Delta(8), ZSTD(1)',
  },
  is_deleted: { column: 'UInt8', about: '1: the fact is withdrawn', codec: undefined },
} as const

interface Column {
  name: string
  type: string
  about: string
  codec: string | undefined
  /** SQL of the value in rows that were written before the column existed. */
  before?: string | undefined
}

/** Changes with the rows of a group. A merge that drops a row told twice changes it, too. */
export const markSql = 'toString(cityHash64(count(), sum(version), sum(is_deleted)))'

export const columnsOf = (dataset: Dataset): Column[] => [
  ...Object.entries(dataset.fields).map(([name, field]) => {
    checkNullable(dataset, name, field)
    const { column, about, codec = usualCodec(column) } = field
    return { name, type: column, about, codec, before: defaultOf(field) }
  }),
  ...Object.entries(bookkeeping).map(([name, { column, ...rest }]) => ({ name, type: column, ...rest })),
]

function defaultOf({ type }: Field): string | undefined {
  const { data } = type.safeParse(undefined)
  // ClickHouse fills a missing list with an empty one by itself.
  const isEmptyList = Array.isArray(data) && data.length === 0
  return data === undefined || data === null || isEmptyList ? undefined : sqlText(String(data))
}

/** Hashes, addresses and texts take half the place that they take with the usual LZ4. */
const usualCodec = (column: string): string | undefined =>
  /^(Nullable\()?(FixedString\(\d+\)|String)\)?$/.test(column) ? 'ZSTD(1)' : undefined

const isNullable = (column: string) => /^(LowCardinality\()?Nullable\(/.test(column)

function checkNullable(dataset: Dataset, name: string, field: Field): void {
  const takesNull = field.type.safeParse(null).success
  if (takesNull !== isNullable(field.column))
    throw new Error(
      `${dataset.name}.${name}: the event ${takesNull ? 'may be' : 'is never'} null, the column is ${field.column}`,
    )
  if (takesNull && dataset.identity.includes(name))
    throw new Error(`${dataset.name}.${name}: part of the identity, so never null`)
}

/** Whether rows from before the column can be told from rows with a value. Only then may the column be added. */
export const mayBeAdded = ({ type, before }: Column): boolean =>
  before !== undefined || isNullable(type) || /^(Array|Map)\(/.test(type)

export const columnSql = ({ name, type, about, before, codec }: Column): string =>
  [
    `\`${name}\` ${type}`,
    before === undefined ? '' : `default ${before}`,
    `comment ${sqlText(about)}`,
    codec === undefined ? '' : `codec(${codec})`,
  ]
    .filter(part => part !== '')
    .join(' ')

/** In the engine's spelling, so that it can be compared with the table. */
export const expirySql = ({ table: { expires } }: Dataset): string =>
  expires ? `toDateTime(${expires.after}) + toIntervalDay(${expires.days})` : ''

/** The skip indexes of a table, by name. A query for one value reads a few granules then, and not all. */
export const indexesOf = ({ table: { found = [] }, checks }: Dataset): Map<string, string> =>
  new Map([
    ...found.map(
      column => [`found_${column}`, `\`${column}\` type bloom_filter(0.001) granularity 1`] as const,
    ),
    // What came lately stands in files of its own, until they are merged with older ones.
    ...(checks.some(({ wrong }) => wrong.includes(lately))
      ? [['arrived', '`version` type minmax granularity 1'] as const]
      : []),
  ])

/** Servers with the same place in Keeper keep the same rows of a table. */
export const placeInKeeper = (table: string, shard = '{shard}'): string =>
  `/clickhouse/tables/${shard}/${table}`

/** The macro is the name of a server, which is unique in the whole cluster. */
const replicated = (engine: string, place: string, options = ''): string =>
  `Replicated${engine}('${place}', '{replica}'${options && `, ${options}`})`

const versioned = 'version, is_deleted'

/** In the engine's spelling, so that it can be compared with the table. */
export const mergedDaily = 'min_age_to_force_merge_seconds = 86400'

/** The table with the rows. `place` is its place in Keeper, on a cluster. */
export function tableSql(dataset: Dataset, databases: Databases, place?: string): string {
  const table = `${rowsOf(dataset, databases)}.${dataset.name}`
  const engine = databases.cluster
    ? replicated('ReplacingMergeTree', place ?? placeInKeeper(table), versioned)
    : `ReplacingMergeTree(${versioned})`
  const indexes = [...indexesOf(dataset)].map(([name, index]) => `index ${name} ${index}`)
  return `
create table if not exists ${table}${everywhere(databases)} (
  ${[...columnsOf(dataset).map(columnSql), ...indexes].join(',\n  ')}
)
engine = ${engine}
${dataset.table.partitionBy ? `partition by ${dataset.table.partitionBy}` : ''}
order by (${dataset.identity.join(', ')})
${dataset.table.expires ? `ttl ${expirySql(dataset)}` : ''}
settings fsync_after_insert = 1, fsync_part_directory = 1${dataset.table.whole ? `, ${mergedDaily}` : ''}
comment ${sqlText(dataset.about)}`
}

/**
 * Shows the rows of all shards as one table. A fact always goes to the same shard, because only within one shard can
 * identity remove duplicates.
 */
export function spreadSql(dataset: Dataset, databases: Databases): string {
  const { cluster } = databases
  const rows = rowsOf(dataset, databases)
  const hash = `cityHash64(${dataset.identity.join(', ')})`
  return `
create or replace table ${databaseOf(dataset, databases)}.${dataset.name}${everywhere(databases)}
as ${rows}.${dataset.name}
engine = Distributed(${cluster}, ${rows}, ${dataset.name}, ${hash})
comment ${sqlText(dataset.about)}`
}

/** The newest row of each key among the rows that count: by the columns that the view names, then by place in the log. */
function newestRows(dataset: Dataset, view: View, database: string): string {
  if (view.ordered)
    return `(select ${view.ordered.columns.join(', ')} from ${database}.${view.ordered.table} final)`
  const columns = Object.keys(dataset.fields)
  const perIdentity = dataset.identity.every(column => view.key.includes(column))
  const rows = `from ${database}.${dataset.name} final${view.of ? ` where ${view.of}` : ''}`
  const newest = [...view.newest, 'version']
  if (perIdentity) return `(select ${columns.join(', ')} ${rows})`
  // One key of many is looked up: its rows are few.
  if (view.looked)
    return `(select ${columns.join(', ')} ${rows} order by ${newest.map(column => `${column} desc`).join(', ')} limit 1 by ${view.key.join(', ')})`
  // Keeps one row of each key in memory. A sort would keep them all.
  const others = columns.filter(column => !view.key.includes(column))
  const shown = columns.map(column =>
    view.key.includes(column)
      ? column
      : `tupleElement(newest_row, ${others.indexOf(column) + 1}) as ${column}`,
  )
  const row = `argMax(tuple(${others.join(', ')}), ${newest.length > 1 ? `tuple(${newest.join(', ')})` : 'version'})`
  return `(select ${shown.join(', ')} from (select ${view.key.join(', ')}, ${row} as newest_row ${rows} group by ${view.key.join(', ')}))`
}

/** A column as the engine reports it for the answer of a view. */
export interface AnswerColumn {
  name: string
  type: string
}

/**
 * The description of each column of a view. The columns of a live view are those of its dataset, and those that the
 * view adds.
 */
export const aboutColumns = (dataset: Dataset, view: View): Record<string, string> => ({
  ...(view.kind === 'latest' &&
    Object.fromEntries(columnsOf(dataset).map(({ name, about }) => [name, about]))),
  ...view.columns,
})

const shownSql = (dataset: Dataset, view: View, shown: readonly AnswerColumn[]): string => {
  const abouts = aboutColumns(dataset, view)
  return `(${shown.map(({ name, type }) => `\`${name}\` ${type} comment ${sqlText(abouts[name] ?? '')}`).join(', ')})`
}

/** The select statement of a view. */
export const selectSql = (dataset: Dataset, view: View, databases: Databases): string =>
  view.sql(view.kind === 'latest' ? newestRows(dataset, view, databaseOf(dataset, databases)) : '')

export function viewSql(
  dataset: Dataset,
  view: View,
  databases: Databases,
  shown: readonly AnswerColumn[],
): string {
  const name = `${databaseOf(dataset, databases)}.${view.name}`
  return `create or replace view ${name}${everywhere(databases)} ${shownSql(dataset, view, shown)} as ${selectSql(dataset, view, databases)} comment ${sqlText(view.about)}`
}

/**
 * Fills a second table and exchanges it with the current one, so that a reader sees either all old or all new rows.
 * On a cluster every server has all rows of the view. `build` gives each build its own place in Keeper.
 */
export function rebuildSql(
  dataset: Dataset,
  view: View,
  databases: Databases,
  { shown, build }: { shown: readonly AnswerColumn[]; build: string },
): string[] {
  const table = `${databaseOf(dataset, databases)}.${view.name}`
  const columns = shownSql(dataset, view, shown)
  const rest = `order by (${view.key.join(', ')}) comment ${sqlText(view.about)}`
  const select = selectSql(dataset, view, databases)
  if (!databases.cluster)
    return [`create or replace table ${table} ${columns} engine = MergeTree ${rest} as ${select}`]
  const next = `${table}_next`
  const on = everywhere(databases)
  const emptyTable = (of: string) =>
    `${columns} engine = ${replicated('MergeTree', placeInKeeper(`${of}.${build}`, 'all'))} ${rest}`
  return [
    // An earlier build may have been killed.
    `drop table if exists ${next}${on} sync`,
    `create table if not exists ${table}${on} ${emptyTable(table)}`,
    `create table ${next}${on} ${emptyTable(next)}`,
    `insert into ${next} ${select}`,
    `system sync replica${on} ${next}`,
    `exchange tables ${table} and ${next}${on}`,
    `drop table ${next}${on} sync`,
  ]
}
