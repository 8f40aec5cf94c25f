import { expect, it } from 'vitest'
import { Kept } from '../../../pipelines/onchain/kept.ts'

const counter = () => {
  let reads = 0
  return { read: async () => ++reads, reads: () => reads }
}

it('those who ask at the same time share one reading, and so does everybody until it lapses', async () => {
  let now = 1000
  const kept = new Kept(() => now, 10)
  const { read } = counter()
  const ask = () => kept.ask('a', read, () => 2000)
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1])
  now = 1999
  expect(await ask()).toBe(1)
  now = 2000
  expect(await ask()).toBe(2)
})

it('a failure is for those who waited, and the next one reads again', async () => {
  const kept = new Kept(() => 0, 10)
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

it('holds so many, and forgets the oldest first', async () => {
  const kept = new Kept(() => 0, 2)
  const { read, reads } = counter()
  for (const name of ['a', 'b', 'c']) await kept.ask(name, read, () => Number.POSITIVE_INFINITY)
  await kept.ask('c', read, () => 1)
  expect(reads()).toBe(3)
  await kept.ask('a', read, () => 1)
  expect(reads()).toBe(4)
})
