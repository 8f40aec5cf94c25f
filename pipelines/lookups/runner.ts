/** Runs lookups: their clock, their time-out, their metrics. */
import { type Ticking, tick } from '../clock.ts'
import { metrics } from '../metrics.ts'
import { NotReady, type Outside, UpstreamFailed } from '../outside.ts'
import type { Lookup } from './lookup.ts'

export interface Finder extends Ticking {
  /** Rejects with NotReady or UpstreamFailed. */
  find<Key, Value>(lookup: Lookup<Key, Value>, key: Key): Promise<Value | undefined>
  ready(): Record<string, boolean>
}

export interface FinderOptions {
  outside: (signal: AbortSignal) => Outside
  now: () => number
  jitterMs?: number
  onFailed?: (lookup: string, error: unknown) => void
}

export function startLookups(lookups: readonly Lookup[], options: FinderOptions): Finder {
  const { now, outside } = options
  const tickings = lookups.flatMap(({ name, prepare }) => {
    if (!prepare) return []
    return tick(prepare.schedule, options.jitterMs ?? 2_000, async stopping => {
      try {
        await prepare.run(outside(AbortSignal.any([stopping, AbortSignal.timeout(prepare.timeoutMs)])))
        return true
      } catch (error) {
        // The world fails: what was prepared before still serves, and the clock tries again.
        if (stopping.aborted) return true
        metrics.lookups.inc({ lookup: name, outcome: 'prepare_failed' })
        options.onFailed?.(name, error)
        return false
      }
    })
  })

  return {
    async find(lookup, key) {
      const { name, timeoutMs } = lookup
      if (lookup.ready?.(now()) === false) throw new NotReady(`${name} has nothing to look in yet`)
      const observe = metrics.lookupSeconds.startTimer({ lookup: name })
      const late = new AbortController()
      const timer = setTimeout(
        () => late.abort(new UpstreamFailed(`${name} took longer than ${timeoutMs} ms`)),
        timeoutMs,
      )
      try {
        const value = await Promise.race([lookup.find(key, outside(late.signal)), aborted(late.signal)])
        metrics.lookups.inc({ lookup: name, outcome: value === undefined ? 'nothing' : 'found' })
        return value
      } catch (error) {
        metrics.lookups.inc({ lookup: name, outcome: 'failed' })
        throw error
      } finally {
        clearTimeout(timer)
        observe()
      }
    },
    ready: () => Object.fromEntries(lookups.map(lookup => [lookup.name, lookup.ready?.(now()) ?? true])),
    stop: async () => {
      await Promise.all(tickings.map(ticking => ticking.stop()))
    },
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
