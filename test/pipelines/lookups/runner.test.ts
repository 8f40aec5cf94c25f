import { describe, expect, it } from 'vitest'
import { NotReady, UpstreamFailed } from '../../../pipelines/failures.ts'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import { createOutside } from '../../../pipelines/outside/open.ts'
import type { Outside } from '../../../pipelines/outside/outside.ts'
import { until } from '../../until.ts'

const outside = createOutside({ at: {} as Outside['at'], contact: 'test', dataDir: '.', now: Date.now })
const run = (lookup: Lookup<string, string>, onFailed = (_: string, __: unknown) => {}) =>
  startLookups([lookup as Lookup], { outside, now: Date.now, jitterMs: 0, onFailed })

describe('a lookup', () => {
  it('finds, or finds nothing', async () => {
    const lookup: Lookup<string, string> = {
      name: 'echo',
      timeoutMs: 1000,
      find: async key => (key === 'a' ? 'A' : undefined),
    }
    const finder = await run(lookup)
    expect(await finder.find(lookup, 'a')).toBe('A')
    expect(await finder.find(lookup, 'b')).toBeUndefined()
    await finder.close()
  })

  it('that is too slow fails, whether or not it listens to its signal', async () => {
    const lookup: Lookup<string, string> = { name: 'slow', timeoutMs: 20, find: () => new Promise(() => {}) }
    const finder = await run(lookup)
    await expect(finder.find(lookup, 'a')).rejects.toThrow(UpstreamFailed)
    await finder.close()
  })

  it('is not asked before it is ready; what it needs is fetched at once', async () => {
    let loaded = false
    const lookup: Lookup<string, string> = {
      name: 'table',
      timeoutMs: 1000,
      ready: () => loaded,
      prepare: {
        schedule: '0 0 1 1 *',
        timeoutMs: 1000,
        run: async () => {
          loaded = true
        },
      },
      find: async key => key,
    }
    const never = await startLookups([], { outside, now: Date.now })
    await expect(never.find(lookup, 'a')).rejects.toThrow(NotReady)
    const finder = await run(lookup)
    await until(() => finder.ready().table)
    expect(await finder.find(lookup, 'a')).toBe('a')
    await finder.close()
  })

  it('whose preparation fails says so and goes on', async () => {
    const failed: unknown[] = []
    const lookup: Lookup<string, string> = {
      name: 'table',
      timeoutMs: 1000,
      prepare: {
        schedule: '0 0 1 1 *',
        timeoutMs: 1000,
        run: () => Promise.reject(new UpstreamFailed('no file')),
      },
      find: async key => key,
    }
    const finder = await run(lookup, (_, error) => failed.push(error))
    await until(() => failed.length === 1)
    expect(await finder.find(lookup, 'a')).toBe('a')
    await finder.close()
  })
})
