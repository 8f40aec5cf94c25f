/** The real server, till and log in a process of their own. It kills itself where its plan says so. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { openSqliteLog } from '../../pipelines/rails/log/sqlite-log.ts'
import { metrics } from '../../pipelines/rails/metrics.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { companyNow, secCompanies } from '../../schemas/sec-companies.ts'
import { Callers } from '../../services/query/callers.ts'
import { Door } from '../../services/query/door/door.ts'
import { LookedUp } from '../../services/query/looked-up.ts'
import { recordFree } from '../../services/query/mcp/trial-receipt.ts'
import { Trials } from '../../services/query/mcp/trials.ts'
import { Challenges } from '../../services/query/mpp/challenges.ts'
import type { Counter } from '../../services/query/purchase.ts'
import { buildServer } from '../../services/query/server.ts'
import { openTill } from '../../services/till/open-till.ts'
import type { Till } from '../../services/till/till.ts'
import { originOf } from '../services/an-origin.ts'
import { drawnByFile } from './drawn-by-file.ts'
import { failingLog } from './failing-log.ts'
import type { CrashPoint } from './plan.ts'
import { draw, type SellerOptions, sellerTopics } from './seller-options.ts'
import { openOwn, openPrices, openRefunds } from './seller-parts.ts'

// The parent process is gone.
process.stdin.once('end', () => process.exit())
const [told] = (await once(createInterface({ input: process.stdin }), 'line')) as [string]
const options = JSON.parse(told) as SellerOptions
const { folder, port, config, aheadMs, plans } = options
const now = () => Date.now() + aheadMs
/** Each process of this seller has it. */
const challengeKey = `0x${'11'.repeat(32)}`
const say = (line: string) => void writeSync(1, `${line}\n`)
const onError = (error: unknown) => say(`survived ${error}`)

/** The purchase that the current work belongs to. */
const current = new AsyncLocalStorage<number>()
const planOf = (run: number | undefined) => plans.find(({ id }) => id === run)

function mayDie(at: CrashPoint, run = current.getStore()): void {
  if (run === undefined || planOf(run)?.crash !== at) return
  say(`crash ${run}`)
  process.kill(process.pid, 'SIGKILL')
}

const log = await openSqliteLog(`${folder}/log.db`, { topics: sellerTopics, now })
const lookedUp = new LookedUp({ store: () => openStore('http://nobody@127.0.0.1:9/farebox'), log, now })
await lookedUp.follow([secCompanies])

const missed = new Set<number>()
const isDown = (run: number) => planOf(run)?.storeDown === true && !missed.has(run)
async function drawn(run: number, whereDown: () => unknown): Promise<string | undefined> {
  say(`asked ${run}`)
  if (isDown(run)) {
    missed.add(run)
    await whereDown()
    return undefined
  }
  await sleep(100)
  return randomUUID()
}
const operation = draw(async (run, tools) => (await drawn(run, () => tools.look(companyNow, run))) ?? '')
const file = await drawnByFile(run => drawn(run, () => {}), now)
const origin = originOf([operation, ...file.operations])
const origins = [origin]

const prices = openPrices(options, { origin, onError })
const beside = { origin, prices, log, now, onError }
const own = await openOwn(options, beside)
const till = await openTill({
  origins,
  blobs: await openBlobs(`file:${folder}/blobs`),
  log: failingLog(log, () => planOf(current.getStore())),
  config,
  prices,
  now,
  onError,
  limits: { unknownMs: 6000, waitMs: 4000, sweepMs: 1000 },
  timeoutsMs: { verify: 3000, settle: 3000 },
  step: mayDie,
})

const watched: Till = {
  ...till,
  async sell(sale) {
    const { run } = JSON.parse(sale.question) as { run: number }
    const sold = await current.run(run, () => till.sell(sale))
    mayDie('responding', run)
    return {
      ...sold,
      delivered: whole => {
        sold.delivered(whole)
        if (whole) mayDie('delivered', run)
      },
    }
  },
}
const unresolved = async () => ({
  type: 'text/plain',
  body: String((await metrics.unresolved.get()).values[0]?.value),
})
const counter: Counter = {
  till: watched,
  callers: Callers.open(1e6, now),
  door: new Door(now),
  challenges: new Challenges([challengeKey], now),
  tools: {
    now,
    view: () => {
      throw new Error('no views here')
    },
    find: file.find,
    look: (view, ...key) => lookedUp.first(view, ...key),
    lookAll: (view, ...key) => lookedUp.all(view, ...key),
    ownHosts: new Set(),
    credit: ({ credit }, text = credit) => text,
    isSample: () => false,
    watched: new Map(),
    use: () => undefined as never,
  },
}
const refunds = await openRefunds(options, beside)
const trials = await Trials.open({ log, now, mostADay: 0 })
const app = buildServer({
  pages: [
    { path: '/unresolved', answer: unresolved },
    { path: '/paid-back', answer: async () => ({ type: 'text/plain', body: String(refunds.told.size) }) },
  ],
  origins,
  prices,
  counter,
  mcp: {
    selling: { ...counter, trials, record: recordFree(log, now) },
    catalog: () => ({}),
    info: async () => ({}),
  },
  now,
  trustProxy: false,
  logger: pino({ level: 'error' }, { write: line => say(`wrong ${line.trim()}`) }),
})
process.on('SIGTERM', async () => {
  await app.close()
  await trials.close()
  await refunds.close()
  await till.close()
  await own.close()
  await file.close()
  await lookedUp.close()
  await log.close()
  process.exit(0)
})
await app.listen({ host: '127.0.0.1', port })
say('ready')
