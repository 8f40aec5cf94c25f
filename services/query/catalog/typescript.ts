/** The operations as TypeScript for the typed client: questions, answers and refusals. */
import { networks } from '../../../schemas/tables/networks.ts'
import { errors } from '../../offer/errors.ts'
import { receipt } from '../../till/receipt.ts'
import { answerKind, receiptKind } from '../signing/signer.ts'
import type { ClientCall } from './client-calls.ts'
import { jsonSchema } from './schemas.ts'
import { sharedShapes } from './shared-shapes.ts'
import { type Names, objectOf, type Schema, typeOf } from './type-text.ts'

/** `/market/best` is the method `marketBest`. */
export const methodName = (path: string): string =>
  path.slice(1).replace(/[/_-](\w)/g, (_, letter: string) => letter.toUpperCase())

/** The table that the client needs at run time. */
export const clientOperations = (calls: readonly ClientCall[]): string =>
  ['export const operations = {', ...calls.map(listed), '} as const'].join('\n')

/** The types that callers see while they write: every question and every answer. */
export function clientShapes(calls: readonly ClientCall[]): string {
  const all = calls.map(asked)
  const shapes = sharedShapes(
    all.flatMap(({ name, question, answer }) => [
      { name: `${name}Question`, schema: question },
      { name: `${name}Answer`, schema: answer },
    ]),
  )
  const names = (schema: Schema) => shapes.get(typeOf(schema))?.name
  return [
    '/** What is asked and answered, as types. Written from the operations themselves, and in no commit. */',
    '',
    `/** Any call can end in one of these. */\nexport type SharedCode = ${Object.keys(errors)
      .map(code => `'${code}'`)
      .join(' | ')}`,
    '',
    `export type Receipt = ${typeOf(jsonSchema(receipt) as Schema)}`,
    '',
    ...[...shapes.values()].map(({ name, schema }) => `type ${name} = ${objectOf(schema, '', names)}\n`),
    'export interface Operations {',
    ...all.map(one => declared(one, names)),
    '}',
    '',
  ].join('\n')
}

interface Asked extends ClientCall {
  /** The beginning of its type names. */
  name: string
}

const asked = (call: ClientCall): Asked => ({
  ...call,
  name: methodName(call.path).replace(/^./, letter => letter.toUpperCase()),
})

const listed = ({ path, method, price, title }: ClientCall): string =>
  `  ${methodName(path)}: { method: '${method}', path: '${path}', priceUsd: ${price ? `'${price}'` : 'undefined'}, title: ${JSON.stringify(title)} },`

function declared({ path, about, question, answer, refusals, price }: Asked, names: Names): string {
  const codes = Object.keys(refusals).map(code => `'${code}'`)
  return `  /** ${about} ${price ? `${price} USDC.` : 'Free.'} */
  ${methodName(path)}: {
    question: ${typeOf(question, '    ', names)}
    answer: ${typeOf(answer, '    ', names)}
    refusals: ${codes.join(' | ') || 'never'}
  }`
}

/** The networks that the client may pay on. */
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

/** What the receipts of a seller are signed as. A field that only one side knows would make each genuine receipt a false one. */
export const clientKinds = (): string =>
  Object.entries({ receiptKind, answerKind })
    .map(([variable, { domain, name, fields }]) =>
      [
        `export const ${variable}: Kind = {`,
        `  domain: '${domain}',`,
        `  name: '${name}',`,
        '  fields: {',
        ...Object.entries(fields).map(([field, type]) => `    ${field}: '${type}',`),
        '  },',
        '}',
      ].join('\n'),
    )
    .join('\n\n')
