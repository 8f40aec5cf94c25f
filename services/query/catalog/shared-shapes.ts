/** Finds shapes that occur more than once in questions and answers, so that each is written once, under a name. */
import { type Schema, typeOf } from './type-text.ts'

interface Shape {
  name: string
  schema: Schema
}

/** Keyed by the text of the shape. Two shapes with the same text are one. */
type Shapes = ReadonlyMap<string, Shape>

/** A shorter shape is as easy to read as its name. */
const leastLines = 5

/** A name of letters and digits, whatever a stranger's field is called. */
export const capital = (words: string): string =>
  words
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** `roots` are the questions and answers, under the names of their types. */
export function sharedShapes(roots: readonly Shape[]): Shapes {
  const seen = new Map<string, Shape & { times: number }>()
  const visit = ({ name, schema }: Shape, operation: string): void => {
    const { properties = {}, items, prefixItems = [], anyOf = [], oneOf = [], additionalProperties } = schema
    if (schema.properties) {
      const text = typeOf(schema)
      const known = seen.get(text)
      // The shapes inside it are written once with it, so they are not counted again.
      if (known) return void known.times++
      if (text.split('\n').length >= leastLines) seen.set(text, { name, schema, times: 1 })
    }
    for (const [field, inner] of Object.entries(properties))
      visit({ name: operation + capital(field), schema: inner }, operation)
    const within = [items, ...prefixItems, ...anyOf, ...oneOf, additionalProperties]
    for (const inner of within) if (typeof inner === 'object') visit({ name, schema: inner }, operation)
  }
  for (const root of roots) visit(root, root.name.replace(/(Question|Answer)$/, ''))

  const names = new Set<string>()
  const shared = [...seen].filter(([, { times }]) => times > 1)
  return new Map(
    shared.map(([text, { name, schema }]) => {
      let free = name
      for (let n = 2; names.has(free); n++) free = `${name}${n}`
      names.add(free)
      return [text, { name: free, schema }]
    }),
  )
}
