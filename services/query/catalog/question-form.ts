/** A question as a form, made from its schema: a control of the right kind for each field. What has no control stands in the JSON. */
import { escaped, prose, words } from '../face/text.ts'
import type { Offered } from './offered.ts'
import { toldSchema } from './schemas.ts'
import type { Schema } from './type-text.ts'

interface Field extends Schema {
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  default?: unknown
}

const day = '^\\d{4}-\\d{2}-\\d{2}$'
const currency = '^[A-Za-z]{3}$'
/** Those that are asked for most. Any other can be written. */
const currencies = ['USD', 'EUR', 'JPY', 'GBP', 'CHF', 'CNY', 'AUD', 'CAD', 'INR', 'SEK', 'PLN', 'MXN']

export function questionForm(offered: Offered): string {
  const { properties = {}, required = [] } = toldSchema(offered, 'request')
  const given = offered.example.request as Record<string, unknown>
  const controls = Object.entries(properties).flatMap(([name, field]) => {
    const control = controlOf(name, plain(field), given?.[name])
    const optional = required.includes(name) ? '' : ' <small>optional</small>'
    return control
      ? `<div class="control"><label for="ask-${escaped(name)}">${escaped(words(name))}${optional}</label>${control}<small>${prose(field.description ?? '')}</small></div>`
      : []
  })
  return controls.length
    ? `<div id="try-form">${controls.join('')}<datalist id="currencies">${currencies.map(each => `<option value="${each}">`).join('')}</datalist></div>`
    : ''
}

/** An optional field is often one of two forms, of which the other is null. */
function plain(field: Schema): Field {
  const forms = (field.anyOf ?? field.oneOf ?? []).filter(({ type }) => type !== 'null')
  return forms.length === 1 ? { ...field, ...forms[0] } : field
}

function controlOf(name: string, field: Field, given: unknown): string | undefined {
  const { type, pattern, format, minimum, maximum, items } = field
  const marked = (kind: string) =>
    `id="ask-${escaped(name)}" data-field="${escaped(name)}" data-kind="${kind}"`
  const value = given === undefined ? '' : ` value="${escaped(String(given))}"`
  if (field.enum || type === 'boolean') {
    const options = (field.enum ?? [true, false]).map(each => String(each))
    const shown = options.map(
      each => `<option${String(given) === each ? ' selected' : ''}>${escaped(each)}</option>`,
    )
    return `<select ${marked(type === 'boolean' ? 'boolean' : 'text')}><option value="">unset</option>${shown.join('')}</select>`
  }
  if (type === 'number' || type === 'integer') {
    const bounds = [
      minimum === undefined || minimum < -1e15 ? '' : ` min="${minimum}"`,
      maximum === undefined || maximum > 1e15 ? '' : ` max="${maximum}"`,
    ]
    return `<input type="number" step="${type === 'integer' ? 1 : 'any'}"${bounds.join('')} ${marked('number')}${value}>`
  }
  if (type === 'array' && items?.type === 'string') {
    const lines = Array.isArray(given) ? given.join('\n') : ''
    return `<textarea rows="3" placeholder="one a line" ${marked('list')}>${escaped(lines)}</textarea>`
  }
  if (type !== 'string') return undefined
  if (pattern === day || format === 'date') return `<input type="date" ${marked('text')}${value}>`
  const help = pattern === currency ? ' list="currencies" size="8"' : ''
  return `<input type="${name === 'url' ? 'url' : 'text'}" autocomplete="off" spellcheck="false"${help} ${marked('text')}${value}>`
}
