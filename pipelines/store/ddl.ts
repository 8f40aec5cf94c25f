/** Writes the SQL of tables and views, derived from the datasets. */
import type { Dataset, Field, View } from '../../schemas/dataset.ts'

/** With two databases, one grant on one of them is all that analysts need and get. */
export interface Databases {
  analysts: string
  service: string
}

export const databaseOf = (dataset: Dataset, databases: Databases): string =>
  dataset.audience === 'service' ? databases.service : databases.analysts

/** The columns that the store adds to those of a dataset. */
export const bookkeeping = {
  version: {
    column: 'UInt64',
    about: 'The place of the event in the log: of one fact told twice, the higher counts',
    // Versions of one load grow slowly, so their differences are small.
    codec: 'Delta(8), ZSTD(1)',
  },
  is_deleted: { column: 'UInt8', about: '1: the fact is withdrawn', codec: undefined },
} as const

export const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export interface Column {
  name: string
  type: string
  about: string
  codec: string | undefined
  /** SQL of the value in rows that were written before the column existed. */
  before?: string | undefined
}

export const columnsOf = (dataset: Dataset): Column[] => [
  ...Object.entries(dataset.fields).map(([name, field]) => {
    checkNullable(dataset, name, field)
    const { column, about, codec } = field
    return { name, type: column, about, codec, before: defaultOf(field) }
  }),
  ...Object.entries(bookkeeping).map(([name, { column, ...rest }]) => ({ name, type: column, ...rest })),
]

function defaultOf({ type }: Field): string | undefined {
  const { data } = type.safeParse(undefined)
  // ClickHouse fills a list with nothing by itself.
  const isEmptyList = Array.isArray(data) && data.length === 0
  return data === undefined || data === null || isEmptyList ? undefined : text(String(data))
}

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

/** Whether rows from before the column differ from rows with a value. Only then may the column be added. */
export const mayBeAdded = ({ type, before }: Column): boolean =>
  before !== undefined || isNullable(type) || /^(Array|Map)\(/.test(type)

export const columnSql = ({ name, type, about, before, codec }: Column): string =>
  [
    `\`${name}\` ${type}`,
    before === undefined ? '' : `default ${before}`,
    `comment ${text(about)}`,
    codec === undefined ? '' : `codec(${codec})`,
  ]
    .filter(part => part !== '')
    .join(' ')

/** In the spelling of the engine, so that a table that stands can be compared with it. */
export const expirySql = ({ table: { expires } }: Dataset): string =>
  expires ? `toDateTime(${expires.after}) + toIntervalDay(${expires.days})` : ''

export const tableSql = (dataset: Dataset, database: string): string => `
create table if not exists ${database}.${dataset.name} (
  ${columnsOf(dataset).map(columnSql).join(',\n  ')}
)
engine = ReplacingMergeTree(version, is_deleted)
${dataset.table.partitionBy ? `partition by ${dataset.table.partitionBy}` : ''}
order by (${dataset.identity.join(', ')})
${dataset.table.expires ? `ttl ${expirySql(dataset)}` : ''}
settings fsync_after_insert = 1, fsync_part_directory = 1
comment ${text(dataset.about)}`

/** The newest row of each key, of the rows that count: by the columns that the view names, then by place in the log. */
function newestRows(dataset: Dataset, view: View, database: string): string {
  const table = `${database}.${dataset.name}`
  const columns = Object.keys(dataset.fields).join(', ')
  const perIdentity = dataset.identity.every(column => view.key.includes(column))
  const counted = view.of ? ` where ${view.of}` : ''
  const order = [...view.newest, 'version'].map(column => `${column} desc`).join(', ')
  const narrowed = perIdentity ? '' : ` order by ${order} limit 1 by ${view.key.join(', ')}`
  return `(select ${columns} from ${table} final${counted}${narrowed})`
}

export const viewSql = (dataset: Dataset, view: View, database: string): string =>
  `create or replace view ${database}.${view.name} as ${view.sql(newestRows(dataset, view, database))} comment ${text(view.about)}`

/** Fills a second table and exchanges it with the current one, so that a reader sees either all old or all new rows. */
export const rebuildSql = (view: View, database: string): string =>
  `create or replace table ${database}.${view.name} engine = MergeTree order by (${view.key.join(', ')}) comment ${text(view.about)} as ${view.sql('')}`
