/** A second table of a dataset, filled beside the current one. When it is complete, the two exchange their names. */
import { randomUUID } from 'node:crypto'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { createTable, spread } from './apply.ts'
import {
  columnsOf,
  type Databases,
  databaseOf,
  everywhere,
  placeInKeeper,
  rowsOf,
  spreadSql,
  tableSql,
} from './ddl.ts'
import { Layout } from './layout.ts'
import { orderedViews, refill } from './ordered.ts'
import type { Beside, Versioned } from './store.ts'

interface Session {
  run(sql: string): Promise<void>
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
  insert(dataset: Dataset, rows: readonly Versioned[]): Promise<void>
}

export async function createBeside(
  dataset: Dataset,
  databases: Databases,
  session: Session,
): Promise<Beside> {
  const other = { ...dataset, name: `${dataset.name}_replay` }
  const [database, rows, on] = [
    databaseOf(dataset, databases),
    rowsOf(dataset, databases),
    everywhere(databases),
  ]
  const [standing, beside] = [`${database}.${dataset.name}`, `${database}.${other.name}`]
  // On a cluster the first shows the rows of the second, and every shard has both.
  const tables = [...new Set([beside, `${rows}.${other.name}`])]
  const drop = async () => {
    for (const table of tables) await session.run(`drop table if exists ${table}${on} sync`)
  }

  await createTable(dataset, databases, session)
  // An earlier replay may have been killed.
  await drop()
  await session.run(tableSql(other, databases, placeInKeeper(`${rows}.${other.name}.${randomUUID()}`)))
  await spread(other, databases, { session, layout: new Layout(session) })

  return {
    drop,
    insert: rows => session.insert(other, rows),
    async copyStanding() {
      const known = await session.query<{ name: string }>(
        'select name from system.columns where database = {database: String} and table = {table: String}',
        { database, table: dataset.name },
      )
      const both = columnsOf(dataset).filter(({ name }) => known.some(column => column.name === name))
      const list = both.map(({ name }) => `\`${name}\``).join(', ')
      // Without final, so that the rows of withdrawn facts are copied too.
      await session.run(`insert into ${beside} (${list}) select ${list} from ${standing} settings final = 0`)
    },
    async count() {
      const [row] = await session.query<{ standing: string; beside: string }>(
        `select (select count() from ${standing} final) as standing, (select count() from ${beside} final) as beside`,
      )
      return { standing: Number(row?.standing), beside: Number(row?.beside) }
    },
    async takeOver() {
      await session.run(`exchange tables ${rows}.${dataset.name} and ${rows}.${other.name}${on}`)
      if (databases.cluster) await session.run(spreadSql(dataset, databases))
      for (const view of orderedViews(dataset)) await refill(dataset, view, databases, session)
    },
  }
}
