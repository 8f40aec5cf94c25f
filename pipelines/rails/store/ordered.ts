/**
 * Tables of the rows of a view in an order of their own (Ordered). The engine copies what counts from every insert into the table
 * of the dataset, whoever makes it, so an older version beside this one fills them too.
 */
import type { Dataset, Ordered, View } from '../../../schemas/dataset/dataset.ts'
import { sqlText } from '../../../schemas/dataset/sql-text.ts'
import { columnsOf, type Databases, databaseOf, everywhere, rowsOf } from './ddl.ts'
import type { Layout } from './layout.ts'

interface Session {
  run(sql: string): Promise<void>
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
}

/** A live view with a table of its own. */
type OrderedView = View & { ordered: Ordered }

export const orderedViews = ({ views }: Dataset): OrderedView[] =>
  views.filter((view): view is OrderedView => view.ordered !== undefined)

/** The comment of a table that does not have all rows yet. A start that is killed meanwhile is followed by one that fills it. */
const unfilled = 'not filled yet'

/** The table as a dataset of its own. */
function datasetOf(dataset: Dataset, { ordered }: OrderedView): Dataset {
  const { table, about, by, columns } = ordered
  const kept = dataset.table.whole ? { whole: true } : {}
  const fields = Object.fromEntries(columns.map(name => [name, dataset.fields[name]])) as Dataset['fields']
  return { ...dataset, name: table, about, fields, key: by, identity: by, views: [], checks: [], table: kept }
}

/** So many facts are copied while a process starts. More of them are copied after it, and a start waits for nothing. */
const mostAtStart = 500_000

interface Laying {
  session: Session
  layout: Layout
  /** Makes a table that is missing, and fits it to its declaration. */
  lay(dataset: Dataset): Promise<void>
}

/** Returns the views whose tables do not have all rows yet. */
export async function layOrdered(
  dataset: Dataset,
  databases: Databases,
  { session, layout, lay }: Laying,
): Promise<OrderedView[]> {
  const waiting: OrderedView[] = []
  for (const view of orderedViews(dataset)) {
    const own = datasetOf(dataset, view)
    const isFed = await feed(dataset, view, databases, layout)
    if ((await isFilled(dataset, view, databases, layout)) && isFed) {
      await lay(own)
      continue
    }
    await lay({ ...own, about: unfilled })
    if (!isFed) await makeFeed(dataset, view, databases, session)
    const [facts] = await session.query<{ n: string }>(
      `select count() as n from ${databaseOf(dataset, databases)}.${dataset.name} settings final = 0`,
    )
    if (Number(facts?.n) > mostAtStart) waiting.push(view)
    else await complete(dataset, view, databases, { session, layout, lay })
  }
  return waiting
}

export async function complete(
  dataset: Dataset,
  view: OrderedView,
  databases: Databases,
  { session, lay }: Laying,
): Promise<void> {
  await fill(dataset, view, databases, session)
  await lay(datasetOf(dataset, view))
}

export async function isFilled(
  dataset: Dataset,
  { ordered }: OrderedView,
  databases: Databases,
  layout: Layout,
): Promise<boolean> {
  const { table } = await layout.of(rowsOf(dataset, databases), ordered.table)
  return table !== undefined && table.comment !== unfilled
}

const feedOf = (dataset: Dataset, { ordered }: OrderedView, databases: Databases): string =>
  `${databases.service}.${ordered.table}_of_${dataset.name}`

/** Else each shard of a cluster keeps what it has, and a row that comes again goes to another one. */
const byIdentity = 'settings parallel_distributed_insert_select = 0'

/** The bookkeeping of the table of facts goes along: of one row told twice, the higher version counts. */
const listOf = ({ ordered }: OrderedView): string => [...ordered.columns, 'version', 'is_deleted'].join(', ')

const feedSelect = (dataset: Dataset, view: OrderedView, databases: Databases): string =>
  `select ${listOf(view)} from ${rowsOf(dataset, databases)}.${dataset.name} where ${view.of ?? 'true'}`

/** Whether the engine copies with every insert, as the view says now. */
async function feed(
  dataset: Dataset,
  view: OrderedView,
  databases: Databases,
  layout: Layout,
): Promise<boolean> {
  const [database = '', name = ''] = feedOf(dataset, view, databases).split('.')
  const { table } = await layout.of(database, name)
  return table?.comment === feedSelect(dataset, view, databases)
}

async function makeFeed(
  dataset: Dataset,
  view: OrderedView,
  databases: Databases,
  { run }: Session,
): Promise<void> {
  const name = feedOf(dataset, view, databases)
  const on = everywhere(databases)
  const select = feedSelect(dataset, view, databases)
  await run(`drop view if exists ${name}${on} sync`)
  const columns = columnsOf(datasetOf(dataset, view)).map(
    ({ name, type, about }) => `\`${name}\` ${type} comment ${sqlText(about)}`,
  )
  await run(
    `create materialized view if not exists ${name}${on} to ${databaseOf(dataset, databases)}.${view.ordered.table} (${columns.join(', ')}) as ${select} comment ${sqlText(select)}`,
  )
}

/**
 * Copies all rows that stand, as they come: a sort of so many does not fit into the engine's memory. A merge does, and one part needs no
 * merge any more when it is read.
 */
async function fill(
  dataset: Dataset,
  view: OrderedView,
  databases: Databases,
  session: Session,
): Promise<void> {
  const into = `${databaseOf(dataset, databases)}.${view.ordered.table}`
  const from = `${databaseOf(dataset, databases)}.${dataset.name}`
  await session.run(
    `insert into ${into} (${listOf(view)}) select ${listOf(view)} from ${from} final where ${view.of ?? 'true'} ${byIdentity}`,
  )
  await keepOne(dataset, view, databases, session)
  const rows = `${rowsOf(dataset, databases)}.${view.ordered.table}`
  await session.run(`optimize table ${rows}${everywhere(databases)} final`)
}

/** After another table of facts has taken over: takes its rows, and drops those that it does not have. */
export async function refill(
  dataset: Dataset,
  view: OrderedView,
  databases: Databases,
  session: Session,
): Promise<void> {
  await makeFeed(dataset, view, databases, session)
  await fill(dataset, view, databases, session)
  const by = view.ordered.by.join(', ')
  const facts = `${databaseOf(dataset, databases)}.${dataset.name}`
  const counted = view.of ?? 'true'
  const [counts] = await session.query<{ own: string; facts: string }>(
    `select (select count() from ${databaseOf(dataset, databases)}.${view.ordered.table} final) as own, (select count() from ${facts} final where ${counted}) as facts`,
  )
  // Only an operator who lets go of facts comes here. It needs memory for all that stay.
  if (Number(counts?.own) <= Number(counts?.facts)) return
  await session.run(
    `alter table ${rowsOf(dataset, databases)}.${view.ordered.table}${everywhere(databases)} delete where (${by}) not in (select ${by} from ${facts} final where ${counted}) settings mutations_sync = 2`,
  )
}

/** Withdraws all rows of a key but the newest, of the keys that may have several. */
export async function keepOne(
  dataset: Dataset,
  view: OrderedView,
  databases: Databases,
  session: Session,
  since = 'toDateTime(0)',
): Promise<void> {
  const { ordered, key, of = 'true' } = view
  if (ordered.doubtful === undefined) return
  const [time = ''] = ordered.by
  const database = databaseOf(dataset, databases)
  const keys = key.join(', ')
  const columns = ordered.columns.join(', ')
  const others = `
    select ${columns}, newest
    from (
      select ${columns}, version, max(version) over (partition by ${keys}) as newest,
        argMax(${time}, version) over (partition by ${keys}) as newest_time
      from ${database}.${dataset.name} final
      where ${of} and (${keys}) in (
        select ${keys} from ${database}.${ordered.table} final where (${ordered.doubtful}) and ${time} > ${since}
      )
    )
    where version < newest and ${time} != newest_time`
  const shown = `(${ordered.by.join(', ')}) in (
    select ${ordered.by.join(', ')} from ${database}.${ordered.table} final where ${time} in (select ${time} from (${others}))
  )`
  await session.run(
    `insert into ${database}.${ordered.table} (${columns}, version, is_deleted) select ${columns}, newest, 1 from (${others}) where ${shown} ${byIdentity}`,
  )
}
