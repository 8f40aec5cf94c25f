/** The instructions of deploy/README.md for rows of older versions. */
import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { canaryPurchases } from '../../schemas/canary-purchases.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { settlements } from '../../schemas/settlements.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { settlement } from './settlement.ts'

it('the hashes of older versions are blanked, and nothing else', async () => {
  const rows = settlements as unknown as Dataset
  const store = await openStore(`embedded:${scratchFolder()}/store`)
  onTestFinished(() => store.close())
  await store.apply([canaryPurchases as unknown as Dataset, rows])
  const events = ['2026-11-20T10:00:00.000Z', '2026-12-02T10:00:00.000Z'].map((at, i) =>
    settlement(`spend-${i}`, { at, state: 'settled' }),
  )
  await store.insert(
    rows,
    events.map((event, i) => ({ event, version: BigInt(i + 1) })),
  )
  const readme = readFileSync(new URL('../../deploy/README.md', import.meta.url), 'utf8')
  const [, sql = ''] = /```sql\n(alter table settlements update .+)\n```/.exec(readme) ?? []
  await store.query(sql)
  const blank = '0'.repeat(64)
  await until(async () => {
    const [row] = await store.query<{ question_sha256: string }>(
      'select * from settlements order by at limit 1',
    )
    return row?.question_sha256 === blank
  }, 'the older row to be blank')
  expect(await store.query('select question_sha256, answer_sha256 from settlements order by at')).toEqual(
    events.map(({ question_sha256, answer_sha256 }, i) => ({
      question_sha256: i ? question_sha256 : blank,
      answer_sha256: i ? answer_sha256 : blank,
    })),
  )
})
