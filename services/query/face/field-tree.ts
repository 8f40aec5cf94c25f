/** The fields of a schema as a tree that opens: each with its type, and what it means. */
import { escaped, prose } from './text.ts'

/** As much of JSON Schema as a tree needs. */
interface Branch {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Branch[]
  oneOf?: Branch[]
  allOf?: Branch[]
  items?: Branch
  properties?: Record<string, Branch>
  required?: string[]
  additionalProperties?: Branch | boolean
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
}

export function fieldTree(schema: Branch): string {
  const fields = fieldsOf(schema)
  return fields.length ? `<div class="fields">${list(fields)}</div>` : '<p>Nothing.</p>'
}

interface Field {
  name: string
  schema: Branch
  isOptional: boolean
}

const formsOf = ({ anyOf = [], oneOf = [], allOf = [] }: Branch): Branch[] => [...anyOf, ...oneOf, ...allOf]

/** Those of each form that it may have, once. */
function fieldsOf(schema: Branch): Field[] {
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    ...{ name, schema: field },
    isOptional: !schema.required?.includes(name),
  }))
  const listed = [
    ...own,
    ...formsOf(schema).flatMap(fieldsOf),
    ...(schema.items ? fieldsOf(schema.items) : []),
    ...(typeof schema.additionalProperties === 'object' ? fieldsOf(schema.additionalProperties) : []),
  ]
  return [...new Map(listed.map(field => [field.name, field])).values()]
}

const list = (fields: readonly Field[]): string => `<dl>${fields.map(shown).join('')}</dl>`

function shown({ name, schema, isOptional }: Field): string {
  const below = fieldsOf(schema)
  const inside = below.length
    ? `<details><summary>${below.length} field${below.length > 1 ? 's' : ''} inside</summary>${list(below)}</details>`
    : ''
  const bounds = boundsOf(schema)
  const notes = [isOptional ? 'optional' : '', ...bounds].filter(Boolean).join(', ')
  return `<dt><code>${escaped(name)}</code> <small>${escaped(kindOf(schema))}${notes && `, ${escaped(notes)}`}</small></dt><dd>${prose(schema.description ?? '')}${inside}</dd>`
}

const kinds: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
}

const mostValues = 8

/** What a value is, in words. */
function kindOf(schema: Branch): string {
  const { type, items } = schema
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) {
    const told = schema.enum.slice(0, mostValues).map(value => JSON.stringify(value))
    return [...told, ...(schema.enum.length > mostValues ? ['…'] : [])].join(' | ')
  }
  const forms = formsOf(schema)
  if (forms.length) return [...new Set(forms.map(kindOf))].join(' or ')
  if (type === 'array') return items && kindOf(items) !== 'object' ? `list of ${kindOf(items)}` : 'list'
  return [type ?? 'anything']
    .flat()
    .map(each => kinds[each] ?? each)
    .join(' or ')
}

function boundsOf({ default: unset, minimum, maximum, maxLength, maxItems }: Branch): string[] {
  const isBound = (value: number | undefined) => value !== undefined && Math.abs(value) < 1e12
  return [
    ...(isBound(minimum) ? [`at least ${minimum}`] : []),
    ...(isBound(maximum) ? [`at most ${maximum}`] : []),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...(unset === undefined ? [] : [`unset: ${JSON.stringify(unset)}`]),
  ]
}
