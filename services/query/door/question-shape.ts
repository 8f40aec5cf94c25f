/** The shape of a question: the fields that its operation knows, each with the kind of its value. No value, and no name of a stranger's. */
import type { Operation } from '../../offer/operation.ts'
import { jsonSchema } from '../catalog/schemas.ts'

const mostLetters = 300

export function shapeOf(operation: Operation, question: unknown): string {
  if (typeof question !== 'object' || question === null || Array.isArray(question)) return kindOf(question)
  const fields = fieldsOf(operation)
  const names = Object.keys(question)
  const own = names.filter(name => fields.has(name)).toSorted()
  const told = own.map(name => `${name}:${kindOf((question as Record<string, unknown>)[name])}`)
  return [...told, ...(own.length < names.length ? ['unknown'] : [])].join(' ').slice(0, mostLetters)
}

const kindOf = (value: unknown): string =>
  value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value

const known = new WeakMap<Operation, ReadonlySet<string>>()

function fieldsOf(operation: Operation): ReadonlySet<string> {
  const before = known.get(operation)
  if (before) return before
  const fields = new Set(namesIn(jsonSchema(operation.request, 'input') as Alternatives))
  known.set(operation, fields)
  return fields
}

interface Alternatives {
  properties?: Record<string, object>
  anyOf?: Alternatives[]
  oneOf?: Alternatives[]
  allOf?: Alternatives[]
}

const namesIn = ({ properties = {}, anyOf = [], oneOf = [], allOf = [] }: Alternatives): string[] => [
  ...Object.keys(properties),
  ...[...anyOf, ...oneOf, ...allOf].flatMap(namesIn),
]
