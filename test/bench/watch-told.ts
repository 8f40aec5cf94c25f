/** How soon a webhook hears of an event of our own, from its append to the log: a rate that crosses a threshold, again and again. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Seal } from '../../pipelines/domains/watch/seal.ts'
import { hideQuestion } from '../../pipelines/domains/watch/sealed.ts'
import { entryOf } from '../../pipelines/rails/log/log.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { publicFetch } from '../../pipelines/rails/outside/fetching/visit.ts'
import { startDelivering } from '../../pipelines/workers/watch/workers.ts'
import { fxRates } from '../../schemas/fx-rates.ts'
import { datasets } from '../../schemas/index.ts'
import { instant } from '../../schemas/values/values.ts'
import { type WatchSubscription, watchSubscriptions } from '../../schemas/watch-subscriptions.ts'
import type { Tools } from '../../services/offer/operation.ts'
import { startWatchedAnswers } from '../../services/origins/watch/own/watched-answers.ts'
import { Shelf } from '../../services/query/shelf.ts'
import { percentile } from './load.ts'

const events = 20
/** After this time nothing looks at the last event again. */
const restMs = 2_500
const at = Date.parse('2026-04-13T09:00:00Z')
const now = () => at + Math.round(performance.now())

export async function told(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'told-'))
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(204).end()
      receiver.emit('told')
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: datasets.map(({ topic }) => topic) })
  const shelf = await Shelf.open(log, datasets, now)
  const seal = new Seal([`0x${'42'.repeat(32)}`])
  const visits = publicFetch({
    userAgent: 'Farebox/0.0 (+bench)',
    resolve: async () => ['93.184.216.34'],
    reach: () => ({ host: '127.0.0.1', port }),
  })
  const onFailed = (_: unknown, error: unknown) => console.error(error)
  const rate = (USD: string) =>
    log.append(fxRates.topic, [entryOf(fxRates, { day: '2026-04-10', rates: { USD } })])
  await rate('1.1')
  await log.append(watchSubscriptions.topic, [entryOf(watchSubscriptions, subscription(seal))])
  const watching = await startWatchedAnswers({
    log,
    tools: toolsOf(shelf),
    seal,
    now,
    onFailed: console.error,
  })
  const watch = { seal, origin: 'https://farebox.example' }
  const delivering = await startDelivering({ log, visits, now, onFailed }, watch)
  await watching.look()
  const tookMs: number[] = []
  for (let n = 0; n < events; n++) {
    await sleep(restMs)
    const heard = once(receiver, 'told')
    const startedAt = performance.now()
    await rate(n % 2 ? '1.1' : '1.2')
    await heard
    tookMs.push(performance.now() - startedAt)
  }
  for (const part of [watching, delivering, shelf, log]) await part.close()
  receiver.close().closeAllConnections()
  rmSync(folder, { recursive: true })
  tookMs.sort((a, b) => a - b)
  const figure = (of: number) => `${Math.round(percentile(tookMs, of))} ms`
  console.log(
    `to the hook  p50 ${figure(50)}, p99 ${figure(99)}, worst ${figure(100)} of ${events} events, from the append to the log`,
  )
}

const subscription = (seal: Seal): WatchSubscription => ({
  ...{ subscription_id: 'sub_told', what: 'currency', method: 'POST', body: '', network: '', payee: '' },
  subject: hideQuestion({ question: { from: 'EUR', to: 'USD' }, above: 1.15 }, 'sub_told', seal),
  ...{
    origin: 'https://farebox.example',
    webhook_url: 'http://hooks.sample/',
    reminded: 'nothing',
    orders: [],
  },
  secrets: [{ sealed: seal.hide(Buffer.alloc(32, 1), 'sub_told'), until: null }],
  ...{ started_at: instant(at), expires_at: instant(at + 86_400_000) },
})

const nowhere = async () => {
  throw new Error('the bench has no store and no upstream')
}

const toolsOf = (shelf: Shelf): Tools => ({
  now,
  view: (view, asked) => shelf.view(view, asked),
  find: nowhere,
  look: nowhere,
  lookAll: nowhere,
  ownHosts: new Set(),
  credit: ({ credit }, said = credit) => said,
  isSample: () => false,
  watched: new Map(),
  use: () => undefined as never,
})
