/** Writes what several JSON schemas have in common once, under a name, and refers to it. */
import { isObject } from '../../till/header.ts'
import { capital } from './shared-shapes.ts'

type Schema = Record<string, unknown>

interface Root {
  name: string
  schema: Schema
}

/** A shorter one is as easy to read in its place as a reference. */
const leastChars = 200

const ofOne: ReadonlySet<string> = new Set(['items', 'not', 'additionalProperties', 'propertyNames'])
const ofMany: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])

/** Writes each schema within a schema anew. `field` is its name, if it is that of a field. */
function within(schema: Schema, written: (inner: Schema, field?: string) => Schema): Schema {
  const one = (value: unknown, field?: string) => (isObject(value) ? written(value, field) : value)
  const entries = Object.entries(schema).map(([word, value]) => {
    if (word === 'properties' && isObject(value))
      return [word, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, one(each, name)]))]
    if (ofMany.has(word) && Array.isArray(value)) return [word, value.map(each => one(each))]
    return [word, ofOne.has(word) ? one(value) : value]
  })
  return Object.fromEntries(entries)
}

/** What is said of a place stays at the place. */
const bare = ({ description: _, ...schema }: Schema): Schema => schema

/** The text of a schema that may be shared: an object with fields. */
const textOf = (schema: Schema): string | undefined => {
  if (!isObject(schema.properties)) return undefined
  const text = JSON.stringify(bare(schema))
  return text.length < leastChars ? undefined : text
}

/** `schemas` has what occurs more than once; `written` gives a root that refers to it at its place. */
export function onceEach(roots: readonly Root[], place = '#/components/schemas/') {
  const seen = new Map<string, { name: string; times: number }>()
  const count = (schema: Schema, root: string, field = ''): Schema => {
    const text = textOf(schema)
    const known = text && seen.get(text)
    // What is inside it is written once with it, so it is not counted again.
    if (known) known.times++
    else {
      if (text) seen.set(text, { name: capital(root) + capital(field), times: 1 })
      within(schema, (inner, name = field) => count(inner, root, name))
    }
    return schema
  }
  for (const { name, schema } of roots) within(schema, (inner, field) => count(inner, name, field))

  const names = namesOf(seen)
  const schemas: Record<string, Schema> = {}
  const referring = (schema: Schema): Schema => {
    const name = names.get(textOf(schema) ?? '')
    if (name === undefined) return within(schema, inner => referring(inner))
    schemas[name] ??= within(bare(schema), inner => referring(inner))
    const { description } = schema
    return { ...(description === undefined ? {} : { description }), $ref: `${place}${name}` }
  }
  const all = new Map(roots.map(({ name, schema }) => [name, within(schema, inner => referring(inner))]))
  return { schemas, written: (name: string): Schema => all.get(name) ?? {} }
}

function namesOf(seen: ReadonlyMap<string, { name: string; times: number }>): Map<string, string> {
  const taken = new Set(['Error', 'Receipt'])
  const names = new Map<string, string>()
  for (const [text, { name, times }] of seen) {
    if (times === 1) continue
    let free = name
    for (let n = 2; taken.has(free); n++) free = `${name}${n}`
    taken.add(free)
    names.set(text, free)
  }
  return names
}
