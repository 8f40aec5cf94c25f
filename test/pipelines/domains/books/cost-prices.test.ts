import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { costPricesIn } from '../../../../pipelines/domains/books/cost-prices.ts'
import { costVariables } from '../../../../pipelines/workers/books/variables.ts'
import { scratchFolder } from '../../../scratch.ts'

const environment = (set: Record<string, string>) => ({ set }) as never

it('COSTS unset has no prices, and a file has them to the billionth of a dollar', () => {
  expect(costVariables.read(environment({}))()).toEqual({ coins: {}, facilitators: {}, calls: {} })
  const file = join(scratchFolder(), 'costs.json')
  writeFileSync(
    file,
    '{ "coins": { "base": 3000 }, "calls": { "api.example": 1e-9, "node.example": "0.25" } }',
  )
  const read = costVariables.read(environment({ COSTS: file }))
  expect(read()).toMatchObject({
    coins: { base: 3000_000_000_000n },
    calls: { 'api.example': 1n, 'node.example': 250_000_000n },
  })
  writeFileSync(file, '{ "facilitators": { "solana": { "each": 0.001 } } }')
  expect(read().facilitators).toEqual({ solana: { each: 1_000_000n, percent: 0n, free_a_month: 0 } })
})

it.each([
  ['no JSON', /JSON/],
  ['{ "coins": { "bsae": 1 } }', /coins/],
  ['{ "calls": { "https://api.example/x": 1 } }', /calls/],
  ['{ "calls": { "api.example": -1 } }', /an amount in dollars/],
  ['{ "facilitators": { "base": { "eahc": 1 } } }', /eahc/],
])('a file with %s is refused', (text, why) => {
  expect(() => costPricesIn(text)).toThrow(why)
  const file = join(scratchFolder(), 'costs.json')
  writeFileSync(file, text)
  expect(() => costVariables.read(environment({ COSTS: file }))).toThrow(
    /^COSTS names .* it should be a file of costs/,
  )
})
