import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { analysing } from '../../deploy/grafana/boards/index.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { datasets } from '../../schemas/index.ts'
import { deployed } from './queries.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-boards-'))
let store: Store
beforeAll(async () => {
  store = await openStore(`embedded:${join(folder, 'store')}`)
  await store.apply(datasets.filter(({ audience }) => audience !== 'log'))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const { datasources } = parse(deployed('grafana/provisioning/datasources/clickhouse.yaml')) as {
  datasources: { uid: string; jsonData: { username: string } }[]
}

/** In the form of Grafana's data source. */
const asAsked = (sql: string) =>
  sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, '$1 >= toDateTime(1760000000) and $1 <= toDateTime(1790000000)')
    .replaceAll(/\$__dateFilter\((\w+)\)/g, "$1 >= toDate('2025-10-09') and $1 <= toDate('2026-09-21')")

const queries = analysing.flatMap(({ title, glance, panels }) =>
  [...glance, ...panels].flatMap(panel =>
    Object.values(panel.ask).map(sql => ({ where: `${title}, ${panel.title}`, sql: asAsked(sql) })),
  ),
)

it.each(queries)('$where: the user of the data source gets an answer', async ({ sql }) => {
  const user = datasources[0]?.jsonData.username as string
  expect(user).toBe('analyst')
  const answer = await fetch(`${store.address.http}/?${new URLSearchParams({ user, database: 'farebox' })}`, {
    method: 'POST',
    body: `${sql} format JSON`,
  })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  expect(JSON.parse(text).meta.length).toBeGreaterThan(0)
})
