/** Draws of an answer what people would rather look at than read: a number that goes over time, in a list of the answer. */
import { chart, type Mark } from './chart.ts'
import { words } from './text.ts'

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The names that say when, and the names of what is worth a look, in their order. */
const whens = ['date', 'period_end', 'week', 'start', 'day', 'at']
const whats = ['rate', 'temperature', 'value', 'est_revenue_30d_usd', 'calls_30d', 'price', 'price_usd']
const most = 2

export function drawingOf(answer: unknown): string {
  return drawnIn(answer, []).slice(0, most).join('')
}

function drawnIn(value: unknown, path: readonly string[]): string[] {
  if (Array.isArray(value)) {
    const own = value.length > 1 && value.every(isFields) ? chartOf(value, path) : ''
    return own ? [own] : []
  }
  return isFields(value)
    ? Object.entries(value).flatMap(([name, each]) => drawnIn(each, [...path, name]))
    : []
}

function chartOf(rows: readonly Fields[], path: readonly string[]): string {
  const [first = {}] = rows
  const when = whens.find(name => typeof first[name] === 'string')
  const what = whats.find(name => rows.every(row => Number.isFinite(Number(row[name] ?? Number.NaN))))
  if (!when || !what) return ''
  const points = rows
    .map((row): Mark => ({ at: String(row[when]).slice(0, 10), value: Number(row[what]) }))
    .map((point, at) => (when === 'start' ? { ...point, at: hourOf(rows[at]?.[when]) } : point))
  const inOrder = points.toSorted((a, b) => a.at.localeCompare(b.at))
  const kind = when === 'period_end' ? 'bars' : 'line'
  const title = [...path.filter(name => name !== 'rates').map(words), words(what)].join(': ')
  return chart({ title, points: when === 'start' ? points : inOrder, kind })
}

/** Of a moment the day and the hour: 11-20 18h. */
const hourOf = (moment: unknown): string => `${String(moment).slice(5, 10)} ${String(moment).slice(11, 13)}h`
