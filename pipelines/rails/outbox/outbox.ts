/**
 * Delivers every event of its topic to the webhook of its subscription, at least once. The log has the next attempt
 * before the last one is forgotten, so a crash loses none.
 */
import { type Dataset, readEvent } from '../../../schemas/dataset/dataset.ts'
import { instant } from '../../../schemas/values/values.ts'
import {
  type WebhookDue,
  type WebhookEvent,
  type WebhookStanding,
  webhookDead,
  webhookDeliveries,
  webhookDue,
  webhookEvents,
  webhookStandings,
} from '../../../schemas/webhooks.ts'
import { Bounded } from '../bounded.ts'
import { eventsIn } from '../log/events.ts'
import { entryOf, type Log, type Received, versionOf } from '../log/log.ts'
import { metrics } from '../metrics.ts'
import type { PublicFetch } from '../outside/fetching/visit.ts'
import type { Running } from '../running.ts'
import { DeliveryLines } from './lines.ts'
import { type Letter, type Posted, post } from './post.ts'
import { mostAgeMs, nextAt } from './schedule.ts'

export interface OutboxOptions {
  log: Log
  visits: PublicFetch
  /** `ended`: the subscription is over. `sealed`: the key that sealed it is missing, for now or for ever. */
  letterOf(event: WebhookEvent): Letter | 'ended' | 'sealed'
  /** ed25519, in base64. */
  sign(text: string): string
  now: () => number
  onFailed(error: unknown): void
}

interface Outbox extends Running {
  /** Sends due events now. The outbox also does so by itself. */
  work(): void
  /** Resolves when no attempt is under way. */
  idle(): Promise<void>
  /** The number of events that are not delivered yet. */
  readonly open: number
}

const atOnce = 64
const lookMs = 500
/** The pause after a failure of the log, or while a webhook is paused. */
const restMs = 5_000
const mostDeadInARow = 5
const mostRemembered = 50_000
const unsent: Posted = {
  ...{ outcome: 'sealed', status: null, tookMs: 0, problem: 'key_gone', retryAfterMs: undefined },
}

export async function startOutbox(options: OutboxOptions): Promise<Outbox> {
  const outbox = new OpenOutbox(options)
  await outbox.start()
  return outbox
}

class OpenOutbox implements Outbox {
  readonly #options: OutboxOptions
  readonly #lines = new DeliveryLines()
  readonly #restored = new Map<string, WebhookDue>()
  readonly #standings = new Map<string, WebhookStanding>()
  /** The events delivered or given up recently. The log may bring an event twice. */
  readonly #done = new Bounded<true>({ most: mostRemembered })
  readonly #underWay = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #parts: Running[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { log } = this.#options
    const restoring = await log.watch(webhookDue.topic, batch => this.#restore(batch))
    await restoring.caughtUp
    await restoring.close()
    this.#restored.clear()
    const standings = await log.watch(webhookStandings.topic, batch => this.#stand(batch))
    await standings.caughtUp
    const following = await log.follow(webhookEvents.topic, 'outbox', batch => this.#hear(batch))
    this.#parts = [standings, following]
    this.#timer = setInterval(() => this.work(), lookMs)
  }

  get ended(): Promise<unknown> {
    return Promise.all(this.#parts.map(({ ended }) => ended))
  }

  get open(): number {
    return this.#lines.size
  }

  async idle(): Promise<void> {
    while (this.#underWay.size) await Promise.all(this.#underWay)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort(new Error('stopping'))
    await Promise.all(this.#parts.map(part => part.close()))
    await this.idle()
    // The next holder of the duty reports the number.
    metrics.webhooksOpen.remove()
    metrics.webhooksLate.remove()
  }

  work(): void {
    const { now } = this.#options
    if (this.#stopping.signal.aborted) return
    metrics.webhooksOpen.set(this.#lines.size)
    const first = this.#lines.firstAt()
    metrics.webhooksLate.set(first === undefined ? 0 : Math.max(0, now() - first) / 1000)
    for (const due of this.#lines.take(now(), atOnce - this.#underWay.size)) {
      const attempt = this.#attempt(due).finally(() => {
        this.#underWay.delete(attempt)
        this.#lines.done(due)
        this.work()
      })
      this.#underWay.add(attempt)
    }
  }

  async #hear(batch: readonly Received[]): Promise<void> {
    const { now } = this.#options
    const next_at = instant(now())
    /** By the event, because a replay of what is new in this batch is no second event. */
    const fresh = new Map<string, WebhookDue>()
    for (const { event, record } of eventsIn(webhookEvents, batch)) {
      const { event_id, replay } = event
      const due_id = replay ? `${event_id}/${replay}` : event_id
      if (this.#lines.has(due_id) || this.#done.peek(due_id) || fresh.has(event_id)) continue
      const waiting = this.#lines.waitingFor(event)
      // A replay of what still waits is sent now, in place of its next attempt.
      if (waiting) this.#lines.put({ ...waiting, next_at })
      else fresh.set(event_id, { due_id, event, place: String(versionOf(record)), attempts: 0, next_at })
    }
    const due = [...fresh.values()]
    if (due.length) await this.#append(webhookDue, ...due)
    for (const each of due) this.#lines.put(each)
    this.work()
  }

  #restore(batch: readonly Received[]): void {
    for (const { key, value } of batch) {
      const { event } = value === null ? {} : readEvent(webhookDue, value)
      const known = this.#restored.get(key)
      if (known) this.#lines.drop(known)
      this.#restored.delete(key)
      if (!event) continue
      this.#restored.set(key, event)
      this.#lines.put(event)
    }
  }

  #stand(batch: readonly Received[]): void {
    const { now } = this.#options
    for (const { event } of eventsIn(webhookStandings, batch)) {
      const before = this.#standings.get(event.subscription_id)
      this.#standings.set(event.subscription_id, event)
      if (event.state !== 'open' || !before || before.state === 'open') continue
      // Events that waited during the pause go out now.
      for (const due of this.#lines.of(event.subscription_id))
        this.#lines.put({ ...due, next_at: instant(now()) })
    }
  }

  async #attempt(due: WebhookDue): Promise<void> {
    const { onFailed, now } = this.#options
    try {
      await this.#once(due)
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      // The log failed, so the result of the attempt is lost. The attempt is made again, with the same id.
      onFailed(error)
      this.#lines.put({ ...due, next_at: instant(now() + restMs) })
    }
  }

  async #once(due: WebhookDue): Promise<void> {
    const { letterOf, visits, sign, now } = this.#options
    const { subscription_id, event_id, at } = due.event
    const { state = 'open' } = this.#standings.get(subscription_id) ?? {}
    const letter = letterOf(due.event)
    if (letter === 'ended' || state === 'gone')
      return this.#giveUp(due, letter === 'ended' ? 'ended' : 'gone')
    if (state === 'paused') {
      if (now() - Date.parse(at) > mostAgeMs) return this.#giveUp(due, 'paused')
      this.#lines.put({ ...due, next_at: instant(now() + restMs) })
      return
    }
    const { signal } = this.#stopping
    const posted =
      letter === 'sealed' ? unsent : await post(visits, letter, { id: event_id, sign, signal, now })
    metrics.webhookAttempts.inc({ outcome: posted.outcome })
    await this.#ended({ ...due, attempts: due.attempts + 1 }, posted)
  }

  async #ended(due: WebhookDue, posted: Posted): Promise<void> {
    const { now } = this.#options
    const { outcome, retryAfterMs } = posted
    const mayCome = outcome === 'failed' || outcome === 'sealed'
    const next = mayCome ? nextAt(due.attempts, now(), retryAfterMs) : undefined
    if (next !== undefined) {
      const again = { ...due, next_at: instant(next) }
      await this.#append(webhookDue, again)
      this.#lines.put(again)
      return this.#record(due, posted, again.next_at)
    }
    if (outcome === 'gone') await this.#standAt(due, { state: 'gone' })
    if (outcome === 'delivered') {
      await this.#forget(due)
      if (this.#standings.get(due.event.subscription_id)?.dead_in_a_row)
        await this.#standAt(due, { state: 'open', dead_in_a_row: 0 })
    } else await this.#giveUp(due, outcome === 'failed' ? 'attempts' : outcome)
    await this.#record(due, posted, null)
  }

  async #record({ event, attempts }: WebhookDue, posted: Posted, next_at: string | null): Promise<void> {
    const { outcome, status, tookMs, problem } = posted
    const { event_id, subscription_id, type } = event
    const at = instant(this.#options.now())
    await this.#append(webhookDeliveries, {
      ...{ event_id, subscription_id, type, at, attempt: attempts },
      ...{ outcome, status, took_ms: tookMs, problem, next_at },
    })
  }

  async #giveUp(due: WebhookDue, reason: 'attempts' | 'sealed' | 'gone' | 'ended' | 'paused'): Promise<void> {
    const { event_id, subscription_id, type } = due.event
    const at = instant(this.#options.now())
    await this.#append(webhookDead, { event_id, subscription_id, type, at, attempts: due.attempts, reason })
    metrics.webhooksDead.inc({ reason })
    if (reason === 'attempts') {
      const dead = (this.#standings.get(subscription_id)?.dead_in_a_row ?? 0) + 1
      await this.#standAt(due, { state: dead >= mostDeadInARow ? 'paused' : 'open', dead_in_a_row: dead })
    }
    await this.#forget(due)
  }

  async #standAt({ event }: WebhookDue, more: Partial<WebhookStanding>): Promise<void> {
    const { subscription_id } = event
    const known = this.#standings.get(subscription_id)
    const standing: WebhookStanding = {
      subscription_id,
      state: 'open',
      dead_in_a_row: known?.dead_in_a_row ?? 0,
      ...more,
      at: instant(this.#options.now()),
    }
    await this.#append(webhookStandings, standing)
    this.#standings.set(subscription_id, standing)
  }

  async #forget(due: WebhookDue): Promise<void> {
    await this.#options.log.append(webhookDue.topic, [{ key: due.due_id, value: null }])
    this.#lines.drop(due)
    this.#done.set(due.due_id, true)
  }

  #append<Row>(dataset: Dataset, ...rows: readonly Row[]): Promise<void> {
    const entries = rows.map(row => entryOf(dataset, row as never))
    return this.#options.log.append(dataset.topic, entries)
  }
}
