/** JSON Schema as Python. Each object becomes a TypedDict with a name; equal ones are one. */
import { capital } from './shared-shapes.ts'
import type { Schema } from './type-text.ts'

const scalars: Record<string, string> = {
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
  null: 'None',
}
/** No field of a class can be called so; `from` is a field of a question. */
export const pythonKeywords: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)
/** Names that the file imports. */
const imported = ['Any', 'Literal', 'TypedDict', 'NotRequired']

/** A text as Python reads it. JSON knows no other escapes than Python does. */
export const pythonText = (text: string): string => JSON.stringify(text)

export class PythonShapes {
  readonly #names = new Map<string, string>()
  readonly #taken: Set<string>
  readonly #written: string[] = []

  /** `own`: the names that will be given by `named`, so no inner shape takes one of them. */
  constructor(own: readonly string[]) {
    this.#taken = new Set([...imported, ...own])
  }

  /** The classes, each behind those that it names. */
  get text(): string {
    return this.#written.join('\n\n')
  }

  /** Gives a type its own name, so that a caller can write it. */
  named(schema: Schema, name: string): void {
    if (schema.properties) this.#declare(schema, name, name.replace(/(Question|Answer)$/, ''), true)
    else this.#write(name, `${name} = ${this.#typeOf(schema, name, name)}`)
  }

  #typeOf(schema: Schema, name: string, operation: string): string {
    return [...new Set(this.#membersOf(schema, name, operation))].join(' | ')
  }

  /** Members of a union stay apart until they are written: the text of a stranger's literal may look like several. */
  #membersOf(schema: Schema, name: string, operation: string): string[] {
    const { type, anyOf = schema.oneOf, items, prefixItems, additionalProperties } = schema
    const members = (each: Schema) => this.#membersOf(each, name, operation)
    const within = (each: Schema) => this.#typeOf(each, name, operation)
    if ('const' in schema) return literal([schema.const], type)
    if (schema.enum) return literal(schema.enum, type)
    if (anyOf) return anyOf.flatMap(members)
    if (Array.isArray(type)) return type.flatMap(each => members({ ...schema, type: each }))
    if (prefixItems) return [`list[${[...new Set(prefixItems.flatMap(members))].join(' | ')}]`]
    if (type === 'array') return [`list[${within(items ?? {})}]`]
    if (schema.properties) return [this.#declare(schema, name, operation, false)]
    if (type === 'object')
      return [`dict[str, ${typeof additionalProperties === 'object' ? within(additionalProperties) : 'Any'}]`]
    return [(typeof type === 'string' && scalars[type]) || 'Any']
  }

  #declare(schema: Schema, name: string, operation: string, isOwn: boolean): string {
    const { properties = {}, required = [] } = schema
    const fields = Object.entries(properties).map(([field, inner]) => {
      const type = this.#typeOf(inner, operation + capital(field), operation)
      return {
        field,
        about: inner.description?.replace(/\s+/g, ' '),
        type: required.includes(field) ? type : `NotRequired[${type}]`,
      }
    })
    const shape = JSON.stringify(fields)
    const known = this.#names.get(shape)
    if (known && !isOwn) return known
    const free = isOwn ? name : this.#free(name)
    if (!known) this.#names.set(shape, free)
    const isClass = fields.every(({ field }) => /^[A-Za-z]\w*$/.test(field) && !pythonKeywords.has(field))
    const lines = fields.flatMap(({ field, about, type }) => [
      ...(about ? [`    # ${about}`] : []),
      isClass ? `    ${field}: ${type}` : `    ${pythonText(field)}: ${type},`,
    ])
    const body = lines.length ? lines : isClass ? ['    pass'] : []
    this.#write(
      free,
      isClass
        ? [`class ${free}(TypedDict):`, ...body, ''].join('\n')
        : [`${free} = TypedDict(${pythonText(free)}, {`, ...body, '})', ''].join('\n'),
    )
    return free
  }

  #write(name: string, text: string): void {
    this.#taken.add(name)
    this.#written.push(text)
  }

  #free(name: string): string {
    let free = name
    for (let n = 2; this.#taken.has(free); n++) free = `${name}${n}`
    return free
  }
}

/** A Literal holds no fraction, so the type of one is its kind. */
function literal(values: unknown[], type: Schema['type']): string[] {
  const texts = values.filter(value => value !== null)
  if (texts.some(value => typeof value === 'number' && !Number.isInteger(value)))
    return [scalars[String(type)] ?? 'Any']
  const known = texts.map(value =>
    value === true ? 'True' : value === false ? 'False' : JSON.stringify(value),
  )
  return [
    ...(known.length ? [`Literal[${known.join(', ')}]`] : []),
    ...(texts.length < values.length ? ['None'] : []),
  ]
}
