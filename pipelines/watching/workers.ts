/** The workers behind subscriptions: one process of all checks and judges, one delivers. */

import { endpointChecks } from '../../schemas/endpoint-checks.ts'
import { webhookEvents } from '../../schemas/webhooks.ts'
import type { Log } from '../log/log.ts'
import { startOutbox } from '../outbox/outbox.ts'
import type { Hook } from '../outbox/post.ts'
import type { PublicFetch } from '../public-fetch/visit.ts'
import { type Running, together } from '../running.ts'
import type { Worker } from '../worker.ts'
import { Book } from './book.ts'
import { type Checking, startChecking } from './checking.ts'
import { startJudging } from './judging.ts'
import { type Keeping, startKeeping } from './keeping.ts'
import { usualRhythm } from './rounds.ts'
import type { Seal } from './seal.ts'
import type { Watch } from './watch.ts'

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
  open: ({ alone, watch, visits, now, onFailed }) =>
    watch ? alone('watching', ({ log }) => startWatching({ log, visits, now, onFailed }, watch)) : none,
}

export const delivering: Worker = {
  part: 'outbox',
  role: 'ingest',
  follows: { topic: webhookEvents.topic, group: 'outbox' },
  open: ({ alone, watch, visits, now, onFailed }) =>
    watch ? alone('outbox', ({ log }) => startDelivering({ log, visits, now, onFailed }, watch)) : none,
}

export async function startWatching(
  { log, visits, now, onFailed }: Needs,
  { rhythm = usualRhythm }: Watch,
): Promise<Running & Pick<Checking, 'round' | 'idle'> & Pick<Keeping, 'remind'>> {
  const failed = (name: string) => (error: unknown) => onFailed(name, error)
  let checking: Checking | undefined
  const book = await Book.read(log, endpoint => checking?.changed(endpoint))
  checking = startChecking({ log, visits, book, rhythm, now, onFailed: failed('check') })
  const judging = await startJudging({ log, book })
  const keeping = await startKeeping({ log, book, now, onFailed: failed('subscriptions') })
  const { round, idle } = checking
  return { ...together([checking, judging, keeping]), round, idle, remind: keeping.remind }
}

export async function startDelivering(
  { log, visits, now, onFailed }: Needs,
  { seal }: Watch,
): Promise<Running> {
  const [book, reading] = await Book.follow(log)
  const outbox = await startOutbox({
    log,
    visits,
    hookOf: id => hookOf(book, id, seal, now()),
    sign: text => seal.sign(text),
    now,
    onFailed: error => onFailed('webhook', error),
  })
  return together([reading, outbox])
}

function hookOf(book: Book, id: string, seal: Seal, now: number): Hook | undefined {
  const row = book.subscriptions.get(id)
  return (
    row && {
      url: row.webhook_url,
      secrets: row.secrets
        .filter(({ until }) => until === null || now < Date.parse(until))
        .map(({ sealed }) => seal.open(sealed, id)),
    }
  )
}
