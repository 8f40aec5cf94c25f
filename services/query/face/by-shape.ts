/** Draws an answer of which nobody says how: numbers that go over time, in a list of it. */
import { type AnswerFields, type Drawing, fieldsOf, inOrder, numberOf, rowsOf } from '../../offer/drawing.ts'
import { words } from './text.ts'

/** The names that say when, and the names of what is worth a look, in their order. */
const whens = ['date', 'period_end', 'week', 'start', 'day', 'at']
const whats = ['rate', 'temperature', 'value', 'est_revenue_30d_usd', 'calls_30d', 'price', 'price_usd']
const [most, deepest] = [2, 6]

export const drawnByShape = (answer: unknown): Drawing[] => within(answer, []).slice(0, most)

function within(value: unknown, path: readonly string[]): Drawing[] {
  if (path.length > deepest) return []
  if (Array.isArray(value)) return ofList(rowsOf(value), value.length, path)
  return Object.entries(fieldsOf(value))
    .filter(([, each]) => typeof each === 'object')
    .flatMap(([name, each]) => within(each, [...path, name]))
}

function ofList(rows: readonly AnswerFields[], size: number, path: readonly string[]): Drawing[] {
  const [first = {}] = rows
  const when = whens.find(name => typeof first[name] === 'string')
  const what = whats.find(name => rows.every(row => Number.isFinite(numberOf(row[name]))))
  if (rows.length < 2 || rows.length !== size || !when || !what) return []
  const marks = rows.map(row => ({ at: String(row[when]).slice(0, 16), value: numberOf(row[what]) }))
  return [
    {
      kind: when === 'period_end' ? 'bars' : 'line',
      title: [...path.map(words), words(what)].join(': '),
      when: words(when),
      what: words(what),
      marks: inOrder(marks),
    },
  ]
}
