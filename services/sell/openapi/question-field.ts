/** A schema of the document as a field of a question. What a field cannot say is refused, so that no payer is misled. */

import { type MergedSchema, mergedOf } from './merged.ts'
import {
  isFields,
  type JsonObject,
  lineOf,
  mostDepth,
  NotSold,
  ownOf,
  type Pointed,
  type Spot,
} from './pointed.ts'

/** As a file would say it. */
export type RawField = { type: string } & Record<string, unknown>

/** Words that would be wishes nobody reads. */
const unread = [
  ...['oneOf', 'anyOf', 'not', 'if', 'patternProperties', 'propertyNames', 'prefixItems', 'contains'],
  ...['dependentSchemas', 'dependentRequired', 'dependencies'],
]
const kept: Record<string, readonly string[]> = {
  string: ['enum', 'minLength', 'maxLength', 'pattern', 'format'],
  number: ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  array: ['minItems', 'maxItems'],
  object: [],
}
const formats = ['date', 'date-time', 'uuid', 'ipv4', 'ipv6', 'email']
const mostSays = 120
const most: Record<string, number> = { maxLength: 60_000, maxItems: 1_000 }

export function fieldOf(pointed: Pointed, spot: Spot, depth = 0): RawField {
  if (depth > mostDepth) throw new NotSold(spot, 'it is nested too deep, or contains itself')
  const merged = mergedOf(pointed, withoutNull(pointed, pointed.meant(spot)))
  const { words, path } = merged
  const odd = unread.find(word => word in words)
  if (odd) throw new NotSold({ path }, `${odd} is not read in a question`)
  const type = typeIn(merged)
  const field: RawField = { type }
  for (const word of kept[type] ?? []) {
    const value = wordOf(word, words)
    if (value !== undefined) field[word] = value
  }
  const says = lineOf(words.description ?? words.title, mostSays)
  if (says) field.says = says
  if (words.default !== undefined && words.default !== null) field.default = words.default
  if (type === 'array') field.items = fieldOf(pointed, itemsOf(pointed, merged), depth + 1)
  if (type === 'object') Object.assign(field, propertiesOf(pointed, merged, depth))
  return field
}

/** Of a value that may be null: the schema of what it is else. */
function withoutNull(pointed: Pointed, spot: Spot): Spot {
  const choices = pointed.of(spot, 'anyOf') ?? pointed.of(spot, 'oneOf')
  if (!choices || !isFields(spot.value)) return spot
  const others = pointed.each(choices).filter(({ value }) => ownOf(value, 'type') !== 'null')
  const [only] = others
  if (others.length !== 1 || !isFields(only?.value)) return spot
  const { anyOf: _, oneOf: __, ...around } = spot.value
  return { path: spot.path, value: { ...around, ...only.value } }
}

function typeIn({ words, properties, path }: MergedSchema): string {
  const types = [words.type].flat().filter(type => type !== 'null')
  const [type] = types
  if (types.length === 1 && typeof type === 'string' && Object.hasOwn(kept, type)) return type
  if (words.type !== undefined) throw new NotSold({ path }, 'it should have one type')
  if (properties.size) return 'object'
  if (words.items !== undefined) return 'array'
  const [first] = Array.isArray(words.enum) ? words.enum : [words.const]
  if (['string', 'number', 'boolean'].includes(typeof first)) return typeof first
  throw new NotSold({ path }, 'it says no type')
}

function wordOf(word: string, words: JsonObject): unknown {
  const value = words[word]
  if (word === 'enum') {
    const all = 'const' in words ? [words.const] : value
    return Array.isArray(all) ? [...new Set(all.filter(each => each !== null))] : undefined
  }
  if (word === 'format') return formats.includes(String(value)) ? value : undefined
  if (word in most && typeof value === 'number') return Math.min(value, most[word] ?? value)
  if (/^exclusiveM/.test(word)) return exclusive(word, words)
  // In 3.0 it is a mark of the bound beside it.
  const mark = words[word === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum']
  return /^(?:min|max)imum$/.test(word) && mark === true ? undefined : (value ?? boundOf(word, words))
}

const exclusive = (word: string, words: JsonObject): unknown =>
  words[word] === true ? words[word === 'exclusiveMinimum' ? 'minimum' : 'maximum'] : words[word] || undefined

const boundOf = (word: string, { format }: JsonObject): number | undefined =>
  format === 'int32' ? { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }[word] : undefined

function itemsOf(pointed: Pointed, { words, path }: MergedSchema): Spot {
  const items = pointed.of({ value: words, path }, 'items')
  if (!items) throw new NotSold({ path }, 'a list should say what its items are')
  return items
}

function propertiesOf(pointed: Pointed, { properties, required, words, path }: MergedSchema, depth: number) {
  const sent = [...properties].filter(([, { value }]) => ownOf(value, 'readOnly') !== true)
  if (!sent.length && words.additionalProperties !== false)
    throw new NotSold({ path }, 'any fields may stand in it, and a question says each by its name')
  return {
    properties: Object.fromEntries(sent.map(([name, spot]) => [name, fieldOf(pointed, spot, depth + 1)])),
    required: sent.flatMap(([name]) => (required.has(name) ? name : [])),
  }
}
