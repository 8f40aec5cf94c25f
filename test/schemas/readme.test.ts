import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStore } from '../../pipelines/store/open.ts'
import type { Store } from '../../pipelines/store/store.ts'
import { datasets } from '../../schemas/index.ts'

const page = readFileSync(new URL('../../schemas/README.md', import.meta.url), 'utf8')
const questions = [...page.matchAll(/^\*\*(.+)\*\*\n\n```sql\n([\s\S]*?)```/gm)].map(
  ([, title, sql]) => [title, sql] as [string, string],
)
const folder = mkdtempSync(join(tmpdir(), 'farebox-readme-'))
let store: Store
let analyst: ReturnType<typeof createClient>

beforeAll(async () => {
  store = await openStore(`embedded:${folder}`)
  await store.apply(datasets)
  analyst = createClient({ url: store.address.http, username: 'analyst', database: 'farebox' })
}, 90_000)

afterAll(async () => {
  await analyst.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}, 30_000)

it('asks at least ten questions', () => {
  expect(questions.length).toBeGreaterThanOrEqual(10)
})

it.each(questions)('an analyst may ask: %s', async (_, query) => {
  const answer = await analyst.query({ query, format: 'JSON' })
  expect(await answer.json()).toHaveProperty('meta')
})
