/** A question as a form, made from its schema: a control of the right kind for each field. What has no control stands in the JSON. */
import { z } from 'zod'
import { type PlaceKind, placeKindOf } from '../../offer/place.ts'
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
  const point = pointIn(properties)
  const places = placesIn(offered.request)
  const controls = Object.entries(properties).flatMap(([name, field]) => {
    const place = places.get(name)
    const control = place
      ? placeControl(name, place, given?.[name], point)
      : controlOf(name, plain(field), given?.[name])
    const optional = required.includes(name) ? '' : ' <small>optional</small>'
    return control
      ? `<div class="control"><label for="ask-${escaped(name)}">${escaped(words(name))}${optional}</label>${control}<small>${prose(field.description ?? '')}</small></div>`
      : []
  })
  if (point && ![...places.values()].includes('address')) controls.unshift(finderOf(point))
  return controls.length
    ? `<div id="try-form">${controls.join('')}<datalist id="currencies">${currencies.map(each => `<option value="${each}">`).join('')}</datalist></div>`
    : ''
}

/** The fields that their declaration calls a place. */
const placesIn = (request: z.ZodType): ReadonlyMap<string, PlaceKind> =>
  new Map(
    Object.entries(request instanceof z.ZodObject ? (request.shape as z.ZodRawShape) : {}).flatMap(
      ([name, type]) => {
        const kind = placeKindOf(type as z.ZodType)
        return kind ? [[name, kind] as const] : []
      },
    ),
  )

/** Latitude and longitude, by their bounds. */
function pointIn(properties: Readonly<Record<string, Schema>>): string | undefined {
  const bounded = (most: number) =>
    Object.entries(properties).find(([, field]) => {
      const { type, minimum, maximum } = plain(field)
      return type === 'number' && minimum === -most && maximum === most
    })?.[0]
  const [lat, lon] = [bounded(90), bounded(180)]
  return lat === undefined || lon === undefined ? undefined : `${lat} ${lon}`
}

/** A plain field. The script of places makes a combobox of it. */
function placeControl(name: string, kind: PlaceKind, given: unknown, point: string | undefined): string {
  const value = given === undefined ? '' : ` value="${escaped(String(given))}"`
  const fills = point && kind === 'address' ? ` data-fills="${escaped(point)}"` : ''
  return `<input type="text" autocomplete="off" spellcheck="false" id="ask-${escaped(name)}" data-field="${escaped(name)}" data-kind="text" data-place="${kind}"${fills}${value}>`
}

/** It is no field of the question: it finds coordinates. */
const finderOf = (point: string): string =>
  `<div class="control"><label for="ask--place">place</label><input type="text" autocomplete="off" spellcheck="false" id="ask--place" data-place="coordinates" data-fills="${escaped(point)}" disabled><small>A city, a ZIP or an airport of the US fills in its coordinates</small></div>`

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
