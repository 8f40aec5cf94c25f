/** The queries of the analysts' boards, as Grafana's data source sends them. */
import type { Board } from '../../deploy/grafana/board.ts'
import { analysing } from '../../deploy/grafana/boards/index.ts'

const dayS = 86_400
/** The board shows these days. */
const shownDays = 400

function asAsked(sql: string): string {
  const until = Math.ceil(Date.now() / 1000) + dayS
  const since = until - shownDays * dayS
  return sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 >= toDateTime(${since}) and $1 <= toDateTime(${until})`)
    .replaceAll(
      /\$__dateFilter\((\w+)\)/g,
      `$1 >= toDate(toDateTime(${since})) and $1 <= toDate(toDateTime(${until}))`,
    )
}

export const analystsQueries = (boards: readonly Board[] = analysing) =>
  boards.flatMap(({ title, glance, panels }) =>
    [...glance, ...panels].flatMap(panel =>
      Object.values(panel.ask).map(sql => ({ where: `${title}, ${panel.title}`, sql: asAsked(sql) })),
    ),
  )

interface Answered {
  meta: readonly object[]
  data: readonly Record<string, unknown>[]
}

export async function askedByAnalyst(store: string, sql: string): Promise<Answered> {
  const user = 'analyst'
  const answer = await fetch(`${store}/?${new URLSearchParams({ user, database: 'farebox' })}`, {
    method: 'POST',
    body: `${sql} format JSON`,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return JSON.parse(text) as Answered
}

/** No row, or only such with nothing in them. */
export const isEmpty = (data: Answered['data']): boolean =>
  data.every(row => Object.values(row).every(value => value === null || Number(value) === 0))
