/** The operations as TypeScript, for the typed client: what each is asked, what it answers, what it refuses. */
import { networks } from '../../../schemas/networks.ts'
import { errors } from '../../errors.ts'
import type { OpenOrigin } from '../../origin.ts'
import { receipt } from '../../till/receipt.ts'
import { type Offered, offeredBy } from './offered.ts'
import { jsonSchema } from './schemas.ts'

interface Schema {
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

/** `/market/best` is the method `marketBest`. */
export const methodName = (path: string): string =>
  path.slice(1).replace(/[/_-](\w)/g, (_, letter: string) => letter.toUpperCase())

const scalars: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

export function typeOf(schema: Schema, indent = ''): string {
  const { type, anyOf = schema.oneOf, allOf, items, prefixItems } = schema
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (anyOf) return [...new Set(anyOf.map(each => typeOf(each, indent)))].join(' | ')
  if (allOf) return allOf.map(each => `(${typeOf(each, indent)})`).join(' & ')
  if (Array.isArray(type)) return type.map(each => typeOf({ ...schema, type: each }, indent)).join(' | ')
  if (prefixItems) return `[${prefixItems.map(each => typeOf(each, indent)).join(', ')}]`
  if (type === 'array') return `Array<${typeOf(items ?? {}, indent)}>`
  if (type === 'object') return objectOf(schema, indent)
  return (type && scalars[type]) || 'unknown'
}

function objectOf({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `
  if (!properties && typeof additionalProperties === 'object')
    return `Record<string, ${typeOf(additionalProperties, indent)}>`
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const about = field.description ? `${inner}/** ${field.description.replaceAll('*/', '')} */\n` : ''
    return `${about}${inner}${nameOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(field, inner)}\n`
  })
  return fields.length ? `{\n${fields.join('')}${indent}}` : 'Record<string, never>'
}

export function clientOperations(origins: readonly OpenOrigin[]): string {
  const all = offeredBy(origins)
  const listed = all.map(
    ({ path, method, price, title }) =>
      `  ${methodName(path)}: { method: '${method}', path: '${path}', priceUsd: ${price ? `'${price}'` : 'undefined'}, title: ${JSON.stringify(title)} },`,
  )
  return [
    'export const operations = {',
    ...listed,
    '} as const',
    '',
    `/** Any call can end in one of these. */\nexport type SharedCode = ${Object.keys(errors)
      .map(code => `'${code}'`)
      .join(' | ')}`,
    '',
    `export type Receipt = ${typeOf(jsonSchema(receipt) as Schema)}`,
    '',
    'export interface Operations {',
    ...all.map(declared),
    '}',
  ].join('\n')
}

function declared({ path, about, request, response, refusals, price }: Offered): string {
  const codes = Object.keys(refusals).map(code => `'${code}'`)
  return `  /** ${about} ${price ? `${price} USDC.` : 'Free.'} */
  ${methodName(path)}: {
    question: ${typeOf(jsonSchema(request, 'input') as Schema, '    ')}
    answer: ${typeOf(jsonSchema(response) as Schema, '    ')}
    refusals: ${codes.join(' | ') || 'never'}
  }`
}

const nameOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

/** What the client may pay with. */
export const clientNetworks = (): string =>
  Object.entries(networks)
    .map(([name, network]) => {
      const domain = 'domain' in network ? network.domain : undefined
      return [
        '{',
        `  name: '${name}',`,
        `  id: '${network.caip2}',`,
        `  usdc: '${network.asset}',`,
        ...(domain ? [`  domain: { name: '${domain.name}', version: '${domain.version}' },`] : []),
        '},',
      ].join('\n')
    })
    .join('\n')
