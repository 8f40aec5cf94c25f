/**
 * How facts come out of Kafka into their table: rows a second and the processor time of a row with 1, 2 and 4 sinks, beside the plainest mover
 * there is, ClickHouse's own engine for Kafka, which moves the same topic into the same table and checks nothing. Then the time from
 * a fact to its answer, at a steady rate. `BENCH_ROWS`, `BENCH_RATE`, `BENCH_SECONDS`, `BENCH_ROUNDS` and `BENCH_SINKS` change the sizes.
 */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { entryOf } from '../../pipelines/rails/log/log.ts'
import { chainPayments } from '../../schemas/chain-payments.ts'
import {
  begin,
  dataset,
  fill,
  type Mover,
  openWorld,
  payment,
  plainMover,
  sinks,
  type World,
} from './ingest-world.ts'
import { percentile } from './load.ts'
import { cpuUsOf } from './service.ts'

const rows = Number(process.env.BENCH_ROWS ?? 400_000)
const rate = Number(process.env.BENCH_RATE ?? 5000)
const seconds = Number(process.env.BENCH_SECONDS ?? 20)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const sizes = (process.env.BENCH_SINKS ?? '1,2,4').split(',').map(Number)
/** One fact of so many is waited for. */
const watchedEach = 50
const tickMs = 10
/** What is best for the plain mover where it catches up, and where somebody waits. */
const flushMs = { catchingUp: 1000, steady: 500 }

async function stored(store: World['store']): Promise<number> {
  const [row] = await store.query<{ n: string }>(
    `select count() as n from ${dataset.name} settings final = 0`,
  )
  return Number(row?.n)
}

interface Moved {
  perSecond: number
  moverUs: number
  engineUs: number
}

/** From the first rows in the table to the last one. Throws where a fact is missing. */
async function catchUp(world: World, open: () => Promise<Mover>): Promise<Moved> {
  const { store, engine } = world
  await begin(world, true)
  const pid = engine.pid() as number
  const engineBefore = cpuUsOf(pid)
  const mover = await open()
  try {
    const moverBefore = await mover.cpuUs()
    let first = 0
    while (first === 0) first = await stored(store)
    const from = performance.now()
    while ((await stored(store)) < rows) await sleep(20)
    const tookMs = performance.now() - from
    const [moverUs, engineUs] = [(await mover.cpuUs()) - moverBefore, cpuUsOf(pid) - engineBefore]
    const [found] = await store.query<{ facts: string }>(
      `select uniqExact(tx) as facts from ${dataset.name} settings final = 0`,
    )
    if (Number(found?.facts) !== rows) throw new Error(`${found?.facts} of ${rows} facts are in the table`)
    return { perSecond: (1000 * (rows - first)) / tookMs, moverUs: moverUs / rows, engineUs: engineUs / rows }
  } finally {
    await mover.stop()
  }
}

interface Answered {
  tookMs: number[]
  mostLag: number
}

/** Facts come at a steady rate, and some are asked for until they are there. */
async function answered(world: World, open: () => Promise<Mover>, from: number): Promise<Answered> {
  const { log, store } = world
  await begin(world, false)
  const mover = await open()
  const waiting = new Map<number, number>()
  const tookMs: number[] = []
  const total = rate * seconds
  let mostLag = 0
  const appends: Promise<void>[] = []
  const append = (nth: number, count: number) => {
    const entries = Array.from({ length: count }, (_, i) => {
      const isWatched = (nth + i) % watchedEach === 0
      if (isWatched) waiting.set(nth + i, performance.now())
      return entryOf(chainPayments, payment(nth + i, isWatched ? 'solana' : 'base'))
    })
    appends.push(log.append(dataset.topic, entries))
  }
  const look = async () => {
    const [oldest = 0] = waiting.keys()
    const found = await store.query<{ block: string }>(
      `select block from ${dataset.name} where network = 'solana' and block >= ${oldest} settings final = 0`,
    )
    const now = performance.now()
    for (const { block } of found) {
      const since = waiting.get(Number(block))
      if (since !== undefined) tookMs.push(now - since)
      waiting.delete(Number(block))
    }
  }
  const lags = setInterval(async () => {
    mostLag = Math.max(mostLag, await log.lag(dataset.topic, 'sink'))
  }, 1000)
  try {
    const begun = performance.now()
    const producing = (async () => {
      for (let sent = 0; sent < total; await sleep(tickMs)) {
        const due = Math.min(total, Math.floor(((performance.now() - begun) / 1000) * rate))
        if (due > sent) append(from + sent, due - sent)
        sent = Math.max(sent, due)
      }
      await Promise.all(appends)
    })()
    let isOver = false
    const over = producing.finally(() => {
      isOver = true
    })
    while (!isOver || waiting.size) {
      await look()
      await sleep(tickMs)
    }
    await over
    return { tookMs: tookMs.toSorted((a, b) => a - b), mostLag }
  } finally {
    clearInterval(lags)
    await mover.stop()
  }
}

const middle = (values: readonly number[]) =>
  percentile(
    values.toSorted((a, b) => a - b),
    50,
  )
const whole = (value: number) => Math.round(value).toLocaleString('en')
const load = () => loadavg()[0]?.toFixed(1)

function tell(name: string, measured: readonly Moved[], bytes: number): number {
  const of = (part: (one: Moved) => number) => middle(measured.map(part))
  const both = of(one => one.moverUs + one.engineUs)
  const perSecond = of(one => one.perSecond)
  const cells = [
    ...[name, whole(perSecond), ((perSecond * (bytes / rows)) / 1e6).toFixed(1)],
    ...[
      of(one => one.moverUs).toFixed(1),
      of(one => one.engineUs).toFixed(1),
      both.toFixed(1),
      whole(1e6 / both),
      load(),
    ],
  ]
  console.log(`| ${cells.join(' | ')} |`)
  return both
}

async function catchingUp(world: World): Promise<void> {
  const bytes = await fill(world, rows)
  console.log(`\nFrom Kafka into chain_payments: ${whole(rows)} facts of ${whole(bytes / rows)} bytes\n`)
  console.log('| | rows/s | MB/s | us of the sinks | us of the engine | us a row | rows/s of a core | load |')
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const many of sizes) {
    const [ours, theirs]: [Moved[], Moved[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      ours.push(await catchUp(world, () => sinks(world, many)))
      theirs.push(await catchUp(world, () => plainMover(world, many, flushMs.catchingUp)))
    }
    const us = tell(`${many} of our sinks`, ours, bytes)
    const its = tell(`${many} of the plain mover`, theirs, bytes)
    console.log(`| ratio | ${(its / us).toFixed(2)} x the rows/s of a core | | | | | | |`)
  }
}

export async function ingest(): Promise<void> {
  const world = await openWorld()
  try {
    await catchingUp(world)
    console.log(`\nFrom a fact to its answer, ${whole(rate)} facts/s for ${seconds} s\n`)
    console.log('| | p50 ms | p99 ms | slowest ms | waited for | most lag, records | load |')
    console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
    let from = rows
    const told = async (name: string, open: () => Promise<Mover>) => {
      const { tookMs, mostLag } = await answered(world, open, from)
      from += rate * seconds
      const figures = [
        percentile(tookMs, 50),
        percentile(tookMs, 99),
        tookMs.at(-1) ?? 0,
        tookMs.length,
        mostLag,
      ]
      console.log(`| ${[name, ...figures.map(whole), load()].join(' | ')} |`)
    }
    for (const many of sizes) {
      await told(`${many} of our sinks`, () => sinks(world, many))
      await told(`${many} of the plain mover`, () => plainMover(world, many, flushMs.steady))
    }
  } finally {
    await world.close()
  }
}
