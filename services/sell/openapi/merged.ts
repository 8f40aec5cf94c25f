/** A schema with its allOf as one: what all of them say. */
import { isFields, type JsonObject, mostDepth, NotSold, ownOf, type Pointed, type Spot } from './pointed.ts'

/** Words that say nothing of a value. */
const silent: ReadonlySet<string> = new Set([
  ...['title', 'description', 'example', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'xml', '$ref'],
  ...[
    'externalDocs',
    '$comment',
    '$id',
    '$schema',
    '$anchor',
    'discriminator',
    'contentMediaType',
    'default',
  ],
])

/** A schema whose fields stand at different places of the document. */
export interface MergedSchema {
  path: Spot['path']
  words: JsonObject
  properties: ReadonlyMap<string, Spot>
  required: ReadonlySet<string>
}

/** Undefined if what they say cannot be said by one: `isLoose` forgives that. */
export function mergedOf(pointed: Pointed, spot: Spot, depth = 0): MergedSchema {
  if (depth > mostDepth) throw new NotSold(spot, 'it is nested too deep, or contains itself')
  const { value, path } = pointed.meant(spot)
  if (value === true) return { path, words: {}, properties: new Map(), required: new Set() }
  if (!isFields(value)) throw new NotSold({ path }, 'it should be a schema')
  const { allOf: _, properties: __, required: ___, ...words } = value
  const own: MergedSchema = {
    path,
    words,
    properties: new Map(
      pointed.each(pointed.of({ value, path }, 'properties')).map(each => [each.name, each]),
    ),
    required: new Set(namesIn(ownOf(value, 'required'))),
  }
  return pointed
    .each(pointed.of({ value, path }, 'allOf'))
    .map(each => mergedOf(pointed, each, depth + 1))
    .reduce(both, own)
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(name => typeof name === 'string') : []

function both(one: MergedSchema, other: MergedSchema): MergedSchema {
  const words: Record<string, unknown> = { ...one.words }
  for (const [word, value] of Object.entries(other.words)) {
    const known = Object.hasOwn(words, word) ? words[word] : undefined
    if (known === undefined) words[word] = value
    else if (!silent.has(word) && word !== 'additionalProperties' && !isSame(known, value))
      throw new NotSold(other, `allOf says ${word} in two ways`)
  }
  // Each of them would forbid the fields of the others.
  if ('additionalProperties' in one.words || 'additionalProperties' in other.words)
    delete words.additionalProperties
  const properties = new Map(one.properties)
  for (const [name, spot] of other.properties) {
    const known = properties.get(name)
    if (!known) properties.set(name, spot)
    else if (!isSame(known.value, spot.value)) throw new NotSold(spot, `allOf says ${name} in two ways`)
  }
  return { path: one.path, words, properties, required: new Set([...one.required, ...other.required]) }
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)
