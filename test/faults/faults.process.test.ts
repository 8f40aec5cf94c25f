/**
 * Purchases on real chains. Facilitator, log, store, seller and customer fail as a seed decides. FAULT_RUNS is the number of
 * purchases, FAULT_SEED the first seed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { backUpLog, restoreLog } from '../../pipelines/rails/log/backup.ts'
import { topics } from '../services/till/till-options.ts'
import { until } from '../until.ts'
import { audit, type Row } from './audit.ts'
import { type Customer, customer, shopping } from './customer.ts'
import { type Plan, plansOf } from './plan.ts'
import { openShop, type Shop } from './shop.ts'
import { kills, table } from './table.ts'
import { openWorld } from './world.ts'

const runs = Number(process.env.FAULT_RUNS ?? 30)
const perWorld = Math.min(100, runs)
const atOnce = 16
const firstSeed = Number(process.env.FAULT_SEED ?? 1)
const seeds = Array.from({ length: Math.ceil(runs / perWorld) }, (_, i) => firstSeed + i)
/** By then every authorization has expired, on both chains. */
const laterMs = 200_000

const rows: Row[] = []

async function live(seed: number): Promise<Row[]> {
  const world = await openWorld()
  const folder = mkdtempSync(join(tmpdir(), 'farebox-faults-'))
  let shop: Shop | undefined
  try {
    const plans = plansOf(seed, perWorld)
    const { config } = world
    shop = await openShop({ folder, config, aheadMs: 0, plans })
    const quotes = await quotesOf(shop.url)
    const customers: Customer[] = []
    const waiting = [...plans]
    const counter = async (): Promise<void> => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
        const next = await customer(world, quotes[plan.network], plan)
        customers.push(next)
        await shopping(next, shop as Shop)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, counter))
    await shop.close()
    const { killed, said } = shop
    expect(said.filter(line => !line.startsWith('survived'))).toEqual([])

    await wreckAndRestore(folder)
    world.wire.troubles.clear()
    await world.turn(laterMs)
    shop = await openShop({ folder, config, aheadMs: laterMs, plans: [] })
    await until(
      async () => (await fetch(`${shop?.url}/unresolved`).then(r => r.text())) === '0',
      'the ends',
      60_000,
    )
    const found = await audit(world, shop, folder, customers)
    return found.map(row => ({ ...row, killed: killed.get(row.customer.plan.id) }))
  } finally {
    await shop?.close()
    await world.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Loses the disk, and restores a backup from a moment before. */
async function wreckAndRestore(folder: string): Promise<void> {
  const kept = mkdtempSync(join(tmpdir(), 'farebox-kept-'))
  const url = `sqlite:${folder}/log.db`
  await backUpLog(url, topics, kept, () => {})
  rmSync(folder, { recursive: true })
  await restoreLog(url, topics, kept, () => {})
  rmSync(kept, { recursive: true })
}

async function quotesOf(url: string): Promise<Record<Plan['network'], object>> {
  const quote = JSON.parse(
    Buffer.from(
      (await fetch(`${url}/draw`, { method: 'POST' })).headers.get('payment-required') ?? '',
      'base64',
    ).toString(),
  )
  const on = (prefix: string) => ({
    ...quote,
    accepts: quote.accepts.filter(({ network }: { network: string }) => network.startsWith(prefix)),
  })
  return { base: on('eip155:'), solana: on('solana:') }
}

describe('whatever fails', () => {
  afterAll(() => {
    process.stdout.write(`\n${table(rows)}\n\nKilled at: ${kills(rows)}\n`)
  })

  it.each(seeds)('money moved, settlements and answers agree (seed %i)', async seed => {
    const found = await live(seed)
    rows.push(...found)
    const wrong = found
      .filter(row => row.wrong.length > 0)
      .map(({ wrong, customer: { plan, heard } }) => ({ plan, wrong, heard }))
    expect(wrong).toEqual([])
  })
})
