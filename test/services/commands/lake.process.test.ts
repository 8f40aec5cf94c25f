/** A lake in a bucket: killed while it is written, gone on with, and read by the tools of analysts. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readManifest } from '../../../pipelines/rails/lake/lake.ts'
import { type LakePlace, lakePlace } from '../../../pipelines/rails/lake/place.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../pipelines/rails/store/store.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { fxRates } from '../../../schemas/fx-rates.ts'
import { datasets } from '../../../schemas/index.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { instant } from '../../../schemas/values/values.ts'
import { startS3 } from '../../contracts/s3-server.ts'
import { settlement } from '../../schemas/settlement.ts'
import { until } from '../../until.ts'

/** It starts a server, an engine and Spark. */
const s3 = process.env.LONG_FORM ? await startS3() : { skipped: 'LONG_FORM is unset' }
const python = process.env.PYTHON ?? 'python3'
const hasAll = (modules: string) => spawnSync(python, ['-c', `import ${modules}`]).status === 0
const startMs = Date.parse('2026-09-01T00:00:00.000Z')
const dayMs = 86_400_000
const days = 24
const salesADay = 50

/** Every file of the lake is opened by each tool. Prints the rows of each name, and the sum of the sales. */
const reading = {
  pyarrow: `
import pyarrow.compute as pc, pyarrow.dataset as ds
rows, sold = {}, None
for name in names:
    table = ds.dataset(f'{at}/{name}', format='parquet', partitioning='hive', filesystem=bucket).to_table()
    rows[name] = table.num_rows
    if name == 'receipts': sold = str(pc.sum(table.column('price_usdc')).as_py())`,
  DuckDB: `
import duckdb, pyarrow.dataset as ds
rows, sold = {}, None
for name in names:
    lake = duckdb.sql(f"select * from read_parquet('{folder}/{name}/*/*.parquet', hive_partitioning = true)")
    rows[name] = lake.aggregate('count(*)').fetchall()[0][0]
    if name == 'receipts': sold = str(lake.aggregate('sum(price_usdc)').fetchall()[0][0])`,
  pandas: `
import pandas
rows, sold = {}, None
for name in names:
    frame = pandas.read_parquet(f'{at}/{name}', filesystem=bucket)
    rows[name] = len(frame)
    if name == 'receipts': sold = str(frame['price_usdc'].sum())`,
  Spark: `
from pyspark.sql import SparkSession, functions
spark = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').config('spark.sql.session.timeZone', 'UTC').getOrCreate()
rows, sold = {}, None
for name in names:
    frame = spark.read.parquet(f'{folder}/{name}')
    rows[name] = frame.count()
    if name == 'receipts': sold = str(frame.agg(functions.sum('price_usdc')).collect()[0][0])
spark.stop()`,
}
const modules: Record<keyof typeof reading, string> = {
  ...{ pyarrow: 'pyarrow', DuckDB: 'duckdb, pyarrow', pandas: 'pandas, pyarrow', Spark: 'pyspark, pyarrow' },
}

/** The bucket as pyarrow reads it, and a folder with a copy of it: neither DuckDB nor Spark brings a reader of buckets. */
const program = (tool: keyof typeof reading) => `
import json, sys
from pyarrow import fs
host, key, secret, at, folder, *names = sys.argv[1:]
bucket = fs.S3FileSystem(endpoint_override=host, scheme='http', access_key=key, secret_key=secret, region='us-east-1')
fs.copy_files(at, folder, source_filesystem=bucket, destination_filesystem=fs.LocalFileSystem())
${reading[tool]}
print(json.dumps([rows, sold]))`

describe.skipIf('skipped' in s3)(`a lake in a bucket${'skipped' in s3 ? `: ${s3.skipped}` : ''}`, () => {
  if ('skipped' in s3) return
  const folder = mkdtempSync(join(tmpdir(), 'farebox-lake-'))
  const { url, stop } = s3
  const at = url.replace('?', '/lake?')
  let store: Store

  beforeAll(async () => {
    store = await openStore(`embedded:${join(folder, 'store')}`)
    await store.apply(datasets)
    const sales = Array.from({ length: days * salesADay }, (_, n) =>
      settlement(`sale-${n}`, { at: instant(startMs + (n * dayMs) / salesADay) }),
    )
    await store.insert(
      settlements as unknown as Dataset,
      sales.map((event, n) => ({ event, version: BigInt(n + 1) })),
    )
    await store.insert(
      fxRates as unknown as Dataset,
      ['2026-09-01', '2026-09-02'].map((day, n) => ({
        event: { day, rates: { USD: '1.1' } },
        version: BigInt(n + 1),
      })),
    )
  })
  afterAll(async () => {
    await store?.close()
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const pouring = (...args: string[]) =>
    spawn(process.execPath, ['services/commands/export.ts', 'lake', '--to', at, ...args], {
      ...{ env: { ...process.env, STORE_URL: `embedded:${join(folder, 'store')}` } },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  async function poured() {
    const child = pouring()
    const [out, told] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { out, told, status: child.exitCode }
  }
  const place = lakePlace(at) as LakePlace
  const partOf = (nth: number) =>
    place.read(`settlements/lake_day=${instant(startMs + nth * dayMs).slice(0, 10)}/part-0.parquet`)

  it('goes on where a killed run was, and has each day once', async () => {
    const child = pouring()
    await until(() => partOf(days / 4), 'a quarter of the days', 120_000)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await partOf(days - 1)).toBeUndefined()
    const whole = await poured()
    expect(whole).toMatchObject({ told: '', status: 0 })
    expect(whole.out).toMatch(/^settlements: [\d,]+ rows of \d+ days$/m)
    expect(Object.keys((await readManifest(place, 'settlements'))?.days ?? {})).toHaveLength(days)
    expect((await poured()).out).toBe('the lake is as the store is\n')
  }, 600_000)

  it.for(Object.keys(reading) as (keyof typeof reading)[])(
    'is read by %s, with the counts and sums of the store',
    { timeout: 600_000 },
    async (tool, { skip }) => {
      if (!hasAll(modules[tool])) return skip(`PYTHON has not all of ${modules[tool]}`)
      const names = ['settlements', 'receipts', 'receipts_worth', 'payers', 'fx_rates']
      const counted = await Promise.all(
        names.map(async name => {
          const from = name === 'settlements' || name === 'fx_rates' ? `${name} final` : name
          const [row] = await store.query<{ n: string }>(`select toString(count()) as n from ${from}`)
          return [name, Number(row?.n)] as const
        }),
      )
      const [sum] = await store.query<{ usdc: string }>(
        'select toString(toDecimal64(sum(price_usdc), 6)) as usdc from receipts',
      )
      const { host, username, password, pathname } = new URL(url)
      const file = join(folder, 'read.py')
      writeFileSync(file, program(tool))
      const args = [host, username, decodeURIComponent(password), `${pathname.slice(1)}/lake`]
      const copy = mkdtempSync(join(folder, 'copy-'))
      const { status, stdout, stderr } = spawnSync(python, [file, ...args, copy, ...names], {
        encoding: 'utf8',
      })
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
      const [rows, sold] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
      expect(rows).toEqual(Object.fromEntries(counted))
      expect([Number(sold), rows.settlements]).toEqual([Number(sum?.usdc), days * salesADay])
    },
  )
})
