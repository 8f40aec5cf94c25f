/** Tells the subscribers of what we sell ourselves when their answers change. One process of all does it. */

import { NotReady, UpstreamFailed } from '../../pipelines/failures.ts'
import type { Log, Received } from '../../pipelines/log/log.ts'
import { entryOf } from '../../pipelines/log/log.ts'
import { metrics } from '../../pipelines/metrics.ts'
import { type Running, together } from '../../pipelines/running.ts'
import { Book, stands } from '../../pipelines/watching/book.ts'
import { bodyOf, eventId } from '../../pipelines/watching/events.ts'
import { KeyGone, type Seal } from '../../pipelines/watching/seal.ts'
import { eventEntries, questionOf } from '../../pipelines/watching/sealed.ts'
import { readEvent } from '../../schemas/dataset.ts'
import { instant } from '../../schemas/values.ts'
import { type WatchSubscription, type WatchTold, watchTold } from '../../schemas/watch-subscriptions.ts'
import { type WebhookEvent, webhookEvents } from '../../schemas/webhooks.ts'
import { Failure, Refused } from '../errors.ts'
import type { Tools } from '../operation.ts'
import { type Asked, type Thing, type ThingName, thingNames, things } from '../origins/watch/own/things.ts'
import { toldOf } from '../origins/watch/own/watch-subscribe.ts'

export interface ThingsOptions {
  log: Log
  tools: Tools
  seal: Seal
  now: () => number
  onFailed(error: unknown): void
}

export interface WatchingThings extends Running {
  /** Looks at every answer that changes with time. It also happens by itself. */
  look(): Promise<void>
}

/** Events of one poll come together, and so they are looked at together. */
const gatherMs = 250
const againMs = 2_000
const everyMs = 60_000
const atOnce = 8

export async function startThings({
  log,
  tools,
  seal,
  now,
  onFailed,
}: ThingsOptions): Promise<WatchingThings> {
  const known = new Map<string, WatchTold>()
  const keys = new Map<string, string>()
  /** Nobody can read what these ask for until a restart brings the key. */
  const sealed = new Set<string>()
  const waiting = new Map<ThingName, Set<string> | 'all'>()
  const later = new Set<NodeJS.Timeout>()
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()
  let isClosing = false

  async function evaluate(row: WatchSubscription): Promise<void> {
    const what = row.what as ThingName
    const { event: type } = things[what]
    const asked = questionOf(row, seal) as unknown as Asked
    const { told, answer, key } = await toldOf(what, asked, tools)
    if (key !== undefined) keys.set(row.subscription_id, key)
    const before = known.get(row.subscription_id)
    const after: WatchTold = {
      subscription_id: row.subscription_id,
      told: JSON.stringify(told),
      at: instant(now()),
    }
    if (before?.told === after.told) return
    if (before) {
      const data = { what, ...asked, before: JSON.parse(before.told) as unknown, after: told, answer }
      const event: WebhookEvent = {
        // After a crash before the next record, the same change makes the same event.
        event_id: eventId(row.subscription_id, type, before.at, after.told),
        subscription_id: row.subscription_id,
        type,
        at: after.at,
        body: bodyOf({ type, timestamp: after.at, data: { subscription_id: row.subscription_id, ...data } }),
        replay: 0,
      }
      await log.append(webhookEvents.topic, eventEntries([event], seal))
    }
    await log.append(watchTold.topic, [entryOf(watchTold, after)])
    known.set(row.subscription_id, after)
  }

  const isOpen = (row: WatchSubscription) =>
    row.what in things && stands(row, now()) && !sealed.has(row.subscription_id)

  async function lookAt(wanted: (row: WatchSubscription) => boolean): Promise<void> {
    const rows = [...book.subscriptions.values()].filter(row => isOpen(row) && wanted(row)).values()
    const worker = async () => {
      for (const row of rows) {
        if (isClosing) return
        await evaluate(row).catch(error => {
          if (error instanceof KeyGone) {
            sealed.add(row.subscription_id)
            metrics.questionsSealed.inc()
          }
          // No answer can be sold now. It is looked at again with the next event.
          const isExpected = [Refused, Failure, UpstreamFailed, NotReady].some(kind => error instanceof kind)
          if (!isExpected) onFailed(error)
        })
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  }

  /** One look after the other, so that no change is told twice. */
  function queue(wanted: (row: WatchSubscription) => boolean): Promise<void> {
    looking = looking.then(() => lookAt(wanted))
    return looking
  }

  function hear(what: ThingName, batch: readonly Received[]): void {
    const heard = waiting.get(what)
    if (heard !== 'all') {
      const all = (things[what] as Thing).keyOf === undefined
      waiting.set(what, all ? 'all' : new Set([...(heard ?? []), ...batch.map(({ key }) => key)]))
    }
    timer ??= setTimeout(() => {
      timer = undefined
      const changed = new Map(waiting)
      waiting.clear()
      const isConcerned = ({ what: each, subscription_id }: WatchSubscription) => {
        const of = changed.get(each as ThingName)
        return of === 'all' || of?.has(keys.get(subscription_id) ?? '') === true
      }
      queue(isConcerned)
      // The views of this process may have read the facts a little later.
      const again = setTimeout(() => {
        later.delete(again)
        queue(isConcerned)
      }, againMs)
      later.add(again)
    }, gatherMs)
  }

  const [book, reading] = await Book.follow(log)
  const restoring = await log.watch(watchTold.topic, batch => {
    for (const { value } of batch) {
      const { event } = value === null ? {} : readEvent(watchTold, value)
      if (event && event.at > (known.get(event.subscription_id)?.at ?? ''))
        known.set(event.subscription_id, event)
    }
  })
  await restoring.caughtUp
  const watched = await Promise.all(
    thingNames.flatMap(what =>
      things[what].datasets.map(({ topic }) => log.watch(topic, batch => hear(what, batch), { from: 'end' })),
    ),
  )
  const look = () => queue(({ what }) => (things[what as ThingName] as Thing).byTime === true)
  // What changed while nobody looked is told now.
  queue(() => true)
  const ticking = setInterval(look, everyMs)
  const parts = [reading, restoring, ...watched]
  return {
    ...together(parts),
    look,
    async close() {
      isClosing = true
      clearInterval(ticking)
      for (const each of [timer, ...later]) clearTimeout(each)
      await Promise.all(parts.map(part => part.close()))
      await looking
    },
  }
}
