/** Runs lookups: their clock, their time-out, their metrics and their memory. */
import { tick } from '../rails/clock.ts'
import { NotReady, UpstreamFailed } from '../rails/failures.ts'
import type { Log } from '../rails/log/log.ts'
import { metrics } from '../rails/metrics.ts'
import type { Outside } from '../rails/outside/upstreams/outside.ts'
import type { Upstream } from '../rails/outside/upstreams/upstream.ts'
import { type Running, together } from '../rails/running.ts'
import type { Lookup, OpenLookup } from './lookup.ts'
import { type Waiting, waitingBy } from './runner/clock.ts'
import { LookupGate } from './runner/gate.ts'
import { Keeper } from './runner/keeper.ts'

export interface Finder extends Running {
  /**
   * Rejects with NotReady or UpstreamFailed. `mayAsk` is called if the value is not at hand. Before it resolves,
   * nothing is asked, fetched or computed, and if it rejects, nothing ever is.
   */
  find<Key, Value>(lookup: Lookup<Key, Value>, key: Key, mayAsk?: MayAsk): Promise<Value | undefined>
  ready(): Record<string, boolean>
}

type MayAsk = () => void | Promise<void>

interface FinderOptions {
  /** Returns the needs of each lookup. */
  needsOf?: (lookup: Lookup) => unknown
  outside: (signal: AbortSignal) => Outside
  now: () => number
  /** The log for fetched values. Only lookups that keep nothing can do without it. */
  log?: Log
  waiting?: Waiting
  jitterMs?: number
  onFailed?: (lookup: string, error: unknown) => void
}

/** A lookup together with what its `open` returned. */
type Open = Lookup & OpenLookup

/** Resolves when the memory holds every valid value that any instance has fetched. */
export async function startLookups(lookups: readonly Lookup[], options: FinderOptions): Promise<Finder> {
  const { now, outside, needsOf = () => ({}) } = options
  const opened = new Map<Lookup, Open>()
  for (const lookup of lookups) opened.set(lookup, { ...lookup, ...lookup.open(await needsOf(lookup)) })
  const all = [...opened.values()]
  const keepers = openKeepers(all, options)
  await Promise.all([...keepers.values()].map(keeper => keeper.start()))
  const tickings = all.flatMap(lookup => preparing(lookup, options))

  async function foundBy(lookup: Open, key: unknown, mayAsk: MayAsk) {
    const known = lookup.atHand?.(key)
    if (known !== undefined) return { value: known, how: 'kept' as const }
    return { value: await foundAnew(lookup, { key, mayAsk, outside }), how: 'fetched' as const }
  }

  return {
    async find<Key, Value>(asked: Lookup<Key, Value>, key: Key, mayAsk: MayAsk = () => {}) {
      const { name } = asked
      const lookup = opened.get(asked as Lookup)
      if (!lookup) throw new Error(`the lookup ${name} is not open in this process`)
      if (lookup.ready?.(now()) === false) throw new NotReady(`the lookup ${name} has no data yet`)
      const observe = metrics.lookupSeconds.startTimer({ lookup: name })
      let turnedAway = false
      const allowed = async () => {
        try {
          await mayAsk()
        } catch (error) {
          turnedAway = true
          throw error
        }
      }
      const keeper = keepers.get(lookup)
      try {
        const { value, how } = keeper ? await keeper.find(key, allowed) : await foundBy(lookup, key, allowed)
        const outcome = how !== 'fetched' ? how : value === undefined ? 'nothing' : 'found'
        metrics.lookups.inc({ lookup: name, outcome })
        return value as Value | undefined
      } catch (error) {
        // A refusal by `mayAsk` says nothing about the upstream.
        metrics.lookups.inc({ lookup: name, outcome: turnedAway ? 'turned_away' : 'failed' })
        throw error
      } finally {
        observe()
      }
    },
    ready: () => Object.fromEntries(all.map(({ name, ready }) => [name, ready?.(now()) ?? true])),
    ...together([...tickings, ...keepers.values()]),
  }
}

/** The clock that prepares a lookup before its first question. */
function preparing(
  { name, prepare }: Open,
  { outside, jitterMs = 2_000, onFailed }: FinderOptions,
): Running[] {
  if (!prepare) return []
  const ticking = tick(prepare.schedule, jitterMs, async stopping => {
    try {
      await prepare.run(outside(AbortSignal.any([stopping, AbortSignal.timeout(prepare.timeoutMs)])))
      return true
    } catch (error) {
      // The world fails: the earlier preparation stays in use, and the clock tries again.
      if (stopping.aborted) return true
      metrics.lookups.inc({ lookup: name, outcome: 'prepare_failed' })
      onFailed?.(name, error)
      return false
    }
  })
  return [ticking]
}

interface Asked extends Pick<FinderOptions, 'outside'> {
  key: unknown
  mayAsk: MayAsk
}

async function foundAnew({ name, timeoutMs, find, upstream }: Open, { key, mayAsk, outside }: Asked) {
  // Without an upstream of its own, the lookup asks another role or uses a thread.
  if (!upstream) await mayAsk()
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new UpstreamFailed(`${name} took longer than ${timeoutMs} ms`)),
    timeoutMs,
  )
  try {
    const world = outside(late.signal)
    const get: Outside['get'] = async (...asked) => {
      await mayAsk()
      return world.get(...asked)
    }
    return await Promise.race([find(key, { ...world, get }), aborted(late.signal)])
  } finally {
    clearTimeout(timer)
  }
}

function openKeepers(lookups: readonly Open[], options: FinderOptions): Map<Open, Keeper<unknown, unknown>> {
  const { now, outside, log, waiting = waitingBy(now) } = options
  const gates = new Map<Upstream, LookupGate>()
  const gateTo = (upstream: Upstream | undefined): LookupGate | undefined => {
    if (!upstream?.patience) return undefined
    const gate = gates.get(upstream) ?? new LookupGate(upstream.variable, upstream.patience, waiting)
    gates.set(upstream, gate)
    return gate
  }
  const keepers = new Map<Open, Keeper<unknown, unknown>>()
  for (const lookup of lookups) {
    const { name, keep, upstream } = lookup
    if (!keep) continue
    if (!log) throw new Error(`the lookup ${name} keeps what it finds, so it needs a log`)
    const onFailed = (error: unknown) => options.onFailed?.(name, error)
    const gate = gateTo(upstream)
    keepers.set(lookup, new Keeper({ ...lookup, keep }, { outside, waiting, gate, log, onFailed }))
  }
  return keepers
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
