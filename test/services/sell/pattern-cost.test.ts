/** A pattern of a file is refused before a payer's text can hold up the process. */
import { expect, it } from 'vitest'
import { costOf } from '../../../services/sell/pattern-cost.ts'

it.each([
  ['^[0-9]{7}$', 1],
  ['^[A-Z]{3}(-[A-Z]{3})?$', 2],
  ['^(?:one|two|three)$', 3],
  ['^a*b{2,4}$', 1001 * 3],
  ['^\\p{L}[\\]a-z]+\\u0041\\x41$', 1000],
  ['[0-9]{7}', 1000],
  ['^a|b$', 2000],
  ['^(ab){3}$', 1],
  ['^(a|b){10}$', 1024],
])('%s may be tried in %s ways', (pattern, ways) => {
  expect(costOf(pattern, 1000)).toBe(ways)
})

it.each(['^(a+)+$', '^(a|a)*$', '^(a?){50}a{50}$', '^(?:a*)*b', 'a*a*a*a*b', '^((a|b)c?)+$'])(
  '%s may be tried in too many',
  pattern => {
    expect(costOf(pattern, 1000)).toBeGreaterThan(2e6)
  },
)

it.each(['(', '[', 'a{2,1}', '^(a)\\1$', '^(?<n>a)\\k<n>$', '\\', '^a{1,9999999}$'])(
  '%s is refused',
  pattern => {
    expect(costOf(pattern, 1000)).toBeTypeOf('string')
  },
)
