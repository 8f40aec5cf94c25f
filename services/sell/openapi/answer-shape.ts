/**
 * What the document says of an answer, as far as it is checked: types, fields, values. What contains itself, or says more than one
 * schema can, may be anything there: an answer is data all the same.
 */

import { type MergedSchema, mergedOf } from './merged.ts'
import { type JsonObject, lineOf, NotSold, type Pointed, type Spot } from './pointed.ts'

const mostNested = 12
const mostSays = 160
const mostChoices = 20
const mostValues = 1_000
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

/** JSON Schema 2020-12, without a reference. A document that says too much of an answer says nothing of it. */
export function answerShape(pointed: Pointed, spot: Spot): JsonObject {
  try {
    return shapeOf(pointed, spot, [])
  } catch (error) {
    if (error instanceof NotSold) return {}
    throw error
  }
}

/** `above`: the places that it stands in. */
function shapeOf(pointed: Pointed, spot: Spot, above: readonly string[]): JsonObject {
  const meant = pointed.meant(spot)
  const here = meant.path.join('/')
  if (above.length === mostNested || above.includes(here)) return {}
  const merged = mergedOf(pointed, meant)
  const { words } = merged
  const says = lineOf(words.description, mostSays)
  const choices = pointed.of({ value: words, path: merged.path }, words.anyOf ? 'anyOf' : 'oneOf')
  const within = [...above, here]
  const shape = choices ? oneOf(pointed, choices, within) : plain(pointed, merged, within)
  return { ...(words.nullable === true ? orNull(shape) : shape), ...(says && { description: says }) }
}

function oneOf(pointed: Pointed, choices: Spot, above: readonly string[]): JsonObject {
  const all = pointed.each(choices)
  if (all.length > mostChoices) return {}
  return { anyOf: all.map(each => shapeOf(pointed, each, above)) }
}

const orNull = (shape: JsonObject): JsonObject =>
  Object.keys(shape).length ? { anyOf: [shape, { type: 'null' }] } : shape

function plain(pointed: Pointed, merged: MergedSchema, above: readonly string[]): JsonObject {
  const { words, properties, path } = merged
  if ('const' in words && isPlain(words.const)) return { const: words.const }
  if (Array.isArray(words.enum) && words.enum.length <= mostValues && words.enum.every(isPlain))
    return { enum: words.enum }
  const type = typeIn(merged)
  const inner = { value: words, path }
  if (type === 'array') {
    const items = pointed.of(inner, 'items')
    return { type, ...(items && { items: shapeOf(pointed, items, above) }) }
  }
  if (type !== 'object') return type === undefined ? {} : { type }
  const more = pointed.of(inner, 'additionalProperties')
  const isSchema = !properties.size && typeof more?.value === 'object'
  const names = [...properties.keys()].filter(name => name !== '__proto__')
  return {
    type,
    ...(names.length && {
      properties: Object.fromEntries(
        names.map(name => [name, shapeOf(pointed, properties.get(name) as Spot, above)]),
      ),
      required: names.filter(name => merged.required.has(name)),
    }),
    ...(more && isSchema && { additionalProperties: shapeOf(pointed, more, above) }),
  }
}

function typeIn({ words, properties }: MergedSchema): string | string[] | undefined {
  const known = [words.type].flat().filter((type): type is string => types.includes(type as string))
  // A number of 64 bits has more digits than an integer that is checked.
  if (words.format === 'int64' && known.length === 1 && known[0] === 'integer') return 'number'
  if (known.length > 1) return known.includes('object') || known.includes('array') ? undefined : known
  return known[0] ?? (properties.size ? 'object' : words.items === undefined ? undefined : 'array')
}

const isPlain = (value: unknown): boolean =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
