import { expect, it } from 'vitest'
import { z } from 'zod'
import { questionOf } from '../../../services/query/answers.ts'

const request = z.strictObject({
  say: z.string().min(2, 'two letters').default('hi'),
  times: z.int().min(1).max(9).default(1),
  how: z.enum(['loud', 'low']).optional(),
  words: z.array(z.string()).min(1).optional(),
  to: z.strictObject({ name: z.string() }).optional(),
})
const told = (sent: unknown) => {
  try {
    return questionOf({ request }, sent)
  } catch (error) {
    return (error as Error).message
  }
}

it.each([
  [{ sya: 'x' }, 'There is no field "sya"; there are say, times, how, words, to'],
  [
    Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}${'x'.repeat(200)}`, 0])),
    `There is no field ${[0, 1, 2, 3, 4].map(i => `"${i}${'x'.repeat(99)}"`).join(', ')}, and 4 more; there are say, times, how, words, to`,
  ],
  [
    { words: Array(7).fill(0) },
    `${[0, 1, 2, 3, 4].map(i => `words.${i}: it should be a text, and is a number`).join('; ')}; and 2 more`,
  ],
  [{ say: 7 }, 'say: it should be a text, and is a number'],
  [{ say: 'x' }, 'say: it should be two letters'],
  [{ times: 'three' }, 'times: it should be a number, and is a text'],
  [{ times: 0 }, 'times: it should be at least 1'],
  [{ times: 10 }, 'times: it should be at most 9'],
  [{ how: 'shrill' }, 'how: it should be one of loud, low'],
  [{ words: [] }, 'words: it should have at least 1 entry'],
  [{ to: {} }, 'to.name: is missing: it should be a text'],
  [
    { times: 0, sya: 'x' },
    'times: it should be at least 1. There is no field "sya"; there are say, times, how, words, to',
  ],
  [[], 'The body should be an object, and is a list'],
  [null, 'The body should be an object, and is null'],
])('%j is answered in words', (sent, words) => {
  expect(told(sent)).toBe(words)
})

it('names no field where the question takes none', () => {
  expect(() => questionOf({ request: z.strictObject({}) }, { x: 1 })).toThrow(
    'There is no field "x"; the question takes none',
  )
})
