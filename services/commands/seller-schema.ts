/** A schema of a stranger's document as the client writes it: known words, bounded in all, and nothing that refers to itself. */
import type { Schema } from '../query/catalog/type-text.ts'

type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const ownOf = (value: unknown, name: string): unknown =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined

const mostDepth = 20
const mostMembers = 20
const mostFields = 300
const mostValues = 200
const mostLetters = 300
const types: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'null',
  'array',
  'object',
])

/** One line, which ends no comment. */
export const lineOf = (text: unknown, most = mostLetters): string =>
  typeof text === 'string'
    ? text
        .slice(0, 2 * most)
        .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
        .replaceAll('*/', '* /')
        .trim()
        .slice(0, most)
        .toWellFormed()
    : ''

/** Reads the schemas of one document, up to so many parts. What comes beyond them may be anything. */
export class SellerSchemas {
  readonly #root: unknown
  readonly #most: number
  #left: number

  constructor(root: unknown, most: number) {
    this.#root = root
    this.#most = most
    this.#left = most
  }

  get isSpent(): boolean {
    return this.#left <= 0
  }

  /** The parts that were read since then. */
  get taken(): number {
    return this.#most - Math.max(this.#left, 0)
  }

  /** So many parts again, for the next operation. */
  begin(): void {
    this.#left = this.#most
  }

  of(schema: unknown, depth = 0): Schema {
    this.#left -= 1
    if (this.#left < 0 || depth > mostDepth || !isFields(schema)) return {}
    const description = lineOf(ownOf(schema, 'description'))
    const reference = ownOf(schema, '$ref')
    const read =
      reference === undefined ? this.#read(schema, depth) : this.of(this.pointed(reference), depth + 1)
    return description ? { ...read, description } : read
  }

  /** What `#/components/…` names. A reference leads nowhere but into the document. */
  pointed(reference: unknown): unknown {
    if (typeof reference !== 'string' || !reference.startsWith('#/components/') || reference.length > 300)
      return undefined
    let at: unknown = this.#root
    for (const name of reference.slice(2).split('/'))
      at = ownOf(at, name.replaceAll('~1', '/').replaceAll('~0', '~'))
    return at
  }

  #read(schema: Fields, depth: number): Schema {
    const constant = ownOf(schema, 'const')
    if (isScalar(constant)) return { const: constant }
    const values = ownOf(schema, 'enum')
    const type = typeIn(schema)
    if (Array.isArray(values) && values.length && values.length <= mostValues && values.every(isScalar))
      return { ...type, enum: values }
    const choice = ownOf(schema, 'anyOf') ?? ownOf(schema, 'oneOf')
    if (Array.isArray(choice))
      return choice.length && choice.length <= mostMembers
        ? { anyOf: choice.map(each => this.of(each, depth + 1)) }
        : {}
    const all = ownOf(schema, 'allOf')
    // Several at once are written as an intersection, which compilers multiply out.
    if (Array.isArray(all)) return all.length === 1 ? this.of(all[0], depth + 1) : {}
    return { ...type, ...this.#inner(schema, depth) }
  }

  #inner(schema: Fields, depth: number): Schema {
    const below = (each: unknown) => this.of(each, depth + 1)
    const properties = ownOf(schema, 'properties')
    const items = ownOf(schema, 'items')
    const tuple = ownOf(schema, 'prefixItems')
    const more = ownOf(schema, 'additionalProperties')
    const required = ownOf(schema, 'required')
    const names = isFields(properties) ? Object.keys(properties).filter(isName).slice(0, mostFields) : []
    return {
      ...(isFields(properties) && {
        type: 'object',
        properties: Object.fromEntries(names.map(name => [name, below(properties[name])])),
        required: Array.isArray(required) ? required.filter(name => names.includes(name)) : [],
      }),
      ...(isFields(items) && { items: below(items) }),
      ...(Array.isArray(tuple) && tuple.length <= mostMembers && { prefixItems: tuple.map(below) }),
      ...(isFields(more) && { additionalProperties: below(more) }),
    }
  }
}

const isName = (name: string): boolean => name !== '__proto__' && /^[\x20-\x7e]{1,100}$/.test(name)

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && value.length <= mostLetters)

function typeIn(schema: Fields): Schema {
  const type = ownOf(schema, 'type')
  if (typeof type === 'string' && types.has(type)) return { type }
  if (!Array.isArray(type)) return {}
  const known = [...new Set(type.filter(each => types.has(each)))] as string[]
  return known.length ? { type: known } : {}
}
