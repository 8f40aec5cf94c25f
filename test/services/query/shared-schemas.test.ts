import { expect, it } from 'vitest'
import { origins } from '../../../services/origins/index.ts'
import { openapi } from '../../../services/query/catalog/openapi.ts'
import { toldSchema } from '../../../services/query/catalog/schemas.ts'
import { onceEach } from '../../../services/query/catalog/shared-schemas.ts'

const text = (about: string) => ({ type: 'string', description: about.repeat(9) })
const port = {
  type: 'object',
  properties: { name: text('The name of the port. '), country: text('Its country. ') },
}
const ship = (about: string) => ({
  type: 'object',
  properties: { from: { ...port, description: 'Where it left' }, to: { anyOf: [port, { type: 'null' }] } },
  description: about,
})

/** Puts each shared schema back in its place. */
function inlined(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map(each => inlined(each, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...rest } = schema as Record<string, unknown>
  const of = $ref === undefined ? {} : (schemas[String($ref).replace('#/components/schemas/', '')] as object)
  return Object.fromEntries(
    Object.entries({ ...of, ...rest }).map(([key, each]) => [key, inlined(each, schemas)]),
  )
}

it('what occurs more than once is written once, and what is said of a place stays there', () => {
  const roots = [
    {
      name: 'fleet',
      schema: { type: 'object', properties: { ships: { type: 'array', items: ship('One of all') } } },
    },
    { name: 'flagship', schema: { type: 'object', properties: { ship: ship('The first') } } },
  ]
  const { schemas, written } = onceEach(roots)
  expect(Object.keys(schemas).toSorted()).toEqual(['FleetFrom', 'FleetShips'])
  expect(written('flagship')).toEqual({
    type: 'object',
    properties: { ship: { description: 'The first', $ref: '#/components/schemas/FleetShips' } },
  })
  expect(schemas.FleetShips).toMatchObject({
    properties: { from: { description: 'Where it left', $ref: '#/components/schemas/FleetFrom' } },
  })
  for (const { name, schema } of roots) expect(inlined(written(name), schemas)).toEqual(schema)
})

it('openapi.json says the same as the schemas of the operations, in half as many letters', () => {
  const open = origins.map(origin => ({ ...origin, url: 'https://farebox.example' }))
  const options = { contact: 'a@example.com', paidOn: 'Base', requestsAMinute: 60, mcpUrl: 'http://x/mcp' }
  const document = openapi(open, options)
  const { schemas } = document.components
  for (const origin of open)
    for (const endpoint of [...origin.operations, ...origin.free]) {
      const { path } = endpoint
      const { post, get } = document.paths[path] ?? {}
      const answer = (post ?? get)?.responses[200] as { content: { 'application/json': { schema: object } } }
      const { receipt: _, ...properties } = (
        inlined(answer.content['application/json'].schema, schemas) as { properties: Record<string, unknown> }
      ).properties
      expect([path, properties]).toEqual([
        path,
        toldSchema({ ...endpoint, origin }, 'response').properties ?? {},
      ])
    }
  expect(JSON.stringify(document).length).toBeLessThan(370_000)
})
