/** Asks the questions of subscriptions again, one look after the other, and reports the answers that have changed. */

import { stands, type WatchBook } from '../../../../pipelines/domains/watch/book.ts'
import { bodyOf, eventId } from '../../../../pipelines/domains/watch/events.ts'
import { KeyGone, type Seal } from '../../../../pipelines/domains/watch/seal.ts'
import { eventEntries, questionOf } from '../../../../pipelines/domains/watch/sealed.ts'
import { GateShut } from '../../../../pipelines/lookups/runner/gate.ts'
import { asCaller } from '../../../../pipelines/rails/children/caller.ts'
import { NotReady, UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { entryOf, type Log, type Received } from '../../../../pipelines/rails/log/log.ts'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import { readEvent } from '../../../../schemas/dataset/dataset.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { type WatchSubscription, type WatchTold, watchTold } from '../../../../schemas/watch-subscriptions.ts'
import { type WebhookEvent, webhookEvents } from '../../../../schemas/webhooks.ts'
import { Failure, Refused } from '../../../offer/errors.ts'
import type { Tools } from '../../../offer/operation.ts'
import { thingOf, things, type WatchAsked } from './subjects.ts'
import { toldOf } from './watch-subscribe.ts'

export interface ThingsOptions {
  log: Log
  tools: Tools
  seal: Seal
  now: () => number
  onFailed(error: unknown): void
}

type Wanted = (row: WatchSubscription) => boolean

/** The lane of all things that are ours. Each operation of a file has its own, by its path. */
export const ownLane = 'own'

const laneOf = (what: string): string => (Object.hasOwn(things, what) ? ownLane : what)

const atOnce = 8
/** Of the operation of a file. It has eight places, and buyers come first. */
const atOnceOfFile = 2
/** With these errors no answer can be sold now. The next event causes another look. */
const expected = [Refused, Failure, UpstreamFailed, NotReady]

export class ToldChanges {
  readonly #options: ThingsOptions
  readonly #book: WatchBook
  readonly #known = new Map<string, WatchTold>()
  readonly #keys = new Map<string, string>()
  /** Subscriptions whose questions nobody can read until a restart brings the key. */
  readonly #sealed = new Set<string>()
  /** Their last look failed at the upstream. */
  readonly #failing = new Set<string>()
  /** A slow upstream of one file keeps no other look waiting. */
  readonly #lanes = new Map<string, Promise<void>>()
  #isClosing = false

  constructor(options: ThingsOptions, book: WatchBook) {
    this.#options = options
    this.#book = book
  }

  /** Restores what this process or another reported before. */
  restore(batch: readonly Received[]): void {
    for (const { value } of batch) {
      const { event } = value === null ? {} : readEvent(watchTold, value)
      if (event && event.at > (this.#known.get(event.subscription_id)?.at ?? ''))
        this.#known.set(event.subscription_id, event)
    }
  }

  /** The key of the rows that the last answer of a subscription was made from. */
  keyOf(subscriptionId: string): string {
    return this.#keys.get(subscriptionId) ?? ''
  }

  /** Looks in a lane run one after the other, so that no change is reported twice. */
  look(lane: string, wanted: Wanted = () => true): Promise<void> {
    const looking = (this.#lanes.get(lane) ?? Promise.resolve()).then(() => this.#lookAt(lane, wanted))
    this.#lanes.set(lane, looking)
    return looking
  }

  close(): void {
    this.#isClosing = true
  }

  /** Resolves when no look is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#lanes.values())
  }

  async #lookAt(lane: string, wanted: Wanted): Promise<void> {
    const isOpen = (row: WatchSubscription) =>
      laneOf(row.what) === lane &&
      thingOf(row.what, this.#options.tools) !== undefined &&
      stands(row, this.#options.now()) &&
      !this.#sealed.has(row.subscription_id)
    const failed = ({ subscription_id }: WatchSubscription) => Number(this.#failing.has(subscription_id))
    // What failed last time comes last, so that it shuts the upstream to nobody who is answered.
    const rows = [...this.#book.subscriptions.values()]
      .filter(row => isOpen(row) && wanted(row))
      .sort((one, other) => failed(one) - failed(other))
      .values()
    const worker = async () => {
      for (const row of rows) {
        if (this.#isClosing) return
        await this.#evaluate(row).catch(error => this.#survive(row, error))
      }
    }
    await Promise.all(Array.from({ length: lane === ownLane ? atOnce : atOnceOfFile }, worker))
  }

  #survive({ subscription_id }: WatchSubscription, error: unknown): void {
    if (error instanceof KeyGone) {
      this.#sealed.add(subscription_id)
      metrics.questionsSealed.inc()
    }
    if (error instanceof UpstreamFailed && !(error instanceof GateShut)) this.#failing.add(subscription_id)
    if (!expected.some(kind => error instanceof kind)) this.#options.onFailed(error)
  }

  async #evaluate(row: WatchSubscription): Promise<void> {
    const { log, tools, seal, now } = this.#options
    const { what } = row
    const thing = thingOf(what, tools)
    if (!thing) return
    const asked = questionOf(row, seal) as unknown as WatchAsked
    // Its questions shut an upstream for itself, and for no other subscription.
    const { told, answer, key } = await asCaller(row.subscription_id, () => toldOf(thing, asked, tools))
    this.#failing.delete(row.subscription_id)
    if (key !== undefined) this.#keys.set(row.subscription_id, key)
    const before = this.#known.get(row.subscription_id)
    const after: WatchTold = {
      subscription_id: row.subscription_id,
      told: JSON.stringify(told),
      at: instant(now()),
    }
    if (before?.told === after.told) return
    if (before) {
      const data = { what, ...asked, before: JSON.parse(before.told) as unknown, after: told, answer }
      const event = eventOf(thing.event, before, after, data)
      await log.append(webhookEvents.topic, eventEntries([event], seal))
    }
    await log.append(watchTold.topic, [entryOf(watchTold, after)])
    this.#known.set(row.subscription_id, after)
  }
}

function eventOf(
  type: WebhookEvent['type'],
  before: WatchTold,
  { subscription_id, told, at }: WatchTold,
  data: object,
): WebhookEvent {
  return {
    // After a crash before the next record, the same change makes the same event id.
    event_id: eventId(subscription_id, type, before.at, told),
    subscription_id,
    type,
    at,
    body: bodyOf({ type, timestamp: at, data: { subscription_id, ...data } }),
    replay: 0,
  }
}
