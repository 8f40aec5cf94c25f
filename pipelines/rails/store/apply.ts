/**
 * Makes the store fit the datasets. It creates what is missing, and makes only changes that lose no data: comments,
 * codecs, expiry, new columns with a default. Any other misfit stops the start.
 */
import { randomUUID } from 'node:crypto'
import type { Dataset, View } from '../../../schemas/dataset/dataset.ts'
import { sqlText } from '../../../schemas/dataset/sql-text.ts'
import {
  type AnswerColumn,
  aboutColumns,
  columnSql,
  columnsOf,
  type Databases,
  databaseOf,
  everywhere,
  expirySql,
  indexesOf,
  mayBeAdded,
  mergedDaily,
  rebuildSql,
  rowsOf,
  selectSql,
  spreadSql,
  tableSql,
  viewSql,
} from './ddl.ts'
import { complete, isFilled, layOrdered, orderedViews } from './ordered.ts'
import { StoreError } from './store.ts'
import { summedViews, sumsOf } from './summed.ts'

interface Session {
  run(sql: string): Promise<void>
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
}

interface StandingColumn {
  name: string
  type: string
  comment: string
  compression_codec: string
}

interface StandingTable {
  engine_full: string
  sorting_key: string
  partition_key: string
  comment: string
}

export async function apply(
  datasets: readonly Dataset[],
  databases: Databases,
  session: Session,
): Promise<void> {
  const lay = layingIn(databases, session)
  const waiting = new Set<View>()
  for (const dataset of datasets) {
    await lay(dataset)
    for (const view of await layOrdered(dataset, databases, { session, lay })) waiting.add(view)
    for (const view of summedViews(dataset)) await lay(sumsOf(dataset, view))
  }
  // A view may read the tables of other datasets, so all tables come first.
  for (const dataset of datasets)
    for (const declared of dataset.views) {
      // Until its table has all rows, it is read from the facts: slow, but never a part of the truth.
      const view = waiting.has(declared) ? { ...declared, ordered: undefined } : declared
      const shown = await shownBy(dataset, view, databases, session)
      if (view.kind === 'latest') await session.run(viewSql(dataset, view, databases, shown))
      else if (await outdated(dataset, view, databases, { shown, session }))
        await build(dataset, view, databases, { shown, session })
    }
}

const layingIn = (databases: Databases, session: Session) => async (dataset: Dataset) => {
  await createTable(dataset, databases, session)
  await conform(dataset, databases, session)
  await spread(dataset, databases, session)
}

/** Fills the ordered tables that a start had too little time for, and reads their views from them. */
export async function completeOrdered(
  dataset: Dataset,
  databases: Databases,
  session: Session,
): Promise<void> {
  for (const view of orderedViews(dataset)) {
    if (await isFilled(dataset, view, databases, session)) continue
    await complete(dataset, view, databases, { session, lay: layingIn(databases, session) })
    await session.run(viewSql(dataset, view, databases, await shownBy(dataset, view, databases, session)))
  }
}

interface Building {
  shown: readonly AnswerColumn[]
  session: Session
}

const shownBy = (dataset: Dataset, view: View, databases: Databases, session: Session) =>
  session.query<AnswerColumn>(`describe table (${selectSql(dataset, view, databases)})`)

export async function rebuild(
  dataset: Dataset,
  view: View,
  databases: Databases,
  session: Session,
): Promise<void> {
  await build(dataset, view, databases, { shown: await shownBy(dataset, view, databases, session), session })
}

async function build(
  dataset: Dataset,
  view: View,
  databases: Databases,
  { shown, session }: Building,
): Promise<void> {
  for (const sql of rebuildSql(dataset, view, databases, { shown, build: randomUUID() }))
    await session.run(sql)
}

/** Creates the table of the rows if it is missing. On a cluster this includes a new server. */
export async function createTable(dataset: Dataset, databases: Databases, session: Session): Promise<void> {
  const { cluster } = databases
  const [standing] = cluster
    ? await session.query<{ engine: string }>(
        `select any(engine_full) as engine from clusterAllReplicas(${cluster}, system.tables)
          where database = {database: String} and name = {table: String} settings skip_unavailable_shards = 1`,
        { database: rowsOf(dataset, databases), table: dataset.name },
      )
    : []
  const [, place] = /^Replicated\w+\('([^']+)'/.exec(standing?.engine ?? '') ?? []
  await session.run(tableSql(dataset, databases, place))
}

/** On a cluster, the table that shows the rows of all shards gets the same columns as the tables of rows. */
export async function spread(dataset: Dataset, databases: Databases, session: Session): Promise<void> {
  if (!databases.cluster) return
  const database = databaseOf(dataset, databases)
  const [standing] = await session.query<{ engine: string; comment: string }>(
    'select engine, comment from system.tables where database = {database: String} and name = {table: String}',
    { database, table: dataset.name },
  )
  if (standing && standing.engine !== 'Distributed')
    throw new StoreError(
      `${database}.${dataset.name} is of one server, and STORE_CLUSTER is set: back it up, empty the store and restore it (npm run backup, npm run restore)`,
    )
  const columnsIn = async (place: string) =>
    JSON.stringify(
      await session.query(
        'select name, type, default_expression, comment from system.columns where database = {database: String} and table = {table: String} order by position',
        { database: place, table: dataset.name },
      ),
    )
  const isSame = (await columnsIn(database)) === (await columnsIn(rowsOf(dataset, databases)))
  if (isSame && standing?.comment === dataset.about) return
  await session.run(spreadSql(dataset, databases))
}

async function conform(dataset: Dataset, databases: Databases, session: Session): Promise<void> {
  const database = rowsOf(dataset, databases)
  const table = `${database}.${dataset.name}`
  const place = { database, table: dataset.name }
  const [standing] = await session.query<StandingTable>(
    'select engine_full, sorting_key, partition_key, comment from system.tables where database = {database: String} and name = {table: String}',
    place,
  )
  if (!standing) throw new StoreError(`${table} is not there, and could not be created`)
  for (const [what, found, wanted] of keptFor(standing, dataset))
    if (found !== wanted) throw misfit(dataset, table, `its ${what} is ${found}`, wanted)
  const alter = (change: string) => session.run(`alter table ${table}${everywhere(databases)} ${change}`)
  if (standing.comment !== dataset.about) await alter(`modify comment ${sqlText(dataset.about)}`)
  const expiry = expirySql(dataset)
  if (expiryOf(standing) !== expiry) await alter(expiry ? `modify ttl ${expiry}` : 'remove ttl')

  const { whole = false } = dataset.table
  if (whole !== standing.engine_full.includes(mergedDaily))
    await alter(whole ? `modify setting ${mergedDaily}` : `reset setting ${mergedDaily.split(' ')[0]}`)

  const columns = await session.query<StandingColumn>(
    'select name, type, comment, compression_codec from system.columns where database = {database: String} and table = {table: String}',
    place,
  )
  const wanted = columnsOf(dataset)
  const types = await spelt(
    wanted.map(({ type }) => type),
    session,
  )
  const codecs: string[] = []
  for (const [index, column] of wanted.entries()) {
    const { name, type, about, codec } = column
    const there = columns.find(other => other.name === name)
    if (!there) {
      if (!mayBeAdded(column))
        throw new StoreError(
          `${table}.${name} is missing, and older rows cannot hold a ${type}: give the column a default, or make it nullable`,
        )
      await alter(`add column if not exists ${columnSql(column)}`)
      continue
    }
    if (there.type !== types[index])
      throw misfit(dataset, `${table}.${name}`, `its type is ${there.type}`, types[index])
    if (there.comment !== about) await alter(`comment column \`${name}\` ${sqlText(about)}`)
    if (there.compression_codec !== (codec ? `CODEC(${codec})` : ''))
      codecs.push(`modify column \`${name}\` ${codec ? `codec(${codec})` : 'remove codec'}`)
  }
  // In one statement: on a cluster each waits for all servers, and a start may not take long.
  if (codecs.length) await alter(codecs.join(', '))
  await conformIndexes(dataset, place, { alter, session })
}

async function conformIndexes(
  dataset: Dataset,
  place: { database: string; table: string },
  { alter, session }: { alter(change: string): Promise<void>; session: Session },
): Promise<void> {
  const standing = await session.query<{ name: string }>(
    'select name from system.data_skipping_indices where database = {database: String} and table = {table: String}',
    place,
  )
  for (const [name, index] of indexesOf(dataset)) {
    if (standing.some(other => other.name === name)) continue
    await alter(`add index if not exists ${name} ${index}`)
    // The engine makes it for the rows that stand, in the background.
    await alter(`materialize index ${name}`)
  }
}

/** The fixed properties of a table, which last as long as the table. */
function keptFor(
  { engine_full, sorting_key, partition_key }: StandingTable,
  { identity, table }: Dataset,
): [what: string, found: string, wanted: string][] {
  const engine = /^(Replicated)?ReplacingMergeTree\(.*version, is_deleted\)/.test(engine_full)
  const inBrackets = (list: string) => `(${list.replace(/^\((.*)\)$/, '$1')})`
  const wanted = 'ReplacingMergeTree(version, is_deleted)'
  return [
    ['engine', engine ? wanted : engine_full, wanted],
    ['order', inBrackets(sorting_key), inBrackets(identity.join(', '))],
    ['partition', inBrackets(partition_key), inBrackets(table.partitionBy ?? '')],
  ]
}

const expiryOf = ({ engine_full }: StandingTable): string =>
  / TTL (.+?)(?: SETTINGS |$)/.exec(engine_full)?.[1] ?? ''

const misfit = ({ name }: Dataset, what: string, found: string, wanted: string | undefined): StoreError =>
  new StoreError(
    `${what} does not fit: ${found}; it should be ${wanted} (npm run replay -- ${name} builds the table anew)`,
  )

/** Writes types as ClickHouse spells them. */
async function spelt(types: string[], session: Session): Promise<string[]> {
  const list = types.map(type => `toTypeName(defaultValueOfTypeName(${sqlText(type)}))`).join(', ')
  const [row] = await session.query<{ types: string[] }>(`select [${list}] as types`)
  return row?.types ?? []
}

/** Whether the view is missing, or differs from its declaration in columns or comments. */
async function outdated(
  dataset: Dataset,
  view: View,
  databases: Databases,
  { shown, session }: Building,
): Promise<boolean> {
  const standing = await session.query<StandingColumn>(
    'select name, type, comment from system.columns where database = {database: String} and table = {view: String} order by position',
    { database: databaseOf(dataset, databases), view: view.name },
  )
  const abouts = aboutColumns(dataset, view)
  const shape = (columns: readonly (AnswerColumn & { comment?: string })[]) =>
    JSON.stringify(columns.map(({ name, type, comment }) => [name, type, comment ?? abouts[name] ?? '']))
  return shape(standing) !== shape(shown.map(({ name, type }) => ({ name, type })))
}
