import { describe, expect, it } from 'vitest'
import { Lifecycle } from '../../../services/roles/lifecycle.ts'

describe('the lifecycle', () => {
  it('stops in reverse of the start', async () => {
    const order: string[] = []
    const lifecycle = new Lifecycle(() => {})
    for (const name of ['log', 'store', 'server'])
      await lifecycle.open(
        name,
        () => name,
        opened => void order.push(opened),
      )
    await lifecycle.close()
    expect(order).toEqual(['server', 'store', 'log'])
  })

  it('releases everything although one release fails, and names that one', async () => {
    const released: string[] = []
    const told: string[] = []
    const lifecycle = new Lifecycle(name => told.push(name))
    await lifecycle.open(
      'log',
      () => 1,
      () => void released.push('log'),
    )
    await lifecycle.open(
      'store',
      () => 1,
      () => Promise.reject(new Error('stuck')),
    )
    await expect(lifecycle.close()).rejects.toThrow(AggregateError)
    expect([released, told]).toEqual([['log'], ['store']])
  })

  it('releases each part once, however often it is asked to stop', async () => {
    let released = 0
    const lifecycle = new Lifecycle(() => {})
    await lifecycle.open(
      'log',
      () => 1,
      () => void released++,
    )
    await Promise.all([lifecycle.close(), lifecycle.close()])
    expect(released).toBe(1)
  })

  it('opens nothing more once it stops, and releases a part that was being opened', async () => {
    const lifecycle = new Lifecycle(() => {})
    const { promise, resolve } = Promise.withResolvers<string>()
    let released = ''
    const opening = lifecycle.open(
      'slow',
      () => promise,
      opened => {
        released = opened
      },
    )
    await lifecycle.close()
    resolve('slow')
    await opening
    expect(released).toBe('slow')
    await expect(
      lifecycle.open(
        'late',
        () => 1,
        () => {},
      ),
    ).rejects.toThrow('late cannot be opened while the process stops')
  })

  it('fails if a running part fails, and names it', async () => {
    const lifecycle = new Lifecycle(() => {})
    const { promise: ended, reject } = Promise.withResolvers<void>()
    await lifecycle.run('meter', () => ({ ended, close: async () => {} }))
    reject(new Error('the topic is gone'))
    await expect(lifecycle.ended).rejects.toThrow('meter has ended: the topic is gone')
  })

  it('has ended once everything is closed', async () => {
    const lifecycle = new Lifecycle(() => {})
    const order: string[] = []
    const close = async () => void order.push('meter')
    await lifecycle.run('meter', () => ({ ended: Promise.resolve(), close }))
    const ended = lifecycle.ended.then(() => order.push('ended'))
    await lifecycle.close()
    await ended
    expect(order).toEqual(['meter', 'ended'])
  })
})
