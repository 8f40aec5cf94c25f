/** JSON Schema as the text of a TypeScript type. */

export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  description?: string
}

const scalars: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** A shape that has a name is written as that name. */
export type Names = (schema: Schema) => string | undefined

export function typeOf(schema: Schema, indent = '', names: Names = () => undefined): string {
  const { type, anyOf = schema.oneOf, allOf, items, prefixItems } = schema
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (anyOf) return [...new Set(anyOf.map(each => typeOf(each, indent, names)))].join(' | ')
  if (allOf) return allOf.map(each => `(${typeOf(each, indent, names)})`).join(' & ')
  if (Array.isArray(type))
    return type.map(each => typeOf({ ...schema, type: each }, indent, names)).join(' | ')
  if (prefixItems) return `[${prefixItems.map(each => typeOf(each, indent, names)).join(', ')}]`
  if (type === 'array') return `Array<${typeOf(items ?? {}, indent, names)}>`
  if (type === 'object') return names(schema) ?? objectOf(schema, indent, names)
  return (type && scalars[type]) || 'unknown'
}

/** Writes the shape itself, even if it has a name. */
export function objectOf(
  { properties, required = [], additionalProperties }: Schema,
  indent: string,
  names: Names,
): string {
  const inner = `${indent}  `
  if (!properties && typeof additionalProperties === 'object')
    return `Record<string, ${typeOf(additionalProperties, indent, names)}>`
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const about = field.description ? `${inner}/** ${field.description.replaceAll('*/', '* /')} */\n` : ''
    return `${about}${inner}${nameOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field, inner, names)}\n`
  })
  return fields.length ? `{\n${fields.join('')}${indent}}` : 'Record<string, never>'
}

const nameOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))
