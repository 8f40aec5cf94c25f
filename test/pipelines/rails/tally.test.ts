import { expect, test } from 'vitest'
import { Tally } from '../../../pipelines/rails/tally.ts'

test('a tally counts each name, and removes a name whose count is back at 0', () => {
  const tally = new Tally()
  tally.add('a')
  tally.add('a', 2)
  tally.add('b')
  expect([tally.of('a'), tally.of('b'), tally.of('c'), tally.size]).toEqual([3, 1, 0, 2])
  tally.add('a', -3)
  tally.add('c', -1)
  expect([tally.of('a'), tally.of('c'), tally.size]).toEqual([0, 0, 1])
  tally.clear()
  expect([tally.of('b'), tally.size]).toEqual([0, 0])
})
