import { setImmediate as settled } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FairTurns } from '../../../../pipelines/rails/children/fair-turns.ts'

function opened(atOnce: number, mostWaiting: number) {
  const turns = new FairTurns({ atOnce, mostWaiting })
  const begun: string[] = []
  const refused: string[] = []
  const ends = new Map<string, () => void>()
  async function ask(...names: string[]): Promise<void> {
    for (const name of names) {
      const { promise, resolve } = Promise.withResolvers<true>()
      ends.set(name, () => resolve(true))
      const work = () => {
        begun.push(name)
        return promise
      }
      void turns.run(name[0] as string, work).then(had => void (had ?? refused.push(name)))
    }
    await settled()
  }
  async function end(name: string): Promise<void> {
    ends.get(name)?.()
    await settled()
  }
  return { begun, refused, ask, end }
}

describe('turns among callers', () => {
  it('leave one place to others, whoever has the rest', async () => {
    const { begun, ask } = opened(3, 10)
    await ask('a1', 'a2', 'a3', 'a4')
    expect(begun).toEqual(['a1', 'a2'])
    await ask('b1')
    expect(begun).toEqual(['a1', 'a2', 'b1'])
  })

  it('go round', async () => {
    const { begun, ask, end } = opened(2, 10)
    await ask('a1', 'b1', 'a2', 'a3', 'b2', 'c1')
    for (const name of ['a1', 'b1', 'a2']) await end(name)
    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'c1'])
  })

  it('take room from the caller with the most, who gets an error at once', async () => {
    const { begun, refused, ask, end } = opened(1, 4)
    await ask('a1', 'a2', 'a3', 'a4', 'a5', 'a6')
    expect(refused).toEqual(['a6'])
    await ask('b1')
    expect(refused).toEqual(['a6', 'a5'])
    for (const name of ['a1', 'a2']) await end(name)
    expect(begun).toEqual(['a1', 'a2', 'b1'])
  })

  it('are returned by work that fails', async () => {
    const turns = new FairTurns({ atOnce: 1, mostWaiting: 1 })
    await expect(turns.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect(turns.run('a', async () => 1)).resolves.toBe(1)
  })
})
