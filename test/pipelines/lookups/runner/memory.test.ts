import { expect, test } from 'vitest'
import { Memory } from '../../../../pipelines/lookups/runner/memory.ts'

const lasting = { freshMs: 100, staleMs: 1_000 }

test('holds a bounded number, and drops the least recently used', () => {
  const memory = new Memory<string>(2)
  memory.put('a', { value: 'A', at: 0 }, lasting)
  memory.put('b', { value: 'B', at: 0 }, lasting)
  memory.ask('a')
  memory.put('c', { value: 'C', at: 0 }, lasting)
  expect([memory.peek('a')?.value, memory.peek('b')?.value, memory.peek('c')?.value]).toEqual([
    'A',
    undefined,
    'C',
  ])
  expect(memory.size).toBe(2)
})

test('values in demand are due from their renewal time on, the most wanted first, until they are too old', () => {
  const memory = new Memory<string>(10)
  for (const [name, asked] of [
    ['seldom', 1],
    ['often', 5],
    ['most', 9],
  ] as const) {
    memory.put(name, { value: name, at: 0 }, lasting)
    for (let i = 0; i < asked; i++) memory.ask(name)
  }
  expect(memory.due(79, 10)).toEqual([])
  expect(memory.due(80, 10)).toEqual(['most', 'often'])
  expect(memory.due(80, 1)).toEqual(['most'])
  expect(memory.due(1_000, 10)).toEqual([])
  memory.put('most', { value: 'again', at: 80 }, lasting)
  expect(memory.due(80, 10)).toEqual(['often'])
  expect(memory.peek('most')?.asked).toBe(4)
})
