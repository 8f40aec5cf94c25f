import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStore } from '../../pipelines/store/open.ts'
import type { Store } from '../../pipelines/store/store.ts'
import type { Dataset } from '../../schemas/dataset.ts'
import { settlements } from '../../schemas/settlements.ts'
import { settlement } from '../schemas/settlement.ts'
import { scratchFolder } from '../scratch.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-export-'))
let store: Store
beforeAll(async () => {
  store = await openStore(`embedded:${join(folder, 'store')}`)
  const dataset = settlements as unknown as Dataset
  await store.apply([dataset])
  await store.insert(dataset, [
    { event: settlement('a', { at: '2026-11-20T10:00:00.000Z' }), version: 1n },
    { event: settlement('b', { state: 'failed' }), version: 2n },
  ])
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(...args: string[]) {
  const child = spawn(process.execPath, ['services/export.ts', ...args], {
    env: { PATH: process.env.PATH, STORE_PORT: new URL(store.address.http).port },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, told] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, told, status: child.exitCode }
}

it('writes the rows of a view with their names', async () => {
  const { out, told, status } = await run('receipts', '--format', 'csv')
  expect({ told, status }).toEqual({ told: '', status: 0 })
  const [names, row, ...more] = out.trim().split('\n')
  expect(names).toContain('"request_id","origin","tool"')
  expect(row).toContain('"exchangeRate","base",0.002')
  expect(more).toEqual([])
})

it.each([
  ['parquet', 'PAR1'],
  ['arrow', 'ARROW1'],
])('writes a file of %s', async (format, magic) => {
  const file = join(scratchFolder(), 'receipts')
  expect(await run('receipts', '--format', format, '--to', file)).toMatchObject({ told: '', status: 0 })
  expect(readFileSync(file).subarray(0, magic.length).toString()).toBe(magic)
})

it.each([
  [['nothing'], /^there is no view nothing; there are .*receipts/],
  [['receipts', '--format', 'xml'], /^--format is xml; it should be parquet, csv, arrow/],
  [[], /^npm run export/],
])('refuses %j, and says what it takes', async (args, told) => {
  expect(await run(...args)).toMatchObject({ out: '', status: 2, told: expect.stringMatching(told) })
})
