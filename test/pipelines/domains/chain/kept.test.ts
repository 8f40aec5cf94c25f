import { expect, it } from 'vitest'
import { Kept } from '../../../../pipelines/domains/chain/kept.ts'

const bounds = { most: 10, mostBytes: 10_000 }
const counter = () => {
  let reads = 0
  return { read: async () => ++reads, reads: () => reads }
}

it('callers that ask at the same time share one read, and so does everybody until it expires', async () => {
  let now = 1000
  const kept = new Kept(() => now, bounds)
  const { read } = counter()
  const ask = () => kept.ask('a', read, () => 2000)
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1])
  now = 1999
  expect(await ask()).toBe(1)
  now = 2000
  expect(await ask()).toBe(2)
})

it('a failure is for the waiting callers, and the next caller reads again', async () => {
  const kept = new Kept(() => 0, bounds)
  let fails = true
  const read = async () => {
    if (fails) throw new Error('no node')
    return 'read'
  }
  const ask = () => kept.ask('a', read, () => 1)
  await expect(ask()).rejects.toThrow('no node')
  fails = false
  expect(await ask()).toBe('read')
})

it('holds a bounded number, and drops the oldest first', async () => {
  const kept = new Kept(() => 0, { ...bounds, most: 2 })
  const { read, reads } = counter()
  for (const name of ['a', 'b', 'c']) await kept.ask(name, read, () => Number.POSITIVE_INFINITY)
  await kept.ask('c', read, () => 1)
  expect(reads()).toBe(3)
  await kept.ask('a', read, () => 1)
  expect(reads()).toBe(4)
})

it('holds a bounded number of bytes, and keeps a read in progress whatever the others weigh', async () => {
  const kept = new Kept(() => 0, { ...bounds, mostBytes: 1_000 })
  const forEver = () => Number.POSITIVE_INFINITY
  const slow = Promise.withResolvers<string>()
  const waiting = kept.ask('slow', () => slow.promise, forEver)
  let reads = 0
  const read = (name: string) => kept.ask(name, async () => `${++reads} ${'x'.repeat(300)}`, forEver)
  for (const name of ['a', 'b', 'a', 'b']) await read(name)
  expect(reads).toBe(4)
  expect(kept.ask('slow', () => Promise.reject(new Error('again')), forEver)).toBe(waiting)
  slow.resolve('read')
  expect(await waiting).toBe('read')
})

it('counts numbers of any size', async () => {
  const kept = new Kept(() => 0, bounds)
  const { read } = counter()
  const ask = async () => ({ amount: 2n ** 80n, reads: await read() })
  for (let i = 0; i < 2; i++)
    expect(await kept.ask('a', ask, () => 1)).toEqual({ amount: 2n ** 80n, reads: 1 })
})
