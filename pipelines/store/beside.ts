/** A second table of a dataset, filled beside the standing one. When it is complete, the two exchange their names. */
import type { Dataset } from '../../schemas/dataset.ts'
import { columnsOf, type Databases, databaseOf, tableSql } from './ddl.ts'
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
  const database = databaseOf(dataset, databases)
  const other = { ...dataset, name: `${dataset.name}_replay` }
  const [standing, beside] = [`${database}.${dataset.name}`, `${database}.${other.name}`]
  const drop = () => session.run(`drop table if exists ${beside} sync`)

  await session.run(tableSql(dataset, database))
  // An earlier replay may have been killed.
  await drop()
  await session.run(tableSql(other, database))

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
      // Without final: a row of a withdrawn fact must come along too.
      await session.run(`insert into ${beside} (${list}) select ${list} from ${standing} settings final = 0`)
    },
    async count() {
      const [row] = await session.query<{ standing: string; beside: string }>(
        `select (select count() from ${standing} final) as standing, (select count() from ${beside} final) as beside`,
      )
      return { standing: Number(row?.standing), beside: Number(row?.beside) }
    },
    takeOver: () => session.run(`exchange tables ${standing} and ${beside}`),
  }
}
