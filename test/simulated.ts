/** Plays a day in seconds: the test alone moves the time, and the upstreams follow it. */

import type { Waiting } from '../pipelines/lookups/runner/clock.ts'
import { UpstreamFailed } from '../pipelines/rails/failures.ts'
import type { Answer, Outside, UpstreamRequest } from '../pipelines/rails/outside/upstreams/outside.ts'
import type { Upstream } from '../pipelines/rails/outside/upstreams/upstream.ts'
import { reply } from './pipelines/lookups/census-bodies.ts'
import { forecastBody, pointBody } from './pipelines/lookups/nws-bodies.ts'
import { alertCollection } from './pipelines/sources/nws-alerts.ts'

interface Sleeper {
  at: number
  wake: () => void
}

export class SimulatedTime implements Waiting {
  #now: number
  readonly #sleepers = new Set<Sleeper>()

  constructor(start: number) {
    this.#now = start
  }

  now = (): number => this.#now

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const wake = () => {
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { at: this.#now + ms, wake }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', wake, { once: true })
    })

  /** Moves the time forward. Sleepers wake in order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms
    await turn()
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#now = next.at
      next.wake()
      await turn()
    }
    this.#now = end
  }

  /** Moves the time forward until the work ends, and returns how long that took. */
  async until<T>(work: Promise<T>): Promise<{ tookMs: number; value?: T; error?: unknown }> {
    const startedAt = this.#now
    let done: { value?: T; error?: unknown } | undefined
    work.then(
      value => {
        done = { value }
      },
      (error: unknown) => {
        done = { error }
      },
    )
    for (await turn(); !done; ) {
      const next = this.#next(Number.POSITIVE_INFINITY)
      if (!next) throw new Error('nothing in this time will ever end it')
      await this.pass(Math.max(0, next.at - this.#now))
    }
    return { tookMs: this.#now - startedAt, ...done }
  }

  #next(end: number): Sleeper | undefined {
    let first: Sleeper | undefined
    for (const sleeper of this.#sleepers)
      if (sleeper.at <= end && (!first || sleeper.at < first.at)) first = sleeper
    return first
  }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

export type Mood = 'up' | 'refusing' | 'hanging'

/** Both upstreams. Every point has a cell, and every address that begins with a number has a match. */
export class SimulatedUpstreams {
  mood: Mood = 'up'
  /** The requested URLs. */
  asked: string[] = []
  latencyMs: (url: string) => number = () => 0
  /** The time between two updates of an office's grid. */
  updateMs = 3_600_000
  cacheControl = 'public, max-age=300'
  readonly #time: SimulatedTime

  constructor(time: SimulatedTime) {
    this.#time = time
  }

  count = (part: string): number => this.asked.filter(url => url.includes(part)).length

  outside = (signal: AbortSignal): Outside =>
    ({
      now: this.#time.now,
      signal,
      get: async ({ variable }: Upstream, path: string, { timeoutMs = 20_000 }: UpstreamRequest = {}) => {
        const url = `http://${variable === 'NWS_URL' ? 'nws' : 'census'}${path}`
        this.asked.push(url)
        if (this.mood === 'hanging') await this.#time.sleep(timeoutMs, signal)
        else await this.#pause(this.latencyMs(url), signal)
        if (this.mood !== 'up' || signal.aborted) throw new UpstreamFailed(`${url} is ${this.mood}`)
        return this.#answer(url)
      },
    }) as Partial<Outside> as Outside

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0) await this.#time.sleep(ms, signal)
  }

  #answer(url: string): Answer {
    const body = this.#body(url)
    return {
      status: 200,
      from: url,
      unchanged: false,
      bytes: Buffer.from(body),
      text: () => body,
      header: name => (name === 'cache-control' ? this.cacheControl : undefined),
      validators: {},
    }
  }

  #body(url: string): string {
    const now = this.#time.now()
    const { pathname, searchParams } = new URL(url)
    if (pathname.startsWith('/alerts'))
      return alertCollection({ id: 'a', zones: ['forecast/DCZ001'], ends: '2027-01-01T00:00:00Z' })
    const [, lat = 0, lon = 0] = pathname.match(/^\/points\/([-\d.]+),([-\d.]+)/)?.map(Number) ?? []
    if (pathname.startsWith('/points')) {
      const [x, y] = [Math.round((lon + 130) * 40) % 200, Math.round((lat - 20) * 40) % 200]
      return pointBody(`${offices[Math.abs(Math.round(lon)) % offices.length]}/${x},${y}`)
    }
    const hour = now - (now % 3_600_000)
    if (pathname.startsWith('/gridpoints')) return forecastBody(hour, now - (now % this.updateMs))
    const address = searchParams.get('address') ?? ''
    return reply([
      { matchedAddress: `${address.split(',')[0]}, WASHINGTON, DC, 20500`, tract: '11001006202' },
    ])
  }
}

const offices = ['LWX', 'OKX', 'LOT', 'TOP', 'BOU', 'SEW', 'LOX', 'HGX']
