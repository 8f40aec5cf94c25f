/**
 * Purchases on real chains. Facilitators, nodes, log, store, seller and customer fail as a seed decides. FAULT_RUNS is the number of
 * purchases, FAULT_SEED the first seed, FAULT_PATHS the paths to go, by name, separated by commas.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { backUpLog, restoreLog } from '../../pipelines/rails/log/backup.ts'
import { leaveOrder } from '../../pipelines/workers/refunds/orders.ts'
import { until } from '../until.ts'
import { audit, type Row } from './audit.ts'
import { booksCheck } from './books-check.ts'
import { type Customer, comeBack, customer, shopping } from './customer.ts'
import { type Path, paths } from './paths.ts'
import { plansOf } from './plan.ts'
import { sellerTopics } from './seller-options.ts'
import { openShop, type Shop } from './shop.ts'
import { kills, table } from './table.ts'
import { openWorld, type World } from './world.ts'

const { FAULT_RUNS, FAULT_SEED = '1', FAULT_PATHS } = process.env
const mostInWorld = 100
const atOnce = 16
/** The short form goes the first path, and the last, which has all that the others have. */
const shortRuns: Record<string, number> = { 'one facilitator': 24, 'all of it': 12 }
const chosen = paths.filter(
  ({ name }) => FAULT_PATHS?.split(',').includes(name) ?? (FAULT_RUNS || shortRuns[name]),
)

/** The long form goes the first path most. */
function runsOf({ name }: Path): number {
  if (!FAULT_RUNS) return shortRuns[name] ?? 30
  return name === paths[0]?.name || FAULT_PATHS ? Number(FAULT_RUNS) : Math.ceil(Number(FAULT_RUNS) / 5)
}

/** One for each world. */
const worldsOf = (path: Path) => {
  const runs = runsOf(path)
  const count = Math.ceil(runs / mostInWorld)
  return Array.from({ length: count }, (_, i) => ({
    seed: Number(FAULT_SEED) + i,
    runs: Math.min(mostInWorld, runs),
  }))
}
/** By then every authorization has expired, on both chains. */
const laterMs = 200_000

async function live(path: Path, { seed, runs }: { seed: number; runs: number }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-faults-'))
  const world = await openWorld(path, seed)
  let shop: Shop | undefined
  try {
    const plans = plansOf(seed, runs, path)
    const { selling } = world
    shop = await openShop({ folder, ...selling, aheadMs: 0, plans })
    world.kill = shop.kill
    const customers: Customer[] = []
    const waiting = [...plans]
    const counter = async (): Promise<void> => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
        const next = await customer(world, shop as Shop, plan)
        customers.push(next)
        await shopping(next, shop as Shop)
        orderRefund(next, folder)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, counter))
    await shop.close()
    const { killed, said } = shop
    expect(said.filter(line => !line.startsWith('survived'))).toEqual([])

    await wreckAndRestore(folder)
    world.mend()
    await world.turn(laterMs)
    shop = await openShop({ folder, ...selling, aheadMs: laterMs, plans: [] })
    await until(async () => (await told(shop as Shop, '/unresolved')) === 0, 'the ends', 60_000)
    for (const one of customers.filter(({ isWaiting }) => isWaiting)) await comeBack(one, shop)
    await refundsPaid(customers, folder, shop)
    const found = await audit(world, shop, folder, customers)
    // The short form looks at the path that has all that the others have.
    if (FAULT_RUNS || path === paths.at(-1)) await checkBooks(world, folder, found)
    return found.map(row => ({ ...row, killed: killed.get(row.customer.plan.id) }))
  } finally {
    await shop?.close()
    await world.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function checkBooks(
  world: World,
  folder: string,
  found: readonly Omit<Row, 'killed'>[],
): Promise<void> {
  const moved = found.reduce((sum, row) => sum + row.moved, 0)
  const { wrong, received } = await booksCheck(world, folder, Date.now() + laterMs)
  expect({ wrong, count: received.count }).toEqual({ wrong: [], count: moved })
}

const told = async ({ url }: Shop, page: string): Promise<number> =>
  Number(await (await fetch(url + page)).text())

/** An operator orders it twice. */
function orderRefund(customer: Customer, folder: string): void {
  const requestId = customer.heard.find(({ requestId }) => requestId !== undefined)?.requestId
  if (!customer.plan.isRefunded || requestId === undefined) return
  customer.ordered = requestId
  for (const reason of ['late', null]) leaveOrder(`${folder}/log.db`, { requestId, reason })
}

/** An order that was lost with the disk is given again. */
async function refundsPaid(customers: readonly Customer[], folder: string, shop: Shop): Promise<void> {
  const owed = customers.filter(({ ordered }) => ordered !== undefined)
  for (const customer of owed) orderRefund(customer, folder)
  await until(async () => (await told(shop, '/paid-back')) === owed.length, 'the refunds', 120_000)
}

/** Loses the disk, and restores a backup from a moment before. */
async function wreckAndRestore(folder: string): Promise<void> {
  const kept = mkdtempSync(join(tmpdir(), 'farebox-kept-'))
  const url = `sqlite:${folder}/log.db`
  await backUpLog(url, sellerTopics, kept, () => {})
  rmSync(folder, { recursive: true })
  await restoreLog(url, sellerTopics, kept, () => {})
  rmSync(kept, { recursive: true })
}

describe.each(chosen)('whatever fails: $name', path => {
  const rows: Row[] = []
  afterAll(() => {
    process.stdout.write(`\n${path.name}\n\n${table(rows)}\n\nKilled at: ${kills(rows)}\n`)
  })

  it.each(worldsOf(path))('money moved, settlements and answers agree (seed $seed)', async world => {
    const found = await live(path, world)
    rows.push(...found)
    const wrong = found
      .filter(row => row.wrong.length > 0)
      .map(({ wrong, customer: { plan, heard } }) => ({ plan, wrong, heard }))
    expect(wrong).toEqual([])
  })
})
