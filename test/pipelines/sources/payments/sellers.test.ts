import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { walletsBetween } from '../../../../pipelines/sources/payments/rows.ts'
import {
  beforeAll as beforeAllSnapshots,
  followSellers,
} from '../../../../pipelines/sources/payments/sellers.ts'
import { marketResources } from '../../../../schemas/market-resources.ts'
import { marketSnapshots } from '../../../../schemas/market-snapshots.ts'
import { scratchFolder } from '../../../scratch.ts'

const base = 'eip155:8453'
const always = '1970-01-01T00:00:00.001Z'
const [week1, week2, later] = [
  '2026-09-07T00:11:00.000Z',
  '2026-09-14T00:11:00.000Z',
  '2026-11-16T00:11:00.000Z',
]

async function open(): Promise<Log> {
  const topics = [marketResources.topic, marketSnapshots.topic]
  const log = await openLog(`sqlite:${join(scratchFolder(), 'log.db')}`, { topics })
  onTestFinished(() => log.close())
  return log
}

async function follow(log: Log, own: { network: string; address: string }[] = []) {
  const sellers = await followSellers(log, () => own)
  onTestFinished(() => sellers.close())
  return sellers
}

/** The part of the catalog source's log that these tests need. */
async function list(log: Log, snapshot: string, wallets: string[], whole = true): Promise<void> {
  const rows = wallets.map(pay_to => ({ snapshot, accepts: [{ network: base, pay_to }] }))
  await log.append(
    marketResources.topic,
    rows.map((row, i) => ({ key: `cdp|${i}`, value: JSON.stringify(row) })),
  )
  if (whole) await log.append(marketSnapshots.topic, [{ key: 'cdp', value: JSON.stringify({ snapshot }) }])
}

test('a wallet has the snapshot that named it first', async () => {
  const log = await open()
  await list(log, week1, ['0xa', '0xb'])
  const sellers = await follow(log)
  await list(log, week2, ['0xb', '0xc'])
  const named = await sellers.named(base)
  expect(named.until).toBe(week2)
  expect([...named.wallets].sort()).toEqual([
    ['0xa', week1],
    ['0xb', week1],
    ['0xc', week2],
  ])
  expect(walletsBetween(named, beforeAllSnapshots, week1)).toEqual(['0xa', '0xb'])
  expect(walletsBetween(named, week1, week2)).toEqual(['0xc'])
  expect((await sellers.named('solana:other')).wallets.size).toBe(0)
})

test('an unfinished pass names nobody yet', async () => {
  const log = await open()
  await list(log, week1, ['0xa'])
  await list(log, week2, ['0xa', '0xnew'], false)
  const sellers = await follow(log)
  expect([...(await sellers.named(base)).wallets.keys()]).toEqual(['0xa'])
  await list(log, week2, [])
  expect([...(await sellers.named(base)).wallets.keys()]).toEqual(['0xa', '0xnew'])
})

test('a wallet that has left the catalog is searched for eight more weeks', async () => {
  const log = await open()
  await list(log, week1, ['0xgone'])
  await list(log, week2, ['0xa'])
  const sellers = await follow(log)
  expect((await sellers.named(base)).wallets.has('0xgone')).toBe(true)
  await list(log, later, ['0xa'])
  expect([...(await sellers.named(base)).wallets.keys()]).toEqual(['0xa'])
})

test('own wallets are searched for from the start, without any catalog', async () => {
  const own = [{ network: base, address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }]
  const sellers = await follow(await open(), own)
  const named = await sellers.named(base)
  expect(named).toEqual({
    until: always,
    wallets: new Map([['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', always]]),
  })
  expect(walletsBetween(named, beforeAllSnapshots, always)).toHaveLength(1)
})
