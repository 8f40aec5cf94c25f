/** Writes what several JSON schemas have in common once, under a name, and refers to it. */
import { isObject } from '../../till/header.ts'
import { capital } from './shared-shapes.ts'

type Schema = Record<string, unknown>

interface Root {
  name: string
  schema: Schema
}

/** A shorter one is as easy to read in its place as a reference. */
const leastChars = { object: 200, field: 90 }

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

const isFields = ({ properties }: Schema): boolean => isObject(properties)

/** The text of a schema that may be shared: an object with fields, or a field with what is said of it. */
function textOf(schema: Schema, isField: boolean): string | undefined {
  if (!isFields(schema) && !isField) return undefined
  const text = JSON.stringify(isFields(schema) ? bare(schema) : schema)
  return text.length < leastChars[isFields(schema) ? 'object' : 'field'] ? undefined : text
}

/** `schemas` has what occurs more than once; `written` gives a root that refers to it at its place. */
export function onceEach(roots: readonly Root[], place = '#/components/schemas/') {
  const seen = new Map<string, { name: string; times: number }>()
  const count = (schema: Schema, root: string, field = '', isField = false): Schema => {
    const text = textOf(schema, isField)
    const known = text && seen.get(text)
    // What is inside it is written once with it, so it is not counted again.
    if (known) known.times++
    else {
      const name = (isFields(schema) ? capital(root) : '') + capital(field)
      if (text) seen.set(text, { name, times: 1 })
      within(schema, (inner, its) => count(inner, root, its ?? field, its !== undefined))
    }
    return schema
  }
  for (const { name, schema } of roots)
    within(schema, (inner, field) => count(inner, name, field, field !== undefined))

  const names = namesOf(seen)
  const schemas: Record<string, Schema> = {}
  const referring = (schema: Schema, field?: string): Schema => {
    const name = names.get(textOf(schema, field !== undefined) ?? '')
    if (name === undefined) return within(schema, referring)
    schemas[name] ??= within(isFields(schema) ? bare(schema) : schema, referring)
    const { description } = isFields(schema) ? schema : {}
    return { ...(description === undefined ? {} : { description }), $ref: `${place}${name}` }
  }
  const all = new Map(roots.map(({ name, schema }) => [name, within(schema, referring)]))
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
