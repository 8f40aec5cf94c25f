import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { leaveOrder } from '../../pipelines/workers/refunds/orders.ts'
import { origins } from '../../services/origins/index.ts'
import { startSandbox } from '../../services/sandbox/sandbox.ts'
import { payingClient } from '../../services/sandbox/wallet.ts'
import { until } from '../until.ts'

const page = readFileSync(new URL('../../schemas/README.md', import.meta.url), 'utf8')
const shown = /^\*\*(.+)\*\*\n\n```sql\n([\s\S]*?)```\n```\n *┌─(.*)┐\n(?:.*│\n)+ *└.*┘\n```\n/gm
const questions = [...page.matchAll(shown)].map(([, title = '', sql = '', head = '']) => ({
  title,
  sql,
  columns: head.split('┬').map(name => name.replaceAll('─', '')),
}))
const folder = mkdtempSync(join(tmpdir(), 'farebox-readme-'))
let sandbox: Awaited<ReturnType<typeof startSandbox>>
let analyst: ReturnType<typeof createClient>

interface Answer {
  receipt: { request_id: string }
}
const payBack = (requestId: string) =>
  leaveOrder(sandbox.logUrl.replace('sqlite:', ''), { requestId, reason: null })

// The page describes this state: a sandbox on its samples, after one call of each operation.
beforeAll(async () => {
  const free = { PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0' }
  // It asks again and again until the market is built.
  const env = { DATA_DIR: folder, LOG_LEVEL: 'silent', RATE_LIMIT: '1000000', ...free }
  sandbox = await startSandbox(env, { live: async () => false })
  const [chain] = sandbox.chains
  if (!chain) throw new Error('the sandbox has no chain')
  const pay = wrapFetchWithPayment(fetch, await payingClient(chain))
  for (const { path, example } of origins.flatMap(origin => origin.operations)) {
    const buy = () =>
      pay(`${sandbox.service.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(example.request),
      })
    await until(async () => (await buy()).status < 500, `an answer of ${path}`)
    if (path === '/fx') payBack(((await (await buy()).json()) as Answer).receipt.request_id)
  }
  analyst = createClient({ url: sandbox.service.store?.http ?? '', username: 'analyst', database: 'farebox' })
})

afterAll(async () => {
  await analyst?.close()
  await sandbox?.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

it('every statement of the page has a question and an answer', () => {
  expect(questions.map(({ sql }) => sql)).toEqual(
    [...page.matchAll(/^```sql\n([\s\S]*?)```/gm)].map(([, sql]) => sql),
  )
})

it.each(questions)('an analyst gets an answer: $title', async ({ title, sql, columns }) => {
  const ask = async () => (await analyst.query({ query: sql, format: 'JSON' })).json()
  // The service reads the chains at intervals, up to a minute after a sale.
  // Sums are made anew every ten minutes.
  if (!/chain_pay|payer_cohorts|from payers|bought_together/.test(sql))
    await until(async () => (await ask()).data.length > 0, `rows for: ${title}`)
  expect((await ask()).meta?.map(({ name }) => name)).toEqual(columns)
})
