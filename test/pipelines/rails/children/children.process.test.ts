import { getPriority } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asCaller } from '../../../../pipelines/rails/children/caller.ts'
import { Children, type ChildrenOptions } from '../../../../pipelines/rails/children/children.ts'
import { busyness } from '../../../busyness.ts'

function opened(options: Partial<ChildrenOptions> = {}) {
  const children = new Children<string>({
    ...{ children: 2, deadlineMs: 1_000 * busyness(), mostMegabytes: 64 },
    ...{ mostWaiting: 100, mostWaitingBytes: 1_000_000 },
    file: new URL('./slow-child.ts', import.meta.url),
    ...options,
  })
  onTestFinished(() => children.close())
  const ask = (caller: string, question: string) => asCaller(caller, () => children.ask(question, 10))
  return { children, ask }
}
const nameOf = (asked: Promise<unknown>) => asked.then(String, (error: Error) => error.name)

describe('children', () => {
  it('answer one caller while sixty slow tasks of another wait', async () => {
    const { ask } = opened({ deadlineMs: 600_000 })
    const slow = Array.from({ length: 60 }, () => nameOf(ask('slow', 'slow')))
    for (let i = 0; i < 5; i++) expect(await ask('quick', 'a')).toBe('a')
    await expect(Promise.race([...slow, Promise.resolve('still waiting')])).resolves.toBe('still waiting')
  })

  it('give way to their parent', async () => {
    const { ask } = opened({ deadlineMs: 60_000 * busyness() })
    expect(Number(await ask('one', 'priority'))).toBeGreaterThan(getPriority())
  })

  it('end a late task, and answer the next one of the same caller', async () => {
    const { ask } = opened({ children: 1 })
    const asked = ['slow', 'a', 'slow', 'b'].map(question => nameOf(ask('one', question)))
    expect(await Promise.all(asked)).toEqual(['TaskTooLong', 'a', 'TaskTooLong', 'b'])
  })

  it('end a task that alone needs too much memory, or that fails', async () => {
    const { ask } = opened({ deadlineMs: 60_000 * busyness() })
    const asked = ['large', 'a', 'wrong', 'b'].map(question => nameOf(ask('one', question)))
    expect(await Promise.all(asked)).toEqual(['TaskBroke', 'a', 'TaskBroke', 'b'])
  })

  it('refuse a caller that asks too much, and nobody else', async () => {
    const { ask } = opened({ deadlineMs: 600_000, mostWaiting: 8 })
    const many = Array.from({ length: 20 }, () => nameOf(ask('many', 'slow')))
    const turned = (await Promise.race([many[19], many[18]])) as string
    expect(turned).toBe('TooManyTasks')
    expect(await ask('few', 'a')).toBe('a')
  })

  it('reject the waiting tasks when they close', async () => {
    const { children, ask } = opened({ deadlineMs: 600_000 })
    const asked = [1, 2, 3].map(() => nameOf(ask('one', 'slow')))
    await children.close()
    expect(await Promise.all(asked)).toEqual(['TaskBroke', 'TaskBroke', 'TaskBroke'])
    expect(await nameOf(ask('one', 'a'))).toBe('TaskBroke')
  })
})
