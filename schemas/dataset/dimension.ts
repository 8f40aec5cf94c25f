/** A dimension says what names stand for: a view of constants, which stands beside the dataset that it is joined with most. */
import { latest, type View } from './dataset.ts'
import { sqlText } from './sql-text.ts'

type Value = string | number | boolean | null

/** Of each column its type, its description and its value in a row. */
type Columns<Row> = Readonly<Record<string, readonly [type: string, about: string, of: (row: Row) => Value]>>

export function dimension<Row>(spec: {
  name: string
  about: string
  columns: Columns<Row>
  rows: Iterable<Row>
}): View {
  const columns = Object.entries(spec.columns)
  const [key = ''] = Object.keys(spec.columns)
  const tuples = [...spec.rows].map(row => `(${columns.map(([, [, , of]]) => literal(of(row))).join(', ')})`)
  const types = columns.map(([name, [type]]) => `\`${name}\` ${type}`)
  const shown = columns.map(([name], i) => `tupleElement(one, ${i + 1}) as \`${name}\``)
  const sql = `select ${shown.join(', ')} from (select arrayJoin(cast([${tuples.join(', ')}], ${literal(`Array(Tuple(${types.join(', ')}))`)})) as one)`
  return latest({
    name: spec.name,
    about: `${spec.about}; it is read from no facts, but from what this version knows`,
    key: [key as never],
    required: false,
    sql: () => sql,
    columns: Object.fromEntries(columns.map(([name, [, about]]) => [name, about])),
  })
}

const literal = (value: Value): string => (typeof value === 'string' ? sqlText(value) : String(value))
