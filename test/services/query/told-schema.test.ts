/** Every field of every question and answer has a meaning. */
import { expect, it } from 'vitest'
import { origins } from '../../../services/origins/index.ts'
import { offeredBy } from '../../../services/query/catalog/offered.ts'
import { toldSchema } from '../../../services/query/catalog/schemas.ts'
import type { Schema } from '../../../services/query/catalog/type-text.ts'

/** The places of fields that say nothing of themselves. */
function silent(schema: Schema, at: string): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema
  const below = [items, additionalProperties, ...anyOf, ...oneOf, ...allOf].filter(
    each => typeof each === 'object',
  )
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description?.trim() ? [] : [`${at}.${name}`]),
      ...silent(field, `${at}.${name}`),
    ]),
    ...below.flatMap(each => silent(each, at)),
  ]
}

const all = offeredBy(origins.map(origin => ({ ...origin, url: '' })))

it.each(['request', 'response'] as const)('tells what each field of a %s means', part => {
  const found = all.flatMap(offered => silent(toldSchema(offered, part), offered.path))
  expect([...new Set(found)]).toEqual([])
})

it('puts no words into the mouth of who sells from a file', () => {
  const [offered] = all
  if (!offered) throw new Error('nothing is offered')
  const { words: _, ...silentOrigin } = offered.origin
  const { properties } = toldSchema({ ...offered, origin: silentOrigin }, 'response')
  expect(properties?.from).not.toHaveProperty('description')
})
