/** The books' own check over what a run has left: the chains, topic, table, view, metrics and statement must say the same. */
import type { OwnWallet } from '../../pipelines/domains/books/facts.ts'
import { entryOf, type Log } from '../../pipelines/rails/log/log.ts'
import { openSqliteLog } from '../../pipelines/rails/log/sqlite-log.ts'
import { metrics, metricsPage } from '../../pipelines/rails/metrics.ts'
import { Books } from '../../pipelines/workers/books/books.ts'
import { startMeter } from '../../pipelines/workers/meter.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { rejects } from '../../schemas/rejects.ts'
import { salesCounted } from '../../schemas/sales-counted.ts'
import { settlements } from '../../schemas/settlements.ts'
import { until } from '../until.ts'
import { booksCommand, chainReading, kept, openBooksStore, startSinks, walletsOf } from './books-parts.ts'
import type { World } from './world.ts'

interface Checked {
  /** Each of them is wrong. */
  wrong: string[]
  /** What the chains moved to our wallets, by `books -- check`. */
  received: { count: number; usdc: number }
}

export async function booksCheck(world: World, folder: string, nowMs: number): Promise<Checked> {
  await world.finalise()
  const log = await openSqliteLog(`${folder}/log.db`, {
    topics: [...kept, rejects, salesCounted].map(({ topic }) => topic),
  })
  const wallets = walletsOf(world.wallets)
  try {
    for (const name of ['base', 'solana'] as const)
      await chainReading(name, world.rpcUrls[name], wallets)(log, () => nowMs)
    return await checkedBooks({ log, logUrl: `sqlite:${folder}/log.db`, folder, wallets, nowMs })
  } finally {
    await log.close()
  }
}

interface Left {
  /** What was sold, and what the chains have moved. */
  log: Log
  logUrl: string
  folder: string
  wallets: readonly OwnWallet[]
  nowMs: number
  /** What the store is filled with. */
  of?: readonly Dataset[]
}

export async function checkedBooks({ log, logUrl, folder, wallets, nowMs, of }: Left): Promise<Checked> {
  const opened = await openBooksStore(folder)
  const { store } = opened
  try {
    await store.apply(kept)
    const sinks = await startSinks(log, store, of)
    const ask = <Row>(sql: string, params: Readonly<Record<string, string>>) => store.query<Row>(sql, params)
    const books = await Books.open({ log, ask, wallets: () => wallets, now: () => nowMs, graceMs: 0 })
    await books.round(new AbortController().signal)
    await until(
      async () => (await store.query('select 1 from book_days')).length >= wallets.length,
      'the days of the books',
      60_000,
    )
    const told = await booksCommand({ store: opened.url, log: logUrl })
    const metered = await meteredUsdc(log)
    await sinks.close()
    return judged(told, metered)
  } finally {
    await opened.close()
  }
}

/** What a meter that reads the topic from its beginning has on its page. */
async function meteredUsdc(log: Log): Promise<number> {
  await log.append(salesCounted.topic, [entryOf(salesCounted, { topic: settlements.topic.name, next: {} })])
  metrics.revenue.reset()
  const meter = await startMeter({ log, sold: [], networks: [], onFailed: () => {} })
  // Its lag is told beside the page, and late sales wait for a second one.
  await until(async () => {
    await metricsPage()
    const { values } = await metrics.logLag.get()
    return values.some(({ labels, value }) => labels.group === 'meter' && value === 0)
  }, 'a meter that has read all')
  for (const _ of ['counted', 'shown', 'late']) await metricsPage()
  const { values } = await metrics.revenue.get()
  await meter.close()
  return values.reduce((sum, { value }) => sum + value, 0)
}

interface Day {
  day: string
  received_usdc: string
  transfers: number
  sold_usdc: string
  reversed_usdc: string
  waiting: number
  found: { kind: string; tx: string; payer: string }[]
}

interface Told {
  network: string
  pay_to: string
  told: Record<string, { count: number; usdc: string }>
}

function judged({ code, said }: { code: number; said: string }, metered: number): Checked {
  const lines = said
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Day | Told)
  const days = lines.filter(line => 'found' in line)
  const told = lines.filter(line => 'told' in line)
  const sum = (of: (one: Day) => string) => days.reduce((all, one) => all + Number(of(one)), 0)
  const [received, sold] = [sum(one => one.received_usdc), sum(one => one.sold_usdc)]
  const topic = told.reduce((all, one) => all + Number(one.told.topic?.usdc), 0)
  const wrong = days.flatMap(({ day, found, waiting }) => [
    ...found.map(({ kind, tx, payer }) => `${day}: ${kind} of ${payer} in ${tx}`),
    ...(waiting > 0 ? [`${day}: ${waiting} wait`] : []),
  ])
  if (code !== 0) wrong.push(`books -- check ended with ${code}: ${JSON.stringify(told)}`)
  if (!isSame(received, sold)) wrong.push(`the chains moved ${received}, and ${sold} was sold`)
  if (!isSame(topic, sold + sum(one => one.reversed_usdc)))
    wrong.push(`the topic has ${topic}, and the books have ${sold}`)
  if (!isSame(metered, topic)) wrong.push(`the metrics have ${metered}, and the topic has ${topic}`)
  return { wrong, received: { count: days.reduce((all, one) => all + one.transfers, 0), usdc: received } }
}

const isSame = (one: number, other: number): boolean => Math.abs(one - other) < 1e-9
