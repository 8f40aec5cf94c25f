/** Runs sources: their clock, cursor, time-out, check and retry. It writes a tick for each poll. */
import { type SourceTick, sourceTicks } from '../../schemas/source-ticks.ts'
import { instant } from '../../schemas/values/values.ts'
import { tick } from '../rails/clock.ts'
import type { Drift } from '../rails/drift.ts'
import { newestNow } from '../rails/log/events.ts'
import { entryOf, type Log } from '../rails/log/log.ts'
import { metrics } from '../rails/metrics.ts'
import type { Outside } from '../rails/outside/upstreams/outside.ts'
import { type Running, together } from '../rails/running.ts'
import { append } from './intake.ts'
import type { OutOfTurn } from './out-of-turn.ts'
import type { Missed, Source } from './source.ts'

export interface RunnerOptions<Needs> {
  /** What the sources need in addition to the outside. */
  needs: Needs
  log: Log
  outside: (signal: AbortSignal) => Outside
  now: () => number
  jitterMs?: number
  outOfTurn?: OutOfTurn
  /** How often a long poll writes its progress. */
  checkpointMs?: number
  onFailed?: (source: string, error: unknown) => void
  /** Shows the operator a line that is not a failure. */
  tell?: (line: string) => void
}

export async function startSources<Needs>(
  sources: readonly Source<unknown, Needs>[],
  options: RunnerOptions<Needs>,
): Promise<Running> {
  // The last tick of each source holds its cursor, so a kill loses nothing.
  const last = await newestNow(options.log, sourceTicks)
  return together(
    sources.map(source => {
      const poller = new Poller(source, options, last.get(source.name))
      const ticking = tick(source.schedule, options.jitterMs ?? 2_000, signal => poller.poll(signal))
      options.outOfTurn?.add(source.name, () => {
        poller.isDue = true
        return ticking.again()
      })
      return ticking
    }),
  )
}

const checkpointMs = 10_000
const mostTold = 1000

/** Puts the limit of a source on the metrics page, so that one alert rule serves all sources. */
export const tellLimit = ({ name, silentAfterMs }: Pick<Source, 'name' | 'silentAfterMs'>): void =>
  metrics.silentAfter.set({ source: name }, silentAfterMs / 1000)

interface Poll {
  startedAt: number
  events: number
  error?: unknown
  missed: readonly Missed[]
  midway?: boolean
}

function reasonOf(error: unknown, missed: readonly Missed[]): string | undefined {
  if (error) return String(error instanceof Error ? error.message : error)
  return missed.length ? `went without ${missed.map(({ reason }) => reason).join('; ')}` : undefined
}

export class Poller<Needs> {
  readonly #source: Source<unknown, Needs>
  readonly #options: RunnerOptions<Needs>
  #cursor: unknown
  #goodAt: string | null
  #failed = false
  readonly #told = new Set<string>()
  /** Whatever its clock says. */
  isDue = false

  constructor(source: Source<unknown, Needs>, options: RunnerOptions<Needs>, last: SourceTick | undefined) {
    this.#source = source
    this.#options = options
    this.#cursor = last && last.cursor !== '' ? JSON.parse(last.cursor) : undefined
    this.#goodAt = last?.good_at ?? null
    tellLimit(source)
    // A source with weekly polls must not look silent after a restart of its process.
    if (this.#goodAt) metrics.polledAt.set({ source: source.name }, Date.parse(this.#goodAt) / 1000)
  }

  /** Makes one poll, from the outside into the log. Resolves with true if it was good. */
  async poll(stopping: AbortSignal): Promise<boolean> {
    const { now, outside, needs } = this.#options
    const source = this.#source
    const isAsked = this.isDue
    this.isDue = false
    if (!isAsked && !this.#failed && this.#goodAt && source.due?.(now(), this.#cursor) === false) return true
    const startedAt = now()
    let toldAt = startedAt
    let events = 0
    let error: unknown
    const missed: Missed[] = []
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(source.timeoutMs)])
      const pages = source.pull(this.#cursor, outside(signal), needs)
      for await (const page of pages) {
        signal.throwIfAborted()
        await append(page.events, { log: this.#options.log, source: source.name, now })
        this.#cursor = page.cursor
        this.#notice(page.drift ?? [])
        events += page.events.length
        for (const { feed } of page.missed ?? []) metrics.missedFeeds.inc({ source: source.name, feed })
        missed.push(...(page.missed ?? []))
        // Writes the cursor in between, so that a poll of hours does not start again after a kill.
        if (now() - toldAt < (this.#options.checkpointMs ?? checkpointMs)) continue
        toldAt = now()
        await this.#tell({ startedAt, events, missed, midway: true })
      }
      this.#goodAt = instant(now())
    } catch (failure) {
      // The world fails: the tick is dropped, counted and tried again. Events that were appended before remain valid.
      if (stopping.aborted) return true
      error = failure
      this.#options.onFailed?.(source.name, failure)
    }
    this.#failed = error !== undefined
    return (await this.#tell({ startedAt, events, error, missed })) && !this.#failed
  }

  /** Every drift counts, but the process log shows each only once. */
  #notice(drifts: readonly Drift[]): void {
    const { name } = this.#source
    for (const { kind, what, sample } of drifts) {
      metrics.drift.inc({ source: name, kind })
      if (this.#told.has(kind + what) || this.#told.size >= mostTold) continue
      this.#told.add(kind + what)
      this.#options.tell?.(`drift of ${name}: ${kind} ${what}: ${sample}`)
    }
  }

  async #tell({ startedAt, events, error, missed, midway = false }: Poll): Promise<boolean> {
    const { log, now } = this.#options
    const outcome = error ? 'failed' : events ? 'changed' : 'unchanged'
    const at = now()
    const row: SourceTick = {
      source: this.#source.name,
      at: instant(at),
      outcome,
      events,
      took_ms: Math.max(0, Math.round(at - startedAt)),
      error: reasonOf(error, missed)?.slice(0, 500) ?? null,
      good_at: this.#goodAt,
      cursor: JSON.stringify(this.#cursor ?? null),
    }
    if (!midway) metrics.polls.inc({ source: row.source, outcome })
    if (!midway) metrics.pollSeconds.observe({ source: row.source }, row.took_ms / 1000)
    if (this.#goodAt) metrics.polledAt.set({ source: row.source }, Date.parse(this.#goodAt) / 1000)
    try {
      await log.append(sourceTicks.topic, [entryOf(sourceTicks, row)])
      return true
    } catch (failure) {
      // A log that is down accepts no tick either. The next poll writes its own.
      this.#options.onFailed?.(row.source, failure)
      return false
    }
  }
}
