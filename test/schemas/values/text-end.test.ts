import { expect, it } from 'vitest'
import { withoutEnd } from '../../../schemas/values/text-end.ts'

it.each([
  ['', '.', ''],
  ['...', '.', ''],
  ['a. b. . ', '. ', 'a. b'],
  ['1000', '0', '1'],
  ['a', '0', 'a'],
])('%j without %j at its end is %j', (text, characters, expected) => {
  expect(withoutEnd(text, characters)).toBe(expected)
})
