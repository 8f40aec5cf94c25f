/** A client is made from a stranger's document: what it may be told, and that nothing of it grows or becomes code. */
import { parseSync } from 'rolldown/utils'
import { expect, it } from 'vitest'
import { sellerCalls } from '../../../services/commands/seller-calls.ts'
import { pythonModules } from '../../../services/query/catalog/python.ts'
import { clientOperations, clientShapes } from '../../../services/query/catalog/typescript.ts'

const address = 'https://seller.example'
const evil = 'a **// declare const evil: 1 /* \u2028 """ \u0000\nimport os'

const operation = (schema: object, more: object = {}) => ({
  post: {
    ...{ summary: evil, description: evil },
    'x-payment-info': { price: { mode: 'fixed', currency: 'USD', amount: '0.003' } },
    requestBody: { content: { 'application/json': { schema } } },
    responses: {
      200: { content: { 'application/json': { schema } } },
      422: { description: '`unknown_station`: none. `constructor`: x. Also `busy`. Free.' },
    },
  },
  ...more,
})
const documentOf = (paths: object, schemas: object = {}) => ({
  ...{ openapi: '3.1.0', paths, components: { schemas } },
})
const readOf = (schema: object, schemas: object = {}) => {
  const { calls, leftOut } = sellerCalls(documentOf({ '/tide': operation(schema) }, schemas), address)
  return { call: calls[0], leftOut, text: clientShapes(calls) }
}
const wide = (members: number) => ({
  anyOf: Array.from({ length: members }, (_, i) => ({ type: 'object', properties: { [`k${i}`]: {} } })),
})

it('has the question, the answer without its receipt, the price and the codes', () => {
  const receipt = { $ref: '#/components/schemas/Receipt' }
  const schema = {
    type: 'object',
    properties: { station: { type: 'string', description: 'A station' }, receipt },
    required: ['station', 'receipt'],
  }
  const { call, leftOut } = readOf(schema, { Receipt: { type: 'object' } })
  expect(leftOut).toEqual([])
  expect(call).toMatchObject({ method: 'POST', path: '/tide', price: '0.003' })
  expect(Object.keys(call?.refusals ?? {})).toEqual(['unknown_station'])
  expect(call?.answer).toEqual({
    ...{ type: 'object', properties: { station: { type: 'string', description: 'A station' } } },
    required: ['station'],
  })
})

it('a schema that contains itself, is without end or multiplies is not written', () => {
  const loop = {
    type: 'object',
    properties: { a: { $ref: '#/components/schemas/L' }, b: { $ref: '#/components/schemas/L' } },
  }
  const looped = readOf({ $ref: '#/components/schemas/L' }, { L: loop })
  expect(looped.leftOut).toEqual(['/tide: its types, which have too many parts'])
  expect(looped.call).toMatchObject({ question: {}, answer: {} })
  const crowd = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, wide(20)]))
  expect(readOf({ type: 'object', properties: crowd }).call?.answer).toEqual({})
  expect(readOf(wide(1_000)).call?.answer).toEqual({})
  expect(readOf({ allOf: [wide(20), wide(20)] }).call?.answer).toEqual({})
  expect(readOf({ enum: Array.from({ length: 5_000 }, (_, i) => i) }).call?.answer).toEqual({})
  for (const text of [looped.text, readOf({ type: 'object', properties: crowd }).text])
    expect(text.length).toBeLessThan(10_000)
})

it('all operations together have a bound, too', () => {
  const fields = Object.fromEntries(Array.from({ length: 299 }, (_, i) => [`f${i}`, { type: 'string' }]))
  const paths = Object.fromEntries(
    Array.from({ length: 700 }, (_, i) => [`/p${i}`, operation({ type: 'object', properties: fields })]),
  )
  const { calls, leftOut } = sellerCalls(documentOf(paths), address)
  expect(calls).toHaveLength(500)
  expect(calls.filter(({ answer }) => answer.properties)).toHaveLength(84)
  expect(leftOut.at(-1)).toMatch(/^and \d+ more$/)
  expect(leftOut.length).toBeLessThan(60)
})

it('no text of it becomes code', () => {
  const schema = {
    type: 'object',
    description: evil,
    properties: { [evil]: {}, 'a"b\\`': { type: 'string', description: evil }, ['__proto__']: {} },
    required: ['a"b\\`'],
  }
  const { calls } = sellerCalls(documentOf({ '/tide': operation(schema) }), address)
  for (const text of [clientShapes(calls), clientOperations(calls)]) {
    const { program, errors } = parseSync('shapes.ts', text)
    expect(errors).toEqual([])
    const declared = program.body.map(each => JSON.stringify(each)).join()
    expect(declared).not.toContain('"name":"evil"')
  }
  const python = Object.values(pythonModules(calls)).join('\n')
  expect(python).not.toMatch(/^\s*import os/m)
  expect(python).not.toContain('\u2028')
})

it('texts that look like members of a union stay texts, and an odd name of a field makes no odd name of a type', () => {
  const texts = ['a | b', 'c | b', ',evil(),', ']#', 'true', 'constructor', '__proto__']
  const union = { anyOf: texts.map(text => ({ const: text })) }
  const inner = { type: 'object', properties: Object.fromEntries(texts.map((_, i) => [`f${i}`, union])) }
  const schema = { type: 'object', properties: { 'odd):': inner, 'odd!': inner, '!!': { enum: texts } } }
  const { calls } = sellerCalls(
    documentOf({ '/tide': operation(union), '/tides': operation(schema) }),
    address,
  )
  const { 'shapes.py': python = '' } = pythonModules(calls)
  const withoutTexts = python.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""')
  expect(withoutTexts).not.toMatch(/evil|function|object Object/)
  expect(withoutTexts).toContain('TideAnswer = Literal[""]')
  expect(python).toContain('Literal["true"]')
  for (const [, name] of python.matchAll(/^class (.*)\(TypedDict\):$/gm)) expect(name).toMatch(/^\w+$/)
  expect(parseSync('shapes.ts', clientShapes(calls)).errors).toEqual([])
})

it.each([
  ['/then', 'its name is one of the client'],
  ['/call', 'its name is one of the client'],
  ['/import', 'its name is one of the client'],
  ['/to-string', 'its name is one of the client'],
  ['/../x', 'no name can be made'],
  ['/3d', 'no name can be made'],
  ['/x"`', 'no name can be made'],
  ['/a-b', 'another path has the same name'],
])('%s gets no method: %s', (path, why) => {
  const paths = { '/a/b': operation({}), [path]: operation({}) }
  const { calls, leftOut } = sellerCalls(documentOf(paths), address)
  expect(calls).toHaveLength(1)
  expect(leftOut).toEqual([expect.stringContaining(why)])
})

it('what is sold at another address is left out, and a document of something else is told', () => {
  const elsewhere = operation({}, { servers: [{ url: 'https://other.example' }] })
  const { leftOut } = sellerCalls(documentOf({ '/a': operation({}), '/b': elsewhere }), address)
  expect(leftOut).toEqual(['/b: it is sold at https://other.example'])
  for (const odd of [null, [], {}, { openapi: '3.1.0' }, { openapi: '2.0', paths: {} }, documentOf({})])
    expect(() => sellerCalls(odd, address)).toThrow(/document|describes/)
})
