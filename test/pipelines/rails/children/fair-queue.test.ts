import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../../../pipelines/rails/children/fair-queue.ts'

const opened = (mostWaiting = 6, mostWaitingBytes = 1_000) => {
  const queue = new FairQueue<{ caller: string; bytes: number; name: string }>({
    mostWaiting,
    mostWaitingBytes,
  })
  const add = (name: string, bytes = 1) =>
    queue.add({ caller: name[0] as string, bytes, name }).map(({ name }) => name)
  const take = (mayHave: (caller: string) => boolean = () => true) => queue.take(mayHave)?.name
  return { queue, add, take }
}

describe('a fair queue', () => {
  it('gives each caller a turn, and the tasks of each in their order', () => {
    const { add, take } = opened()
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) expect(add(name)).toEqual([])
    expect(Array.from({ length: 7 }, () => take())).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', undefined])
  })

  it('skips a caller that may have no turn, who keeps his place', () => {
    const { add, take } = opened()
    for (const name of ['a1', 'b1', 'b2']) add(name)
    expect(take(caller => caller !== 'a')).toBe('b1')
    expect(take()).toBe('a1')
  })

  it('when it is full, drops a task of the caller with the most in it, who may be the one that asks', () => {
    const { add, queue } = opened()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) add(name)
    expect(add('a7')).toEqual(['a7'])
    expect(add('b1')).toEqual(['a6'])
    expect([add('b2'), add('b3')].flat()).toEqual(['a5', 'a4'])
    expect(add('b4')).toEqual(['b4'])
    expect(queue.size).toBe(6)
  })

  it('counts bytes too: a large task makes the largest caller give way', () => {
    const { add, take } = opened()
    add('a1', 400)
    add('a2', 400)
    expect(add('b1', 300)).toEqual(['a2'])
    expect(add('c1', 2_000)).toEqual(['c1'])
    expect([take(), take(), take()]).toEqual(['a1', 'b1', undefined])
  })
})
