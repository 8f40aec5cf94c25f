/** An answer as people read it: names and values, and lists of alike things as tables. The page's script does the same with a live one. */
import { table } from './table.ts'
import { escaped, words } from './text.ts'

const [mostRows, mostText] = [12, 400]

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isFlat = (value: unknown): boolean => typeof value !== 'object' || value === null

export function readable(value: unknown, caption = 'The answer'): string {
  if (Array.isArray(value)) return listed(value, caption)
  if (!isFields(value)) return scalar(value)
  const rows = Object.entries(value).map(
    ([name, each]) => `<dt>${escaped(words(name))}</dt><dd>${readable(each, words(name))}</dd>`,
  )
  return rows.length ? `<dl class="read">${rows.join('')}</dl>` : '<span class="quiet">nothing</span>'
}

function listed(values: readonly unknown[], caption: string): string {
  if (values.length === 0) return '<span class="quiet">none</span>'
  const left =
    values.length > mostRows ? `<p class="small quiet">and ${values.length - mostRows} more</p>` : ''
  const shown = values.slice(0, mostRows)
  if (shown.every(isFlat)) return shown.map(scalar).join(', ') + left
  if (!shown.every(isFields) || !shown.every(each => Object.values(each).every(isFlat)))
    return `<ol>${shown.map(each => `<li>${readable(each, caption)}</li>`).join('')}</ol>${left}`
  const names = [...new Set(shown.flatMap(each => Object.keys(each)))]
  const rows = shown.map(each => names.map(name => (name in each ? scalar(each[name]) : '')))
  return table({ columns: names.map(words), rows, caption, scrolls: names.length > 4 }) + left
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return '<span class="quiet">not known</span>'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return escaped(String(value))
  const text = String(value)
  return escaped(text.length > mostText ? `${text.slice(0, mostText)}…` : text)
}
