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
  allDatabases,
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
import { Layout, type StandingColumn, type StandingTable } from './layout.ts'
import { complete, isFilled, layOrdered, orderedViews } from './ordered.ts'
import { StoreError } from './store.ts'
import { summedViews, sumsOf } from './summed.ts'

interface Session {
  run(sql: string): Promise<void>
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
}

export async function apply(
  datasets: readonly Dataset[],
  databases: Databases,
  session: Session,
): Promise<void> {
  const layout = new Layout(session)
  const lay = layingIn(databases, { session, layout })
  await layout.readAll(allDatabases(databases))
  const isNew = await createAll(datasets, databases, { session, layout })
  if (isNew) await layout.readAll(allDatabases(databases))
  const waiting = new Set<View>()
  for (const dataset of datasets) {
    await lay(dataset)
    for (const view of await layOrdered(dataset, databases, { session, layout, lay })) waiting.add(view)
    for (const view of summedViews(dataset)) await lay(sumsOf(dataset, view))
  }
  // A view may read the tables of other datasets, so all tables come first.
  for (const dataset of datasets)
    for (const declared of dataset.views) {
      // Until its table has all rows, it is read from the facts: slow, but never a part of the truth.
      const view = waiting.has(declared) ? { ...declared, ordered: undefined } : declared
      const shown = await shownBy(dataset, view, databases, session)
      if (view.kind === 'latest') await session.run(viewSql(dataset, view, databases, shown))
      else if (await outdated(dataset, view, databases, { shown, layout }))
        await build(dataset, view, databases, { shown, session })
    }
}

interface Start {
  session: Session
  layout: Layout
}

/** Creates the tables that are missing, and says whether there were any. */
async function createAll(
  datasets: readonly Dataset[],
  databases: Databases,
  { session, layout }: Start,
): Promise<boolean> {
  const all = datasets.flatMap(dataset => [
    dataset,
    ...summedViews(dataset).map(view => sumsOf(dataset, view)),
  ])
  await layout.spelt(all.flatMap(dataset => columnsOf(dataset).map(({ type }) => type)))
  // On a cluster each table is created as it is laid: a new server may lack what this one has.
  if (databases.cluster) return false
  let isNew = false
  for (const dataset of all) {
    if ((await layout.of(rowsOf(dataset, databases), dataset.name)).table) continue
    isNew = true
    await createTable(dataset, databases, session)
  }
  return isNew
}

const layingIn = (databases: Databases, start: Start) => async (dataset: Dataset) => {
  const { session, layout } = start
  const { table } = await layout.of(rowsOf(dataset, databases), dataset.name)
  if (!table || databases.cluster) await createTable(dataset, databases, session)
  if (!table) layout.forget(rowsOf(dataset, databases), dataset.name)
  await conform(dataset, databases, start)
  await spread(dataset, databases, start)
}

/** Fills the ordered tables that a start had too little time for, and reads their views from them. */
export async function completeOrdered(
  dataset: Dataset,
  databases: Databases,
  session: Session,
): Promise<void> {
  const layout = new Layout(session)
  const lay = layingIn(databases, { session, layout })
  for (const view of orderedViews(dataset)) {
    if (await isFilled(dataset, view, databases, layout)) continue
    await complete(dataset, view, databases, { session, layout, lay })
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
export async function spread(
  dataset: Dataset,
  databases: Databases,
  { session, layout }: Start,
): Promise<void> {
  if (!databases.cluster) return
  const database = databaseOf(dataset, databases)
  const { table, columns } = await layout.of(database, dataset.name)
  if (table && table.engine !== 'Distributed')
    throw new StoreError(
      `${database}.${dataset.name} is of one server, and STORE_CLUSTER is set: back it up, empty the store and restore it (npm run backup, npm run restore)`,
    )
  const shape = (all: readonly StandingColumn[]) =>
    JSON.stringify(
      all.map(({ name, type, default_expression, comment }) => [name, type, default_expression, comment]),
    )
  const rows = await layout.of(rowsOf(dataset, databases), dataset.name)
  if (shape(columns) === shape(rows.columns) && table?.comment === dataset.about) return
  await session.run(spreadSql(dataset, databases))
  layout.forget(database, dataset.name)
}

async function conform(dataset: Dataset, databases: Databases, { session, layout }: Start): Promise<void> {
  const database = rowsOf(dataset, databases)
  const path = `${database}.${dataset.name}`
  const { table, columns, indexes } = await layout.of(database, dataset.name)
  if (!table) throw new StoreError(`${path} is not there, and could not be created`)
  for (const [what, found, wanted] of keptFor(table, dataset))
    if (found !== wanted) throw misfit(dataset, path, `its ${what} is ${found}`, wanted)
  const alter = async (change: string) => {
    await session.run(`alter table ${path}${everywhere(databases)} ${change}`)
    layout.forget(database, dataset.name)
  }
  const expiry = expirySql(dataset)
  if (expiryOf(table) !== expiry) await alter(expiry ? `modify ttl ${expiry}` : 'remove ttl')

  const { whole = false } = dataset.table
  if (whole !== table.engine_full.includes(mergedDaily))
    await alter(whole ? `modify setting ${mergedDaily}` : `reset setting ${mergedDaily.split(' ')[0]}`)
  const types = await layout.spelt(columnsOf(dataset).map(({ type }) => type))
  await conformColumns(dataset, { path, columns, types, alter })
  await conformIndexes(dataset, { comment: table.comment, indexes, alter })
}

interface Indexes {
  comment: string
  indexes: readonly string[]
  alter(change: string): Promise<void>
}

const toBeMade = ' (an index is to be made)'

/**
 * An index is added in the same change that notes it in the table's comment, and the note goes once the engine has taken the order to
 * make it for the rows that stand. A start that ends in between leaves the note to the next one.
 */
async function conformIndexes(dataset: Dataset, { comment, indexes, alter }: Indexes): Promise<void> {
  const wanted = [...indexesOf(dataset)]
  const missing = wanted.filter(([name]) => !indexes.includes(name))
  const told = `modify comment ${sqlText(dataset.about)}`
  const noted = `modify comment ${sqlText(dataset.about + toBeMade)}`
  if (missing.length)
    await alter(
      [...missing.map(([name, index]) => `add index if not exists ${name} ${index}`), noted].join(', '),
    )
  // The engine makes it in the background: where merges are under way, it takes minutes.
  for (const [name] of comment.endsWith(toBeMade) ? wanted : missing)
    await alter(`materialize index ${name} settings mutations_sync = 0`)
  if (missing.length || comment !== dataset.about) await alter(told)
}

interface Columns {
  path: string
  columns: readonly StandingColumn[]
  /** The types that the declared columns have, as the engine spells them. */
  types: readonly (string | undefined)[]
  alter(change: string): Promise<void>
}

async function conformColumns(dataset: Dataset, { path, columns, types, alter }: Columns): Promise<void> {
  const codecs: string[] = []
  for (const [index, column] of columnsOf(dataset).entries()) {
    const { name, type, about, codec } = column
    const there = columns.find(other => other.name === name)
    if (!there) {
      if (!mayBeAdded(column))
        throw new StoreError(
          `${path}.${name} is missing, and older rows cannot hold a ${type}: give the column a default, or make it nullable`,
        )
      await alter(`add column if not exists ${columnSql(column)}`)
      continue
    }
    if (there.type !== types[index])
      throw misfit(dataset, `${path}.${name}`, `its type is ${there.type}`, types[index])
    if (there.comment !== about) await alter(`comment column \`${name}\` ${sqlText(about)}`)
    if (there.compression_codec !== (codec ? `CODEC(${codec})` : ''))
      codecs.push(`modify column \`${name}\` ${codec ? `codec(${codec})` : 'remove codec'}`)
  }
  // In one statement: on a cluster each waits for all servers, and a start may not take long.
  if (codecs.length) await alter(codecs.join(', '))
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

/** Whether the view is missing, or differs from its declaration in columns or comments. */
async function outdated(
  dataset: Dataset,
  view: View,
  databases: Databases,
  { shown, layout }: { shown: readonly AnswerColumn[]; layout: Layout },
): Promise<boolean> {
  const { columns } = await layout.of(databaseOf(dataset, databases), view.name)
  const abouts = aboutColumns(dataset, view)
  const shape = (columns: readonly (AnswerColumn & { comment?: string })[]) =>
    JSON.stringify(columns.map(({ name, type, comment }) => [name, type, comment ?? abouts[name] ?? '']))
  return shape(columns) !== shape(shown.map(({ name, type }) => ({ name, type })))
}
