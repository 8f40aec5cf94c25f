/** Makes the store fit the datasets. It creates what is missing. A table that does not fit stops the start. */
import type { Dataset, View } from '../../schemas/dataset.ts'
import {
  columnSql,
  columnsOf,
  type Databases,
  databaseOf,
  mayBeAdded,
  rebuildSql,
  tableSql,
  text,
  viewSql,
} from './ddl.ts'
import { StoreError } from './store.ts'

interface Session {
  run(sql: string): Promise<void>
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
}

interface StandingColumn {
  name: string
  type: string
  comment: string
}

export async function apply(
  datasets: readonly Dataset[],
  databases: Databases,
  session: Session,
): Promise<void> {
  for (const dataset of datasets) {
    const database = databaseOf(dataset, databases)
    await session.run(tableSql(dataset, database))
    await conform(dataset, database, session)
  }
  // A view may read the tables of other datasets, so all tables come first.
  for (const dataset of datasets)
    for (const view of dataset.views) {
      const database = databaseOf(dataset, databases)
      if (view.kind === 'latest') await session.run(viewSql(dataset, view, database))
      else if (await outdated(view, database, session)) await session.run(rebuildSql(view, database))
    }
}

async function conform(dataset: Dataset, database: string, session: Session): Promise<void> {
  const table = `${database}.${dataset.name}`
  const place = { database, table: dataset.name }
  const [standing] = await session.query<{ engine_full: string; sorting_key: string; comment: string }>(
    'select engine_full, sorting_key, comment from system.tables where database = {database: String} and name = {table: String}',
    place,
  )
  if (!/ReplacingMergeTree\(.*version, is_deleted\)/.test(standing?.engine_full ?? ''))
    throw misfit(table, `its engine is ${standing?.engine_full}`, 'ReplacingMergeTree(version, is_deleted)')
  const order = dataset.identity.join(', ')
  const found = standing?.sorting_key.replace(/^\((.*)\)$/, '$1')
  if (found !== order) throw misfit(table, `its order is (${found})`, `(${order})`)
  if (standing?.comment !== dataset.about)
    await session.run(`alter table ${table} modify comment ${text(dataset.about)}`)

  const columns = await session.query<StandingColumn>(
    'select name, type, comment from system.columns where database = {database: String} and table = {table: String}',
    place,
  )
  const wanted = columnsOf(dataset)
  const types = await spelt(
    wanted.map(({ type }) => type),
    session,
  )
  for (const [index, column] of wanted.entries()) {
    const { name, type, about } = column
    const there = columns.find(other => other.name === name)
    if (!there) {
      if (!mayBeAdded(column))
        throw misfit(
          `${table}.${name}`,
          'the column is missing',
          `${type}, which rows written before could not hold`,
        )
      await session.run(`alter table ${table} add column if not exists ${columnSql(column)}`)
    } else if (there.type !== types[index])
      throw misfit(`${table}.${name}`, `its type is ${there.type}`, types[index])
    else if (there.comment !== about)
      await session.run(`alter table ${table} comment column \`${name}\` ${text(about)}`)
  }
}

const misfit = (what: string, found: string, wanted: string | undefined): StoreError =>
  new StoreError(
    `${what} does not fit: ${found}; it should be ${wanted} (drop the table and the log fills it again)`,
  )

/** Writes types in the spelling of ClickHouse. */
async function spelt(types: string[], session: Session): Promise<string[]> {
  const list = types.map(type => `toTypeName(defaultValueOfTypeName(${text(type)}))`).join(', ')
  const [row] = await session.query<{ types: string[] }>(`select [${list}] as types`)
  return row?.types ?? []
}

/** Whether the view is missing, or has other columns than its present SQL. */
async function outdated(view: View, database: string, session: Session): Promise<boolean> {
  const shape = (columns: StandingColumn[]) => columns.map(({ name, type }) => `${name} ${type}`).join(', ')
  const standing = await session.query<StandingColumn>(
    'select name, type from system.columns where database = {database: String} and table = {view: String} order by position',
    { database, view: view.name },
  )
  return shape(standing) !== shape(await session.query<StandingColumn>(`describe table (${view.sql('')})`))
}
