/**
 * The store on a cluster: two real shards, and every statement of the form with copies, as far as the engine works
 * without Keeper.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTable } from '../../../../pipelines/rails/store/apply.ts'
import { backUpStore, restoreStore } from '../../../../pipelines/rails/store/backup.ts'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { wrongSql } from '../../../../pipelines/workers/data-checks.ts'
import { canaryPurchases } from '../../../../schemas/canary-purchases.ts'
import type { Dataset, View } from '../../../../schemas/dataset/dataset.ts'
import { datasets } from '../../../../schemas/index.ts'
import { marketChain, marketOffers, marketPayers, marketViews } from '../../../../schemas/market-views.ts'
import { receipts, settlements } from '../../../../schemas/settlements.ts'
import { type ClickHouseCluster, startClickHouseCluster } from '../../../contracts/clickhouse-cluster.ts'
import { settlement } from '../../../schemas/settlement.ts'
import { scratchFolder } from '../../../scratch.ts'
import { marketDatasets } from '../../domains/market/market-store.ts'
import { planted, putPlants } from '../../domains/market/planted.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-cluster-'))
const sales = settlements as unknown as Dataset
const stored = datasets.filter(({ audience }) => audience !== 'log')
let cluster: ClickHouseCluster
let store: Store
let alone: Store
beforeAll(async () => {
  cluster = await startClickHouseCluster(folder)
  store = await openStore(cluster.url, { cluster: 'farebox' })
  await store.apply(datasets)
  alone = await openStore(`embedded:${join(folder, 'alone')}`)
  await alone.apply([...(marketDatasets as Dataset[]), canaryPurchases as unknown as Dataset, sales])
})
afterAll(async () => {
  await store?.close()
  await alone?.close()
  await cluster?.close()
  rmSync(folder, { recursive: true, force: true })
})

const many = Array.from({ length: 400 }, (_, n) => ({
  event: settlement(`sale ${n}`, { request_id: `request-${n}`, payment_tx: `0x${n + 100}` }),
  version: BigInt(n + 1),
}))
const countIn = async (at: Store, sql: string) => Number((await at.query<{ n: string }>(sql))[0]?.n)
const asUser = (shard: number, username: string) =>
  createClient({
    url: cluster.shards[shard]?.address.http ?? '',
    username,
    password: username === 'farebox' ? (cluster.shards[shard]?.password ?? '') : '',
    database: 'farebox',
    log: { level: ClickHouseLogLevel.OFF },
  })
async function rowsAt(shard: number, username: string, query: string): Promise<unknown[]> {
  const client = asUser(shard, username)
  try {
    return await (await client.query({ query, format: 'JSONCompactEachRow' })).json()
  } finally {
    await client.close()
  }
}

describe('the tables', () => {
  it('exist on every server: one with copies and one over all shards, for each dataset', async () => {
    const made = (what: RegExp) => cluster.told.filter(sql => what.test(sql))
    for (const { name, audience } of stored) {
      const database = audience === 'service' ? 'farebox_private' : 'farebox'
      const [rows] = made(
        new RegExp(`create table if not exists ${database}_local\\.${name} on cluster farebox `),
      )
      expect(rows).toContain(
        `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/${database}_local.${name}', '{replica}', version, is_deleted)`,
      )
      const [all] = made(new RegExp(`create or replace table ${database}\\.${name} on cluster farebox\\n`))
      expect(all).toContain(`engine = Distributed(farebox, ${database}_local, ${name}, cityHash64(`)
    }
    for (const { name } of marketViews)
      expect(
        made(new RegExp(`ReplicatedMergeTree\\('/clickhouse/tables/all/farebox\\.${name}_next\\.`)),
      ).not.toEqual([])
  })

  it('come from statements that the engine can read', async () => {
    const client = asUser(0, 'farebox')
    const read = async (sql: string) => {
      const { stream } = await client.exec({ query: `explain ast ${sql}` })
      return text(stream)
    }
    for (const sql of cluster.told) expect(await read(sql), sql).not.toBe('')
    await expect(read('create table x on cluster')).rejects.toThrow(/Syntax error/)
    await client.close()
  })

  it('of a server that joins later get the same place in Keeper as their copies', async () => {
    const run: string[] = []
    const engine = `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/farebox_local.settlements_replay.7', '{replica}', version, is_deleted) ORDER BY x`
    const session = {
      run: async (sql: string) => void run.push(sql),
      query: async () => [{ engine }] as never[],
    }
    await createTable(sales, { analysts: 'farebox', service: 'farebox_private', cluster: 'farebox' }, session)
    expect(run).toEqual([
      expect.stringContaining("'/clickhouse/tables/{shard}/farebox_local.settlements_replay.7'"),
    ])
  })

  it('of one server are not mistaken for those of a cluster', async () => {
    const strays = { ...sales, name: 'seller_of_one_server', views: [] }
    await store.query(`create table farebox.${strays.name} (id String) engine = MergeTree order by id`)
    await expect(store.apply([strays])).rejects.toThrow(
      'farebox.seller_of_one_server is of one server, and STORE_CLUSTER is set',
    )
  })
})

describe('the rows', () => {
  it('are spread over the shards, and counted once by every server however often they come', async () => {
    const before = await store.loads()
    await store.insert(sales, many)
    await store.insert(sales, many.slice(100, 200))
    const own = await Promise.all(
      [0, 1].map(shard => rowsAt(shard, 'farebox', 'select count() from farebox_local.settlements final')),
    )
    const counts = own.map(([row]) => Number((row as [string])[0]))
    expect(counts.every(count => count > 100)).toBe(true)
    expect(counts.reduce((sum, count) => sum + count)).toBe(many.length)
    for (const shard of [0, 1])
      expect(await rowsAt(shard, 'analyst', 'select count(), sum(price_usdc) from receipts')).toEqual([
        [many.length, 0.8],
      ])
    expect((await store.loads()).get('settlements')).not.toBe(before.get('settlements'))
    expect((await store.loads()).get('fx_rates')).toBe(before.get('fx_rates'))
  })

  it('are all there for an analyst, on whatever server', async () => {
    for (const statement of [
      'select * from farebox_private.geocodes',
      'select * from farebox_private_local.geocodes',
      "select * from cluster('farebox', farebox_private_local.geocodes)",
      "select * from remote('127.0.0.1', farebox_private.geocodes)",
      'insert into settlements select * from settlements',
    ])
      await expect(rowsAt(1, 'analyst', statement), statement).rejects.toThrow(
        /privileges|Cannot execute query in readonly|readonly mode/,
      )
  })

  it('join each other, and a rebuilt view, on all shards', async () => {
    const pairs = 'select count() from settlements as one join settlements as other using (spend_id)'
    expect(await rowsAt(1, 'analyst', pairs)).toEqual([[many.length]])
    const found = `select count() from settlements where (spend_id, state) in (select spend_id, 'settled' from receipts)`
    expect(await rowsAt(1, 'analyst', found)).toEqual([[many.length]])
  })

  it('are copied to a second table and exchanged as on one server', async () => {
    const beside = await store.beside(sales)
    await beside.copyStanding()
    await beside.insert([{ event: settlement('one more'), version: 1000n }])
    expect(await beside.count()).toEqual({ standing: 400, beside: 401 })
    await beside.takeOver()
    await beside.drop()
    expect(await store.read(receipts)).toHaveLength(401)
    const left = `select count() as n from clusterAllReplicas(farebox, system.tables) where name like '%replay%'`
    expect(await countIn(store, left)).toBe(0)
    await store.apply([canaryPurchases as unknown as Dataset, sales])
  })

  it('move to one server by backup and restore, and back', async () => {
    const kept = scratchFolder()
    await backUpStore(store, [sales], kept, () => {})
    await restoreStore(alone, [sales], kept, () => {})
    const all = 'select count() as n from settlements'
    expect(await countIn(alone, all)).toBe(401)
    await store.query('truncate table farebox_local.settlements')
    expect(await countIn(store, all)).toBeLessThan(401)
    await restoreStore(store, [sales], kept, () => {})
    expect(await countIn(store, all)).toBe(401)
  })

  it('are checked by every check, including those that ask the shards twice', async () => {
    const failing = async () => {
      const found: [check: string, wrong: number][] = []
      for (const { name, checks } of stored)
        for (const check of checks)
          for (const pass of [undefined, { through: '0' }])
            found.push([
              `${name}.${check.name}`,
              await countIn(store, `select count() as n from (${wrongSql(check, pass)})`),
            ])
      return found.filter(([, wrong]) => wrong !== 0)
    }
    // No event has shown yet that these sales were begun.
    const twice = ['settlements.intents', 401]
    expect(await failing()).toEqual([twice, twice])
    const begun = [...many.map(({ event }) => event), settlement('one more')].map((event, n) => ({
      event: { ...event, state: 'intended', payment_tx: null },
      version: BigInt(2000 + n),
    }))
    await store.insert(sales, begun)
    expect(await failing()).toEqual([])
  })
})

it.skipIf(!process.env.LONG_FORM)('the market of a cluster is that of one server', async () => {
  const plants = planted(1)
  for (const at of [store, alone]) {
    await putPlants(at, plants)
    for (const view of marketViews) await at.rebuild(view)
  }
  for (const view of [marketOffers, marketPayers, marketChain] as View[]) {
    const order = `order by ${view.key.join(', ')}`
    const [one, other] = await Promise.all([store.read(view, order), alone.read(view, order)])
    expect(one.length).toBeGreaterThan(5)
    expect(one).toEqual(other)
  }
})
