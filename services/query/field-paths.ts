/** Names of fields, and of fields within fields: `rate`, `receipt.payment_tx`, `facts.revenue.value`. A list is passed through: each of its items. */
import { isObject } from '../till/header.ts'

/** What is wanted of an object. true: the field whole. */
export type Wanted = ReadonlyMap<string, Wanted | true>
type Growing = Map<string, Growing | true>

type Schema = Record<string, unknown>

const mostNames = 100
const mostDepth = 12

/** Undefined: it is no list of names. */
export function pathsIn(wanted: unknown): readonly string[] | undefined {
  const isList = Array.isArray(wanted) && wanted.length > 0 && wanted.length <= mostNames
  return isList && wanted.every(isPath) ? wanted : undefined
}

const isPath = (name: unknown): boolean =>
  typeof name === 'string' && name.split('.', mostDepth + 1).length <= mostDepth

export function wantedIn(paths: readonly string[]): Wanted {
  const whole: Growing = new Map()
  for (const path of paths) {
    const names = path.split('.')
    const last = names.pop() as string
    let at: Growing | true | undefined = whole
    for (const name of names) {
      if (at === true) break
      const next: Growing | true = at.get(name) ?? new Map()
      at.set(name, next)
      at = next
    }
    if (at !== true) at.set(last, true)
  }
  return whole
}

/** The wanted part of a value. Where a field holds no object, there is nothing to choose in it. */
export function chosenIn(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value)) return value.map(each => chosenIn(each, wanted))
  if (!isObject(value) || JSON.isRawJSON(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const part = wanted.get(name)
      if (part === undefined) return []
      return [[name, part === true ? each : chosenIn(each, part)]]
    }),
  )
}

/** The first path that names no field, with the fields that there are instead. */
export function oddPath(
  schema: Schema,
  paths: readonly string[],
): { within: string; known: string[] } | undefined {
  for (const path of paths) {
    const names = path.split('.')
    let places = placesOf(schema, schema)
    for (const [depth, name] of names.entries()) {
      const next = places.flatMap(place => fieldOf(place, name)).flatMap(place => placesOf(place, schema))
      if (!next.length)
        return {
          within: names.slice(0, depth).join('.'),
          known: [...new Set(places.flatMap(({ properties }) => Object.keys(properties ?? {})))],
        }
      places = next
    }
  }
  return undefined
}

/** The forms of a value that can hold fields, and those without: through references, choices and lists. */
function placesOf(schema: Schema, root: Schema, depth = 0): Schema[] {
  if (depth > mostDepth) return []
  const through = (each: unknown) => (isObject(each) ? placesOf(each, root, depth + 1) : [])
  const { $ref, items } = schema
  if (typeof $ref === 'string') return through(referred($ref, root))
  const choices = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(each =>
    Array.isArray(each) ? each : [],
  )
  const lists = [items, ...(Array.isArray(schema.prefixItems) ? schema.prefixItems : [])]
  const inner = [...choices, ...lists].flatMap(through)
  return inner.length && !isObject(schema.properties) ? inner : [schema, ...inner]
}

const referred = ($ref: string, root: Schema): unknown =>
  $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root)

/** A schema that tells nothing of its fields, and one of any names, has each. */
function fieldOf(schema: Schema, name: string): Schema[] {
  const { properties, additionalProperties } = schema
  if (isObject(properties) && Object.hasOwn(properties, name)) return [properties[name] as Schema]
  if (isObject(additionalProperties)) return [additionalProperties]
  const isUntold =
    additionalProperties === undefined && !isObject(properties) && (schema.type ?? 'object') === 'object'
  const isValue = 'enum' in schema || 'const' in schema
  return additionalProperties === true || (isUntold && !isValue) ? [{}] : []
}
