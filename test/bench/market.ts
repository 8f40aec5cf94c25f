/**
 * The market: the time of a rebuild and the memory of the engine for 10^6, 10^7 and 10^8 payments, and how well
 * /market/best answers tasks. MARKET_PAYMENTS names other sizes: 1000000,10000000.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assemble } from '../../pipelines/domains/market/assembly.ts'
import { readRows } from '../../pipelines/domains/market/rows.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { marketViews, marketWindow } from '../../schemas/market-views.ts'
import { listing, marketDatasets, putCatalog, putRanges } from '../pipelines/domains/market/market-store.ts'
import { judge, judgedTasks, recordedMarket } from './judging.ts'

const sellers = 2100
const endpointsEach = 8
const days = 365
const batch = 2_000_000
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** A year of payments, in order. Few sellers receive most of them, and few payers make most of them. */
const payments = (from: number, count: number, all: number) => `
  insert into chain_payments (network, at, tx, position, block, payer, pay_to, amount, asset, method, facilitator, nonce,
    provisional, withdrawn, version, is_deleted)
  with number + ${from} as n, cityHash64('seller', n) as a, cityHash64('payer', n) as b,
    toUInt32(${sellers} * pow((a % 1000003) / 1000003., 3)) as seller,
    toUInt32((20 + seller % 300) * pow((b % 1000003) / 1000003., 2)) as buyer
  select 'base', toDateTime64('2025-11-16 00:00:00', 3, 'UTC') + n * ${days * 86_400} / ${all},
    lower(hex(sipHash128(n))) || lower(hex(sipHash128('x', n))), 0, n, concat('0x', lower(hex(SHA1(concat(toString(seller), '/', toString(buyer)))))),
    concat('0x', leftPad(toString(seller), 40, '0')), toDecimal64(0.001 * (1 + seller % 50), 6), 'usdc', 'eip3009', 'settler', null,
    false, false, 1, 0
  from numbers(${count})`

const children = (): string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)

/** The most memory that the engine has held since `forgetPeak`, as the kernel counts it. */
const peakMb = (): number =>
  Math.round(
    Math.max(
      ...children().map(pid =>
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
      ),
    ) / 1024,
  )
const forgetPeak = (): void => {
  for (const pid of children()) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

async function rebuildOf(size: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-market-'))
  const store = await openStore(`embedded:${folder}`)
  try {
    await store.apply(marketDatasets)
    const rows = Array.from({ length: sellers }, (_, seller) =>
      Array.from({ length: endpointsEach }, (_, at) =>
        listing({
          host: `seller${seller}.dev`,
          path: `/endpoint/${at}`,
          wallet: `0x${String(seller).padStart(40, '0')}`,
          calls: 1 + ((seller * 31 + at) % 500),
          payers: 1 + ((seller + at) % 40),
        }),
      ),
    ).flat()
    await putCatalog(store, rows)
    await putRanges(store, undefined, '2025-11-16T00:00:00.000Z')
    for (let from = 0; from < size; from += batch)
      await store.query(payments(from, Math.min(batch, size - from), size))
    forgetPeak()
    const loadedMb = peakMb()
    const startedAt = performance.now()
    const took: string[] = []
    for (const view of marketViews) {
      const at = performance.now()
      await store.rebuild(view)
      const ms = performance.now() - at
      if (ms > 500) took.push(`${view.name} ${seconds(ms)}`)
    }
    const [window] = await store.read(marketWindow)
    if (!window) throw new Error('no window')
    const { rows: read } = await readRows(store, window)
    const { release } = assemble(read)
    const [pairs] = await store.query<{ pairs: string }>('select count() as pairs from market_pairs')
    console.log(
      `market: ${size.toExponential(0)} payments, ${pairs?.pairs} pairs, ${release.sellers.length} sellers: rebuilt in ${seconds(performance.now() - startedAt)}, engine at most ${peakMb()} MB (${loadedMb} MB before); ${took.join(', ')}`,
    )
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function market(): Promise<void> {
  const sizes = process.env.MARKET_PAYMENTS ?? '1000000,10000000,100000000'
  for (const size of sizes.split(',').map(Number)) await rebuildOf(size)
  const samples = process.env.RECORDED_SAMPLES
  if (!samples) return console.log('market: RECORDED_SAMPLES is unset, so no task is judged')
  const recorded = recordedMarket(samples)
  for (const [set, tasks] of Map.groupBy(judgedTasks(), ({ set }) => set ?? 'older')) {
    const { ndcg, empty, known, guessed, unknown } = judge(tasks, recorded)
    console.log(
      `market, ${set}: nDCG@5 ${ndcg.toFixed(3)} over ${known} judged tasks, ${empty} without an answer; ${guessed} of ${unknown} tasks that nobody sells were answered`,
    )
  }
}
