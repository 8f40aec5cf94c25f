/**
 * Tables of sums (Summed). After each load the months whose facts have changed are summed anew, so a question over all facts of years
 * reads a few rows of each month.
 */
import type { Dataset, Summed, View } from '../../../schemas/dataset/dataset.ts'
import { type Databases, databaseOf, markSql } from './ddl.ts'

interface Session {
  run(sql: string): Promise<void>
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
}

type SummedView = View & { summed: Summed }

export const summedViews = ({ views }: Dataset): SummedView[] =>
  views.filter((view): view is SummedView => view.summed !== undefined)

/** The table as a dataset of its own. */
export const sumsOf = (dataset: Dataset, { summed }: SummedView): Dataset => ({
  ...dataset,
  name: summed.table,
  about: summed.about,
  fields: summed.fields,
  key: summed.by,
  identity: summed.by,
  views: [],
  checks: [],
  withdrawn: undefined,
  packed: false,
  table: {},
})

/** Sums each month that has other facts than when it was summed last. Whoever is killed meanwhile leaves a month with two marks. */
export async function sumUp(
  dataset: Dataset,
  view: SummedView,
  databases: Databases,
  session: Session,
): Promise<void> {
  const { table, by, sums, of, time } = view.summed
  const database = databaseOf(dataset, databases)
  const [facts, into] = [`${database}.${dataset.name}`, `${database}.${table}`]
  // Without final: a merge that drops a fact told twice has a month summed once more, and is cheap to find.
  const changed = await session.query<{ month: string; mark: string }>(
    `select toString(toYYYYMM(${time})) as month, ${markSql} as mark
    from ${facts} group by month
    having (month, mark) not in (
      select toString(month), toString(any(mark)) from ${into} final group by month having uniqExact(mark) = 1 settings final = 1
    )
    order by month settings final = 0`,
  )
  for (const { month, mark } of changed) {
    const version = 'toUInt64(toUnixTimestamp64Milli(now64(3)))'
    const of_month = `toYYYYMM(${time}) = ${Number(month)}`
    const columns = Object.keys(sums)
    const keys = by.filter(column => column !== 'month')
    const rows = `select ${keys.join(', ')} from ${facts} final where ${of} and ${of_month}`
    await session.run(
      `insert into ${into} (month, ${keys.join(', ')}, ${columns.join(', ')}, mark, version, is_deleted)
      select ${Number(month)}, ${keys.join(', ')}, ${Object.values(sums).join(', ')}, ${mark}, ${version}, 0
      from ${facts} final where ${of} and ${of_month} group by ${keys.join(', ')}
      settings parallel_distributed_insert_select = 0`,
    )
    await session.run(
      `insert into ${into} (month, ${keys.join(', ')}, mark, version, is_deleted)
      select month, ${keys.join(', ')}, ${mark}, ${version}, 1
      from ${into} final where month = ${Number(month)} and mark != ${mark} and (${keys.join(', ')}) not in (${rows})
      settings parallel_distributed_insert_select = 0`,
    )
  }
}
