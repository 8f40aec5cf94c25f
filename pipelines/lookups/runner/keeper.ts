/**
 * Keeps the values that a lookup fetched. It makes one fetch per key at a time, renews values before they lapse, and
 * uses old values while the upstream fails.
 */
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import type { Log, Received, Watching } from '../../rails/log/log.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import type { Running } from '../../rails/running.ts'
import type { Keeping, Lookup, OpenLookup } from '../lookup.ts'
import { type Waiting, within } from './clock.ts'
import { GateShut, type LookupGate } from './gate.ts'
import { Memory, type RememberedValue } from './memory.ts'
import { renewAhead } from './renewal.ts'
import { Resting } from './rest.ts'

interface KeeperOptions {
  outside: (signal: AbortSignal) => Outside
  waiting: Waiting
  gate: LookupGate | undefined
  log: Log
  onFailed: (error: unknown) => void
}

/** An open lookup that keeps its findings. */
type KeepingLookup<Key, Value> = Pick<Lookup, 'name' | 'timeoutMs'> & { keep: Keeping<Key, Value> } & Pick<
    OpenLookup<Key, Value>,
    'find'
  >

type Result<Value> = { value: Value | undefined; how: 'kept' | 'fetched' | 'stale' }

export class Keeper<Key, Value> implements Running {
  readonly #lookup: KeepingLookup<Key, Value>
  readonly #keep: Keeping<Key, Value>
  readonly #options: KeeperOptions
  readonly #memory: Memory<Value>
  readonly #fetching = new Map<string, Promise<RememberedValue<Value>>>()
  readonly #resting: Resting
  readonly #telling = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #watching: Watching | undefined
  #renewing: Promise<void> | undefined

  constructor(lookup: KeepingLookup<Key, Value>, options: KeeperOptions) {
    this.#lookup = lookup
    this.#keep = lookup.keep
    this.#options = options
    this.#memory = new Memory(this.#keep.most)
    this.#resting = new Resting(this.#keep.most, options.waiting.now)
  }

  /** Reads the fetches of all instances, and keeps reading. */
  async start(): Promise<void> {
    const { dataset, ahead } = this.#keep
    this.#watching = await this.#options.log.watch(dataset.topic, batch => this.take(batch))
    await this.#watching.caughtUp
    if (ahead) this.#renewing = this.#renewAhead(ahead)
  }

  get ended(): Promise<unknown> {
    return this.#watching?.ended ?? Promise.resolve()
  }

  /** Fetches nothing before `mayFetch` resolves. */
  async find(key: Key, mayFetch: () => void | Promise<void> = () => {}): Promise<Result<Value>> {
    const { nameOf, fits } = this.#keep
    const { waiting } = this.#options
    const name = nameOf(key)
    const found = this.#memory.ask(name)
    const kept = found && (fits?.(key, found.value) ?? true) ? found : undefined
    const now = waiting.now()
    const resting = this.#resting.why(name)
    if (kept && now < kept.freshUntil) {
      if (now >= kept.renewFrom && !resting && !this.#options.gate?.shut)
        void this.#renew(name, key, mayFetch)
      return { value: kept.value, how: 'kept' }
    }
    if (!resting) await mayFetch()
    try {
      if (resting) throw resting
      const { name: lookup, timeoutMs } = this.#lookup
      const late = () => new UpstreamFailed(`${lookup} took longer than ${timeoutMs} ms`)
      const { value } = await within(this.#fetchFitting(name, key), timeoutMs, waiting, late)
      return { value, how: 'fetched' }
    } catch (error) {
      // The world fails: an older value is better than none, and the answer says how old it is.
      if (kept && waiting.now() < kept.staleUntil) return { value: kept.value, how: 'stale' }
      throw error
    }
  }

  take(batch: readonly Pick<Received, 'key' | 'value'>[]): void {
    const { dataset, read, lasts } = this.#keep
    for (const { key, value } of batch) {
      const { event } = value === null ? {} : readEvent(dataset, value)
      if (!event) continue
      const kept = read(event)
      const lasting = lasts(kept.value)
      const isOld = this.#options.waiting.now() >= kept.at + Math.max(lasting.freshMs, lasting.staleMs)
      if (!isOld && kept.at > (this.#memory.peek(key)?.at ?? 0)) this.#memory.put(key, kept, lasting)
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('stopping'))
    await Promise.allSettled([...this.#fetching.values(), this.#renewing])
    await Promise.all(this.#telling)
    await this.#watching?.close()
  }

  /** A fetch that is already under way may be for another question with the same name. */
  async #fetchFitting(name: string, key: Key): Promise<RememberedValue<Value>> {
    const joined = this.#fetching.has(name)
    const fetched = await this.#fetch(name, key)
    return joined && this.#keep.fits?.(key, fetched.value) === false ? this.#fetch(name, key) : fetched
  }

  /** No caller waits for it. */
  async #renew(name: string, key: Key, mayFetch: () => void | Promise<void>): Promise<void> {
    try {
      await mayFetch()
    } catch {
      // The caller hears of it himself, and the value is fresh for a while.
      return
    }
    void this.#fetch(name, key)
  }

  #fetch(name: string, key: Key): Promise<RememberedValue<Value>> {
    const going = this.#fetching.get(name)
    if (going) return going
    const fetching = this.#fetchNow(name, key).finally(() => this.#fetching.delete(name))
    // Those who wait for the fetch get its failure. If nobody waits any more, onFailed has reported it.
    fetching.catch(() => {})
    this.#fetching.set(name, fetching)
    return fetching
  }

  async #fetchNow(name: string, key: Key): Promise<RememberedValue<Value>> {
    const { gate, outside, waiting, onFailed } = this.#options
    const { fetchMs, lasts } = this.#keep
    const before = this.#memory.peek(name)
    const giveUp = new AbortController()
    const late = () => {
      giveUp.abort(new UpstreamFailed(`${this.#lookup.name} was given up after ${fetchMs} ms`))
      return giveUp.signal.reason as Error
    }
    try {
      const world = outside(AbortSignal.any([giveUp.signal, this.#stopping.signal]))
      const finding = this.#lookup.find(key, gate?.through(world) ?? world, before?.value)
      const value = await within(finding, fetchMs, waiting, late)
      this.#resting.over(name)
      const fetched = this.#memory.put(name, { value, at: waiting.now() }, lasts(value))
      if (!before || !this.#keep.same?.(before.value, value)) this.#tell(name, fetched)
      return fetched
    } catch (error) {
      // The world fails: the key rests, so that we do not ask for it again and again. A shut gate already stops all
      // requests, so then no key rests: when the gate opens, every key may be asked for at once.
      if (!this.#stopping.signal.aborted && !(error instanceof GateShut)) onFailed(error)
      if (error instanceof UpstreamFailed && !gate?.shut) this.#resting.begin(name, error)
      throw error
    }
  }

  /** No caller waits for the log. */
  #tell(name: string, kept: RememberedValue<Value>): void {
    const telling = this.#append(name, kept).finally(() => this.#telling.delete(telling))
    this.#telling.add(telling)
  }

  async #append(name: string, kept: RememberedValue<Value>): Promise<void> {
    const { dataset, write } = this.#keep
    try {
      const event = dataset.event.parse(write(name, kept))
      await this.#options.log.append(dataset.topic, [{ key: name, value: JSON.stringify(event) }])
    } catch (error) {
      // While the log is down, other instances have to fetch the value themselves. This one has it.
      this.#options.onFailed(error)
    }
  }

  #renewAhead({ most, keyOf }: NonNullable<Keeping<Key, Value>['ahead']>): Promise<void> {
    const { waiting, gate } = this.#options
    return renewAhead({
      due: () => this.#memory.due(waiting.now(), most).filter(name => !this.#resting.why(name)),
      renew: name => this.#fetch(name, keyOf(name)),
      mayGoOn: () => !gate?.shut,
      waiting,
      signal: this.#stopping.signal,
    })
  }
}
