import { expect, it } from 'vitest'
import { changesOf, shuffled } from './changes.ts'

const changed = (text: string) =>
  changesOf(text)
    .filter(({ isInside }) => isInside)
    .map(({ start, end, to }) => `${text.slice(0, start)}${to}${text.slice(end)}`.trim())

it('changes one operator, condition, statement or field at a time', () => {
  expect(changed('function f(a, b) { if (a < b) return a }')).toEqual([
    'function f(a, b) { if (true) return a }',
    'function f(a, b) { if (false) return a }',
    'function f(a, b) { if ((a <= b)) return a }',
    'function f(a, b) { if ((a >= b)) return a }',
    'function f(a, b) { if (a < b) return undefined as any }',
  ])
  expect(changed('const f = a => a && !b')).toEqual([
    'const f = a => ((a) || (!b))',
    'const f = a => (a)',
    'const f = a => (!b)',
    'const f = a => a && (b)',
  ])
  expect(changed('function f() { put({ a, b: 1 }) }')).toEqual([
    'function f() { ; }',
    'function f() { put({ ...{}, b: 1 }) }',
    'function f() { put({ a, ...{} }) }',
    'function f() { put({ a, b: 2 }) }',
  ])
  expect(changed('async function f(a: number) { await a.max(b).filter(c) }')).toHaveLength(4)
})

it('leaves types, imports, texts and what a module computes once as they are', () => {
  expect(changed("import a from 'a'; type B = { c: 1 }; const d = 60 * 1000; const e = { f: true }")).toEqual(
    [],
  )
  expect(changed("function f() { const a: 1 | 2 = b + 'text' }")).toEqual([])
})

it('chooses at random, and the same by the same seed', () => {
  const all = Array.from({ length: 100 }, (_, nth) => nth)
  expect(shuffled(all, 22)).toEqual(shuffled(all, 22))
  expect(shuffled(all, 22)).not.toEqual(shuffled(all, 23))
  expect(shuffled(all, 22).toSorted((a, b) => a - b)).toEqual(all)
})
