/** The workers behind subscriptions: one process of all checks and judges, one delivers. */

import { endpointChecks } from '../../../schemas/endpoint-checks.ts'
import { endpointChanges, endpointStates } from '../../../schemas/endpoint-states.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { watchOrders, watchSubscriptions } from '../../../schemas/watch-subscriptions.ts'
import {
  webhookDead,
  webhookDeliveries,
  webhookDue,
  webhookEvents,
  webhookStandings,
} from '../../../schemas/webhooks.ts'
import { WatchBook } from '../../domains/watch/book.ts'
import { type Rhythm, usualRhythm, watchRhythm } from '../../domains/watch/rounds.ts'
import { KeyGone, type Seal } from '../../domains/watch/seal.ts'
import { bodyIn, secretsOf } from '../../domains/watch/sealed.ts'
import { watchVariables } from '../../domains/watch/variables.ts'
import type { Log } from '../../rails/log/log.ts'
import { type OutboxOptions, startOutbox } from '../../rails/outbox/outbox.ts'
import type { PublicFetch } from '../../rails/outside/fetching/visit.ts'
import { type Running, together } from '../../rails/running.ts'
import type { Worker } from '../worker.ts'
import { type EndpointChecking, startChecking } from './checker.ts'
import { startJudging } from './judge.ts'
import { startKeeping, type WatchKeeping } from './keeper.ts'

interface Needs {
  log: Log
  visits: PublicFetch
  now: () => number
  onFailed(name: string, error: unknown): void
}

/** Without WEIGH_KEY there are no subscriptions. */
const none = together([])

export const watching: Worker = {
  part: 'watching',
  role: 'ingest',
  follows: { topic: endpointChecks.topic, group: 'judge' },
  reads: [watchSubscriptions, watchOrders, endpointStates, settlements],
  groups: [{ topic: settlements.topic, group: 'watching' }],
  writes: [watchSubscriptions, endpointChecks, endpointStates, endpointChanges, webhookEvents],
  variables: [watchVariables],
  async open({ alone, read, use, visits, now, onFailed }) {
    const seal = read(watchVariables)
    if (!seal) return none
    const rhythm = await use(watchRhythm)
    return alone('watching', ({ log }) => startWatching({ log, visits, now, onFailed }, { seal, rhythm }))
  },
}

export const delivering: Worker = {
  part: 'outbox',
  role: 'ingest',
  follows: { topic: webhookEvents.topic, group: 'outbox' },
  reads: [watchSubscriptions, webhookDue, webhookStandings],
  writes: [webhookEvents, webhookDue, webhookDeliveries, webhookDead, webhookStandings],
  variables: [watchVariables],
  open({ alone, read, visits, now, onFailed }) {
    const seal = read(watchVariables)
    return seal
      ? alone('outbox', ({ log }) => startDelivering({ log, visits, now, onFailed }, { seal }))
      : none
  },
}

export async function startWatching(
  { log, visits, now, onFailed }: Needs,
  { seal, rhythm = usualRhythm }: { seal: Seal; rhythm?: Rhythm | undefined },
): Promise<Running & Pick<EndpointChecking, 'round' | 'idle'> & Pick<WatchKeeping, 'remind'>> {
  const failed = (name: string) => (error: unknown) => onFailed(name, error)
  let checking: EndpointChecking | undefined
  const book = await WatchBook.read(log, endpoint => checking?.changed(endpoint))
  checking = startChecking({ log, visits, book, rhythm, now, onFailed: failed('check') })
  const judging = await startJudging({ log, book, seal })
  const keeping = await startKeeping({ log, book, seal, now, onFailed: failed('subscriptions') })
  const { round, idle } = checking
  return { ...together([checking, judging, keeping]), round, idle, remind: keeping.remind }
}

export async function startDelivering(
  { log, visits, now, onFailed }: Needs,
  { seal }: { seal: Seal },
): Promise<Running> {
  const [book, reading] = await WatchBook.follow(log)
  const failed = (error: unknown) => onFailed('webhook', error)
  const outbox = await startOutbox({
    log,
    visits,
    letterOf: letters(book, seal, now, failed),
    sign: text => seal.sign(text),
    now,
    onFailed: failed,
  })
  return together([reading, outbox])
}

/** Reports once for each subscription that its key is missing. */
function letters(
  book: WatchBook,
  seal: Seal,
  now: () => number,
  onFailed: (error: unknown) => void,
): OutboxOptions['letterOf'] {
  const reported = new Set<string>()
  return event => {
    const row = book.subscriptions.get(event.subscription_id)
    if (!row) return 'ended'
    try {
      return { url: row.webhook_url, secrets: secretsOf(row, seal, now()), body: bodyIn(event, seal) }
    } catch (error) {
      if (!(error instanceof KeyGone)) throw error
      if (!reported.has(row.subscription_id)) onFailed(error)
      reported.add(row.subscription_id)
      return 'sealed'
    }
  }
}
