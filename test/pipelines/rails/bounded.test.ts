import { expect, it } from 'vitest'
import { Bounded } from '../../../pipelines/rails/bounded.ts'

const names = (memory: Bounded<unknown>) => [...memory].map(([name]) => name)
const filled = <Value>(memory: Bounded<Value>, values: Record<string, Value>) => {
  for (const [name, value] of Object.entries(values)) memory.set(name, value)
  return memory
}
const bytes = (mostWeight: number, most = 100) =>
  new Bounded<string>({ most, mostWeight, weigh: ({ length }) => length })

it('holds a bounded number, and drops the least recently used value', () => {
  const memory = filled(new Bounded<number>({ most: 2 }), { a: 1, b: 2 })
  expect(memory.ask('a')).toBe(1)
  memory.set('c', 3)
  expect(names(memory)).toEqual(['a', 'c'])
  expect([memory.peek('b'), memory.ask('b')]).toEqual([undefined, undefined])
})

it('keeps the order when a value is only peeked at', () => {
  const memory = filled(new Bounded<number>({ most: 2 }), { a: 1, b: 2 })
  expect(memory.peek('a')).toBe(1)
  memory.set('c', 3)
  expect(names(memory)).toEqual(['b', 'c'])
})

it('replaces a value of the same name, and makes it the newest', () => {
  const memory = filled(bytes(10), { a: 'four', b: 'two' })
  memory.set('a', 'x')
  expect([names(memory), memory.weight, memory.size]).toEqual([['b', 'a'], 4, 2])
})

it('drops as many values as exceed the weight, and keeps none that is too heavy alone', () => {
  const memory = filled(bytes(10), { a: 'aaa', b: 'bbb', c: 'ccc' })
  memory.set('d', 'dddddd')
  expect([names(memory), memory.weight]).toEqual([['c', 'd'], 9])
  memory.set('e', 'e'.repeat(11))
  expect([names(memory), memory.weight]).toEqual([[], 0])
})

it('weighs a value again after it has grown', () => {
  const memory = new Bounded<string[]>({ most: 9, mostWeight: 3, weigh: ({ length }) => length })
  const grown = ['1']
  memory.set('a', ['1'])
  memory.set('b', grown)
  grown.push('2', '3')
  memory.weigh('b')
  expect([names(memory), memory.weight]).toEqual([['b'], 3])
  memory.weigh('nobody')
  expect(memory.weight).toBe(3)
})

it('keeps a value in use, beyond its bounds, until it is weighed again', () => {
  const using = new Set(['a', 'b'])
  const memory = filled(new Bounded<string>({ most: 1, stays: value => using.has(value) }), {
    a: 'a',
    b: 'b',
  })
  expect(names(memory)).toEqual(['a', 'b'])
  using.clear()
  memory.weigh('b')
  expect(names(memory)).toEqual(['b'])
})

it('forgets a deleted value and its weight', () => {
  const memory = filled(bytes(10), { a: 'aaa', b: 'bb' })
  memory.delete('a')
  memory.delete('a')
  expect([names(memory), memory.weight, memory.size]).toEqual([['b'], 2, 1])
})
