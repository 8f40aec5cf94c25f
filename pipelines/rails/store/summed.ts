/**
 * Tables of sums (Summed). After each load the months or weeks whose facts have changed are summed anew, so a question over all facts
 * of years reads a few rows of each.
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

/** The span of time that a row sums, as SQL of a time, and a value of it as SQL. */
const spans = {
  month: { of: (time: string) => `toYYYYMM(${time})`, value: (text: string) => `${Number(text)}` },
  week: { of: (time: string) => `toMonday(${time})`, value: (text: string) => `toDate('${text}')` },
} as const

/** Sums each span that has other facts than when it was summed last. Whoever is killed meanwhile leaves a span with two marks. */
export async function sumUp(
  dataset: Dataset,
  view: SummedView,
  databases: Databases,
  session: Session,
): Promise<void> {
  const { table, by, sums, of, time, from = dataset.name } = view.summed
  const database = databaseOf(dataset, databases)
  const [facts, into] = [`${database}.${from}`, `${database}.${table}`]
  const [span, ...keys] = by
  const spanOf = spans[span].of(time)
  // Without final: a merge that drops a fact told twice has a span summed once more, and is cheap to find.
  const changed = await session.query<{ text: string; mark: string }>(
    `select toString(${spanOf}) as text, ${markSql} as mark
    from ${facts} group by text
    having (text, mark) not in (
      select toString(${span}), toString(any(mark)) from ${into} final group by ${span} having uniqExact(mark) = 1 settings final = 1
    )
    order by text settings final = 0`,
  )
  for (const { text, mark } of changed) {
    const version = 'toUInt64(toUnixTimestamp64Milli(now64(3)))'
    const value = spans[span].value(text)
    const ofSpan = `${spanOf} = ${value}`
    const columns = Object.keys(sums)
    const rows = `select ${keys.join(', ')} from ${facts} final where ${of} and ${ofSpan}`
    await session.run(
      `insert into ${into} (${span}, ${keys.join(', ')}, ${columns.join(', ')}, mark, version, is_deleted)
      select ${value}, ${keys.join(', ')}, ${Object.values(sums).join(', ')}, ${mark}, ${version}, 0
      from ${facts} final where ${of} and ${ofSpan} group by ${keys.join(', ')}
      settings parallel_distributed_insert_select = 0`,
    )
    await session.run(
      `insert into ${into} (${span}, ${keys.join(', ')}, mark, version, is_deleted)
      select ${span}, ${keys.join(', ')}, ${mark}, ${version}, 1
      from ${into} final where ${span} = ${value} and mark != ${mark} and (${keys.join(', ')}) not in (${rows})
      settings parallel_distributed_insert_select = 0`,
    )
  }
}
