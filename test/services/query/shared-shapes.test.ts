import { expect, it } from 'vitest'
import { z } from 'zod'
import type { OpenOrigin } from '../../../services/offer/origin.ts'
import { clientCalls } from '../../../services/query/catalog/client-calls.ts'
import { clientShapes } from '../../../services/query/catalog/typescript.ts'
import { originOf } from '../an-origin.ts'
import { echo } from '../till/paying.ts'

const port = z.strictObject({ name: z.string(), country: z.string(), depth: z.number(), tide: z.number() })
const ship = z.strictObject({ name: z.string(), from: port, to: port.nullable(), crew: z.int() })
const selling = (...responses: z.ZodType[]): string => {
  const operations = responses.map((response, n) => ({
    ...echo,
    id: `echo${n}`,
    path: `/echo/${n}` as const,
    response,
  }))
  return clientShapes(clientCalls([{ ...originOf(operations), url: '' } as OpenOrigin]))
}
const times = (text: string, part: string) => text.split(part).length - 1

it('a shape that occurs more than once is written once, under the name of its first place', () => {
  const text = selling(z.strictObject({ ships: z.array(ship) }), z.strictObject({ ship: ship.optional() }))
  expect(times(text, 'crew: number')).toBe(1)
  expect(text).toContain('ships: Array<Echo0Ships>')
  expect(text).toContain('ship?: Echo0Ships')
  expect(text).toContain(`type Echo0From = {
  name: string
  country: string
  depth: number
  tide: number
}`)
  expect(text).toContain('from: Echo0From\n  to: Echo0From | null')
})

it('a shape that occurs once, or is as short as its name, is written in its place', () => {
  const pair = z.strictObject({ x: z.number(), y: z.number() })
  const text = selling(z.strictObject({ port, here: pair, there: pair }))
  expect(text).toContain('here: {\n        x: number')
  expect(times(text, 'depth: number')).toBe(1)
  expect(text).not.toMatch(/^type /m)
})

it('two different shapes with one name get two names', () => {
  const other = port.extend({ locks: z.int() })
  const text = selling(
    z.strictObject({
      a: z.strictObject({ port }),
      b: z.strictObject({ port: other }),
      c: z.array(port),
      d: other,
    }),
  )
  expect(text.match(/^type \w+/gm)).toEqual(['type Echo0Port', 'type Echo0Port2'])
})
