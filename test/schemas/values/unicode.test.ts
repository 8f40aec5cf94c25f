import { expect, it } from 'vitest'
import { normalised } from '../../../schemas/values/unicode.ts'

const marks = (count: number) => '\u0315\u0300'.repeat(count / 2)

it('brings a text into a form of Unicode', () => {
  expect(normalised('e\u0301 ﬁ', 'NFC')).toBe('é ﬁ')
  expect(normalised('é ﬁ', 'NFKD')).toBe('e\u0301 fi')
  expect(normalised(`a${marks(30)}b`, 'NFC')).toBe(`a${marks(30)}b`.normalize('NFC'))
})

it('removes marks beyond the number that any writing puts on one letter', () => {
  for (const form of ['NFC', 'NFKD'] as const)
    expect(normalised(`a${marks(400_000)}b${marks(32)}`, form)).toBe(
      `a${marks(30)}b${marks(30)}`.normalize(form),
    )
})
