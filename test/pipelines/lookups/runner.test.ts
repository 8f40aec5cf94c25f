import { describe, expect, it } from 'vitest'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import { NotReady, UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { until } from '../../until.ts'

const outside = createOutside({ at: {}, contact: 'test', now: Date.now })
const run = (lookup: Lookup<string, string>, onFailed = (_: string, __: unknown) => {}) =>
  startLookups([lookup as Lookup], { outside, now: Date.now, jitterMs: 0, onFailed })

describe('a lookup', () => {
  it('finds, or finds nothing', async () => {
    const lookup: Lookup<string, string> = {
      name: 'echo',
      timeoutMs: 1000,
      open: () => ({ find: async key => (key === 'a' ? 'A' : undefined) }),
    }
    const finder = await run(lookup)
    expect(await finder.find(lookup, 'a')).toBe('A')
    expect(await finder.find(lookup, 'b')).toBeUndefined()
    await finder.close()
  })

  it('gives a value in memory at once, and does nothing else for a caller that may not ask', async () => {
    const found: string[] = []
    const lookup: Lookup<string, string> = {
      name: 'echo',
      timeoutMs: 1000,
      open: () => ({
        atHand: key => (key === 'a' ? 'A' : undefined),
        find: async key => {
          found.push(key)
          return key.toUpperCase()
        },
      }),
    }
    const finder = await run(lookup)
    const mayNot = () => Promise.reject(new Error('unpaid'))
    expect(await finder.find(lookup, 'a', mayNot)).toBe('A')
    await expect(finder.find(lookup, 'b', mayNot)).rejects.toThrow('unpaid')
    expect(found).toEqual([])
    const paid = Promise.withResolvers<void>()
    const finding = finder.find(lookup, 'b', () => paid.promise)
    paid.resolve()
    expect([await finding, found]).toEqual(['B', ['b']])
    await finder.close()
  })

  it('that is too slow fails, whether or not it listens to its signal', async () => {
    const lookup: Lookup<string, string> = {
      name: 'slow',
      timeoutMs: 20,
      open: () => ({ find: () => new Promise(() => {}) }),
    }
    const finder = await run(lookup)
    await expect(finder.find(lookup, 'a')).rejects.toThrow(UpstreamFailed)
    await finder.close()
  })

  it('is not asked before it is ready; its needs are fetched at once', async () => {
    let loaded = false
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
    const lookup: Lookup<string, string> = {
      name: 'table',
      timeoutMs: 1000,
      open: () => ({
        ready: () => loaded,
        prepare: {
          schedule: '0 0 1 1 *',
          timeoutMs: 1000,
          run: async () => {
            await allowed
            loaded = true
          },
        },
        find: async key => key,
      }),
    }
    const finder = await run(lookup)
    await expect(finder.find(lookup, 'a')).rejects.toThrow(NotReady)
    allow()
    await until(() => finder.ready().table)
    expect(await finder.find(lookup, 'a')).toBe('a')
    await finder.close()
  })

  it('whose preparation fails reports it and goes on', async () => {
    const failed: unknown[] = []
    const lookup: Lookup<string, string> = {
      name: 'table',
      timeoutMs: 1000,
      open: () => ({
        prepare: {
          schedule: '0 0 1 1 *',
          timeoutMs: 1000,
          run: () => Promise.reject(new UpstreamFailed('no file')),
        },
        find: async key => key,
      }),
    }
    const finder = await run(lookup, (_, error) => failed.push(error))
    await until(() => failed.length === 1)
    expect(await finder.find(lookup, 'a')).toBe('a')
    await finder.close()
  })
})
