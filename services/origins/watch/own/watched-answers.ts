/** Calls the webhooks of subscribers when our own answers change. One process does it for all. */

import { WatchBook } from '../../../../pipelines/domains/watch/book.ts'
import { watchVariables } from '../../../../pipelines/domains/watch/variables.ts'
import type { Received } from '../../../../pipelines/rails/log/log.ts'
import { type Running, together } from '../../../../pipelines/rails/running.ts'
import type { Dataset } from '../../../../schemas/dataset/dataset.ts'
import {
  type WatchSubscription,
  watchSubscriptions,
  watchTold,
} from '../../../../schemas/watch-subscriptions.ts'
import { webhookEvents } from '../../../../schemas/webhooks.ts'
import type { AskingWorker } from '../../../offer/origin.ts'
import { type Thing, type ThingName, thingNames, thingOf, things } from './subjects.ts'
import { ownLane, type ThingsOptions, ToldChanges } from './told-changes.ts'

interface WatchedAnswers extends Running {
  /** Looks at every answer that changes with time. A timer does the same. */
  look(): Promise<void>
}

/** The events of one poll come together, so one look serves them all. */
const gatherMs = 250
const againMs = 2_000

/** Gathers events from the topics, and looks again at the answers that depend on them. */
class Gathering {
  readonly #changes: ToldChanges
  #waiting = new Map<ThingName, Set<string> | 'all'>()
  #timer: NodeJS.Timeout | undefined
  readonly #later = new Set<NodeJS.Timeout>()

  constructor(changes: ToldChanges) {
    this.#changes = changes
  }

  hear(what: ThingName, batch: readonly Received[]): void {
    const heard = this.#waiting.get(what)
    if (heard !== 'all') {
      const all = (things[what] as Thing).keyOf === undefined
      this.#waiting.set(what, all ? 'all' : new Set([...(heard ?? []), ...batch.map(({ key }) => key)]))
    }
    this.#timer ??= setTimeout(() => this.#look(), gatherMs)
  }

  close(): void {
    for (const each of [this.#timer, ...this.#later]) clearTimeout(each)
  }

  #look(): void {
    this.#timer = undefined
    const changed = this.#waiting
    this.#waiting = new Map()
    const isConcerned = ({ what, subscription_id }: WatchSubscription) => {
      const of = changed.get(what as ThingName)
      return of === 'all' || of?.has(this.#changes.keyOf(subscription_id)) === true
    }
    this.#changes.look(ownLane, isConcerned)
    // The views of this process may have read the facts a little later, so it looks a second time.
    const again = setTimeout(() => {
      this.#later.delete(again)
      this.#changes.look(ownLane, isConcerned)
    }, againMs)
    this.#later.add(again)
  }
}

export async function startWatchedAnswers(options: ThingsOptions): Promise<WatchedAnswers> {
  const { log } = options
  const [book, reading] = await WatchBook.follow(log)
  const changes = new ToldChanges(options, book)
  const restoring = await log.watch(watchTold.topic, batch => changes.restore(batch))
  await restoring.caughtUp
  const gathering = new Gathering(changes)
  const watched = await Promise.all(
    thingNames.flatMap(what =>
      things[what].datasets.map(({ topic }) =>
        log.watch(topic, batch => gathering.hear(what, batch), { from: 'end' }),
      ),
    ),
  )
  const timed = timedOf(options)
  // Reports the changes that happened while no process looked.
  for (const lane of [ownLane, ...options.tools.watched.keys()]) changes.look(lane)
  const tickings = timed.map(thing => ticking(changes, thing))
  const parts = [reading, restoring, ...watched]
  return {
    ...together(parts),
    look: async () => void (await Promise.all(timed.map(thing => lookedAt(changes, thing)))),
    async close() {
      changes.close()
      tickings.forEach(clearInterval)
      gathering.close()
      await Promise.all(parts.map(part => part.close()))
      await changes.idle()
    },
  }
}

interface Timed {
  what: string
  lane: string
  everyMs: number
}

/** What is looked at by the clock. */
const timedOf = ({ tools }: Pick<ThingsOptions, 'tools'>): Timed[] => {
  const names = [...thingNames.map(what => [what, ownLane]), ...[...tools.watched.keys()].map(at => [at, at])]
  return names.flatMap(([what = '', lane = '']) => {
    const everyMs = thingOf(what, tools)?.everyMs
    return everyMs === undefined ? [] : { what, lane, everyMs }
  })
}

const lookedAt = (changes: ToldChanges, { what, lane }: Timed): Promise<void> =>
  changes.look(lane, row => row.what === what)

/** A look that takes longer than its time is not followed by two. */
function ticking(changes: ToldChanges, thing: Timed): NodeJS.Timeout {
  let isLooking = false
  return setInterval(async () => {
    if (isLooking) return
    isLooking = true
    await lookedAt(changes, thing)
    isLooking = false
  }, thing.everyMs)
}

const watched = thingNames.flatMap((name): readonly Dataset[] => things[name].datasets)

export const watchedAnswers: AskingWorker = {
  part: 'watched answers',
  role: 'query',
  variables: [watchVariables],
  reads: [watchSubscriptions, watchTold, ...watched],
  writes: [watchTold, webhookEvents],
  open({ alone, read, now, tools, onFailed }) {
    const seal = read(watchVariables)
    // Without the key nobody can subscribe, so there is nobody to call.
    if (!seal) return together([])
    const failed = (error: unknown) => onFailed('answer', error)
    return alone('answers', ({ log }) => startWatchedAnswers({ log, tools, seal, now, onFailed: failed }))
  },
}
