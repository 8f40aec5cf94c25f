import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LakeManifest, pourBack } from '../../../pipelines/rails/lake/lake.ts'
import { type LakePlace, lakePlace } from '../../../pipelines/rails/lake/place.ts'
import { openLog, readAlong } from '../../../pipelines/rails/log/open-log.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../pipelines/rails/store/store.ts'
import { DataChecking, wrongSql } from '../../../pipelines/workers/data-checks.ts'
import { canaryPurchases } from '../../../schemas/canary-purchases.ts'
import { type DataCheck, dataChecks } from '../../../schemas/data-checks.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { offsetBits } from '../../../schemas/dataset/version.ts'
import { fxRates } from '../../../schemas/fx-rates.ts'
import { datasets } from '../../../schemas/index.ts'
import { type SettlementEvent, settlements } from '../../../schemas/settlements.ts'
import { instant } from '../../../schemas/values/values.ts'
import { settlement } from '../../schemas/settlement.ts'
import { scratchFolder } from '../../scratch.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-export-'))
let store: Store
beforeAll(async () => {
  store = await openStore(`embedded:${join(folder, 'store')}`)
  const dataset = settlements as unknown as Dataset
  await store.apply(datasets)
  await store.insert(dataset, [
    { event: settlement('a', { at: '2026-11-20T10:00:00.000Z' }), version: 1n },
    { event: settlement('b', { state: 'failed' }), version: 2n },
  ])
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...args: string[]) =>
  runWith({ STORE_PORT: new URL(store.address.http).port }, 'services/commands/export.ts', ...args)

const runWith = (env: Record<string, string>, ...args: string[]) => runOn('', env, ...args)

async function runOn(input: string, env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(input)
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
])('refuses %j, and says what it accepts', async (args, told) => {
  expect(await run(...args)).toMatchObject({ out: '', status: 2, told: expect.stringMatching(told) })
})

it('asks the running store, statement by statement, and goes on after a mistake', async () => {
  const env = { STORE_PORT: new URL(store.address.http).port }
  const typed =
    'select count()\nfrom receipts;\nselect nothing;\nselect currentUser() as me\n\nexit\nselect 5\n'
  const { out, status } = await runOn(typed, env, 'services/commands/prompt.ts')
  expect(status).toBe(0)
  expect(out).toMatch(/count\(\).*1.*the store refused: .*nothing.*analyst/s)
  expect(await runWith(env, 'services/commands/prompt.ts', 'select 6 * 7 as answer format CSV')).toEqual({
    out: '42\n',
    told: '',
    status: 0,
  })
})

it('every table, view and column has its comment in the engine', async () => {
  const bare = await store.query(
    `select database, name, '' as column from system.tables where database like 'farebox%' and comment = ''
     union all
     select database, table, name from system.columns where database like 'farebox%' and comment = ''`,
  )
  expect(bare).toEqual([])
  const [all] = await store.query<{ n: string }>(
    `select count() as n from system.tables where database = 'farebox'`,
  )
  expect(Number(all?.n)).toBeGreaterThan(40)
})

it('checks every dataset after a load, and reports the results', async () => {
  const told: DataCheck[] = []
  const log = {
    append: async (_: unknown, entries: readonly { value: string | null }[]) =>
      void told.push(...entries.map(({ value }) => JSON.parse(value ?? ''))),
  }
  const now = () => Date.parse('2026-11-22T00:00:00Z')
  const checking = new DataChecking({ store, log, now, onFailed: error => expect.fail(String(error)) })
  const stored = datasets.filter(({ audience, name }) => audience === 'analysts' && name !== 'data_checks')
  for (const { checks } of datasets)
    for (const check of checks)
      for (const pass of [undefined, { through: '9' }])
        await store.query(`select * from (${wrongSql(check, pass)})`)

  const days = fxRates as unknown as Dataset
  const rates = { USD: '1.1', JPY: '180' }
  const day = (on: string) => ({ event: { day: on, rates }, version: 1n })
  await store.insert(days, [day('2026-11-02'), day('2026-11-03')])
  await checking.round(stored)
  const of = (dataset: string) =>
    told.filter(check => check.dataset === dataset).map(({ check, passed }) => [check, passed])
  expect(of('fx_rates')).toEqual([
    ['rows', true],
    ['gaps', true],
    ['range', true],
  ])
  // This store's sales came without an intent.
  expect(told.find(({ check }) => check === 'intents')).toMatchObject({ passed: false, wrong: 2, facts: 2 })

  told.length = 0
  await store.insert(days, [day('2026-11-20')])
  await checking.round(stored)
  // New rows came to the rates. The check of the sales had failed, so it is asked again.
  expect(new Set(told.map(({ dataset }) => dataset))).toEqual(new Set(['fx_rates', 'settlements']))
  expect(told.find(({ check }) => check === 'gaps')).toMatchObject({
    passed: false,
    wrong: 1,
    facts: 3,
    detail: expect.stringContaining('2026-11-20'),
  })
  const failed = (await metrics.dataCheckFailed.get()).values
  expect(failed).toContainEqual({ value: 1, labels: { dataset: 'fx_rates', check: 'gaps' } })
  expect(failed).toContainEqual({ value: 0, labels: { dataset: 'fx_rates', check: 'rows' } })

  // The results of checks come back from their table, so that the next check notices missing facts.
  const checks = dataChecks as unknown as Dataset
  await store.insert(
    checks,
    told.map(event => ({ event, version: 1n })),
  )
  told.length = 0
  await store.insert(days, [{ ...day('2026-11-20'), version: 2n, deleted: true }])
  await checking.round(stored)
  expect(told.find(({ check }) => check === 'rows')).toMatchObject({
    passed: false,
    wrong: 1,
    facts: 2,
    detail: 'there were 3',
  })
})

it('runs every check on its own: one that does not end is told, and the next ones run', async () => {
  const told: DataCheck[] = []
  const problems: string[] = []
  const log = {
    append: async (_: unknown, entries: readonly { value: string | null }[]) =>
      void told.push(...entries.map(({ value }) => JSON.parse(value ?? ''))),
  }
  const days = fxRates as unknown as Dataset
  const broken = {
    ...days,
    checks: [
      { name: 'endless', about: 'ends', wrong: 'select throwIf(number > 1) from numbers(10)' },
      ...days.checks,
    ],
  }
  const checking = new DataChecking({
    ...{ store, log, now: Date.now },
    onFailed: error => problems.push(String(error)),
  })
  await store.insert(days, [{ event: { day: '2026-11-04', rates: { USD: '1.1' } }, version: 9n }])
  await checking.round([broken, settlements as unknown as Dataset])
  const endless = told.find(({ check }) => check === 'endless')
  expect(endless).toMatchObject({ passed: false, wrong: 0, detail: expect.stringMatching(/^did not run: /) })
  expect(told.filter(({ dataset }) => dataset === 'fx_rates').map(({ check }) => check)).toEqual([
    ...['rows', 'endless', 'gaps', 'range'],
  ])
  expect(told.some(({ dataset }) => dataset === 'settlements')).toBe(true)
  expect(problems).toEqual([expect.stringContaining('the check endless did not run')])
  const stopped = (await metrics.dataCheckStopped.get()).values
  expect(stopped).toContainEqual({ value: 1, labels: { dataset: 'fx_rates', check: 'endless' } })
  expect(stopped).toContainEqual({ value: 0, labels: { dataset: 'fx_rates', check: 'gaps' } })
  // It is tried again, though no new rows have come.
  told.length = 0
  await checking.round([{ ...broken, checks: days.checks }])
  expect(told.map(({ dataset }) => dataset)).toContain('fx_rates')
})

it('looks at what has come since it passed, also as another process, and at all rows once a day', async () => {
  const store = await openStore(`embedded:${join(scratchFolder(), 'store')}`)
  onTestFinished(() => store.close())
  const [sales, results] = [settlements, dataChecks] as unknown as [Dataset, Dataset]
  await store.apply([sales, results, canaryPurchases as unknown as Dataset])
  const hour = 3_600_000
  // The table was made before it.
  let time = Date.now() + 240 * hour
  const came = (spend: string, hoursAgo: number, more: Partial<SettlementEvent> = {}) =>
    store.insert(sales, [
      {
        event: settlement(spend, { at: instant(Date.now() - (hoursAgo + 1) * hour), ...more }),
        version: BigInt(time - hoursAgo * hour) << offsetBits,
      },
    ])
  let told: DataCheck[] = []
  const round = async () => {
    told = []
    const log = {
      append: async (_: unknown, entries: readonly { value: string | null }[]) =>
        void told.push(...entries.map(({ value }) => JSON.parse(value ?? ''))),
    }
    // Each is a new process: it knows no more than the table of results.
    const checking = new DataChecking({ store, log, now: () => time, onFailed: e => expect.fail(String(e)) })
    await checking.round([sales])
    time += 60_000
    await store.insert(
      results,
      told.map((event, n) => ({ event, version: BigInt(time + n) })),
    )
    return Object.fromEntries(told.map(({ check, wrong, whole }) => [check, { wrong, whole }]))
  }
  const old = { payment_tx: null }
  await came('begun', 5, { state: 'intended', ...old })
  await came('begun', 5)
  const fine = { wrong: 0, whole: true }
  expect(await round()).toMatchObject({ transactions: fine, intents: fine, rows: fine })
  // An older row, as a part of the log would tell it that lags by hours: not looked at before the day is over.
  await came('late', 7, { state: 'intended', ...old })
  await came('late', 7, old)
  expect(await round()).toMatchObject({ transactions: { wrong: 0, whole: false } })
  // What was begun before the last look, and ended after it, is looked up.
  await came('between', 0, { state: 'intended', ...old })
  await came('between', 0)
  expect(await round()).toMatchObject({ intents: { wrong: 0, whole: false } })
  time += 3 * hour
  await came('begun', 0, { state: 'failed', request_id: 'request-1' })
  await came('never begun', 0, { state: 'failed' })
  await came('now', 0, { state: 'intended', ...old })
  await came('now', 0, old)
  const found = { transactions: { wrong: 1, whole: false }, intents: { wrong: 1, whole: false } }
  expect(await round()).toMatchObject(found)
  // It is found until it is mended.
  expect(await round()).toMatchObject(found)
  await came('now', -1)
  await came('never begun', -1, { state: 'intended', ...old })
  expect(await round()).toMatchObject({ transactions: { wrong: 0, whole: false }, intents: { wrong: 0 } })
  time += 25 * hour
  expect(await round()).toMatchObject({ transactions: { wrong: 1, whole: true }, intents: fine })
})

it('looks at all rows of a table that is newer than the last look, as after a lost store', async () => {
  const store = await openStore(`embedded:${join(scratchFolder(), 'store')}`)
  onTestFinished(() => store.close())
  const [sales, results] = [settlements, dataChecks] as unknown as [Dataset, Dataset]
  await store.apply([sales, results, canaryPurchases as unknown as Dataset])
  // The log brings back the results, and rows with the versions that they had.
  const seen = { dataset: 'settlements', passed: true, wrong: 0, facts: 1, detail: '', whole: true }
  const before = { ...seen, at: instant(Date.now() - 3_600_000), through: String(1n << 62n) }
  const checks = ['rows', 'transactions', 'transfers', 'intents']
  await store.insert(
    results,
    checks.map((check, n) => ({ event: { ...before, check }, version: BigInt(n + 1) })),
  )
  await store.insert(sales, [{ event: settlement('no-transaction', { payment_tx: null }), version: 1n }])
  const told: DataCheck[] = []
  const log = {
    append: async (_: unknown, entries: readonly { value: string | null }[]) =>
      void told.push(...entries.map(({ value }) => JSON.parse(value ?? ''))),
  }
  const checking = new DataChecking({ store, log, now: Date.now, onFailed: e => expect.fail(String(e)) })
  await checking.round([sales])
  expect(told.find(({ check }) => check === 'transactions')).toMatchObject({ wrong: 1, whole: true })
})

describe('a backup', () => {
  const topics = datasets.map(({ topic }) => topic)
  const here = () => ({
    LOG_URL: `sqlite:${join(folder, 'log.db')}`,
    STORE_URL: `embedded:${join(folder, 'store')}`,
    BLOBS_URL: `file:${join(folder, 'answers')}`,
  })
  const elsewhere = (place: string) => ({
    LOG_URL: `sqlite:${join(place, 'log.db')}`,
    STORE_URL: `embedded:${join(place, 'store')}`,
    BLOBS_URL: `file:${join(place, 'answers')}`,
  })
  const sales = (at: Store) => at.query('select spend_id, state, version from settlements order by spend_id')

  it('is taken while others write, and brings log, store and large answers back elsewhere', async () => {
    const kept = join(scratchFolder(), 'kept')
    const log = await openLog(here().LOG_URL, { topics })
    await log.append(settlements.topic, [{ key: 'a', value: '{"first":1}' }])
    mkdirSync(join(folder, 'answers'))
    writeFileSync(join(folder, 'answers', 'picture'), 'a large answer')
    const taken = await runWith(here(), 'services/commands/backup.ts', 'backup', '--to', kept)
    await log.append(settlements.topic, [{ key: 'b', value: '{"after":1}' }])
    await log.close()
    expect(taken).toMatchObject({ told: '', status: 0, out: expect.stringContaining('kept is complete') })

    // The next one takes from it what has not changed, and is whole without it.
    const next = join(scratchFolder(), 'next')
    const sold = JSON.parse(readFileSync(join(kept, 'store/settlements/months.json'), 'utf8'))
    expect(Object.keys(sold).length).toBeGreaterThan(0)
    const more = await runWith(here(), 'services/commands/backup.ts', 'backup', '--to', next, '--after', kept)
    expect(more).toMatchObject({ told: '', status: 0 })
    for (const month of Object.keys(sold)) {
      const inodes = [kept, next].map(of => statSync(join(of, `store/settlements/${month}.native.zst`)).ino)
      expect(inodes[0]).toBe(inodes[1])
    }
    rmSync(kept, { recursive: true })
    renameSync(next, kept)

    const place = join(scratchFolder(), 'new')
    const restored = await runWith(elsewhere(place), 'services/commands/backup.ts', 'restore', '--from', kept)
    expect(restored).toMatchObject({
      told: '',
      status: 0,
      out: expect.stringContaining('log and store are restored'),
    })
    const found: unknown[] = []
    const reading = await readAlong(elsewhere(place).LOG_URL, settlements.topic, batch => {
      found.push(...batch.map(({ key, value }) => [key, value]))
    })
    await reading.caughtUp
    await reading.close()
    expect(found).toEqual([
      ['a', '{"first":1}'],
      ['b', '{"after":1}'],
    ])
    const again = await openStore(elsewhere(place).STORE_URL)
    onTestFinished(() => again.close())
    expect(await sales(again)).toEqual(await sales(store))
    expect(await sales(again)).toHaveLength(2)
    expect(readFileSync(join(place, 'answers', 'picture'), 'utf8')).toBe('a large answer')

    expect(
      await runWith(elsewhere(place), 'services/commands/backup.ts', 'restore', '--from', kept),
    ).toMatchObject({
      status: 1,
      told: expect.stringContaining('a log can only be restored where there is none'),
    })
  })

  it('ends with 1, and not as misused, if it fails', async () => {
    const kept = scratchFolder()
    writeFileSync(join(kept, 'backup.json'), 'null')
    const restored = await runWith(
      elsewhere(scratchFolder()),
      'services/commands/backup.ts',
      'restore',
      '--from',
      kept,
    )
    expect(restored).toMatchObject({ status: 1, told: expect.stringContaining('version') })
  })

  it.each([
    [['backup'], /^npm run backup/],
    [['restore', '--from', 'nowhere'], /^nowhere is no complete backup/],
    [['backup', '--to', 'test'], /^test is there; a backup needs a folder of its own/],
    [['backup', '--into', 'x'], /^Unknown option '--into'/],
  ])('refuses %j', async (args, told) => {
    expect(await runWith(here(), 'services/commands/backup.ts', ...args)).toMatchObject({
      status: 2,
      told: expect.stringMatching(told),
    })
  })
})

describe('a lake', () => {
  const lakeOf = (of: string, ...args: string[]) =>
    runWith({ STORE_URL: `embedded:${of}` }, 'services/commands/export.ts', 'lake', ...args)
  const lake = (...args: string[]) => lakeOf(join(folder, 'store'), ...args)
  const at = scratchFolder(afterAll)
  const fileOf = (name: string) => join(at, name)
  const manifest = () =>
    JSON.parse(readFileSync(fileOf('settlements/_manifest.json'), 'utf8')) as LakeManifest
  const only = ['settlements', 'receipts', 'payers'].flatMap(name => ['--only', name])

  it('has tables and views by day, writes again what has changed, and nothing else', async () => {
    const first = await lake('--to', at, ...only)
    expect(first).toMatchObject({ told: '', status: 0 })
    expect(first.out).toBe(
      'settlements: 2 rows of 1 days\nreceipts: 1 rows of 1 days\npayers: 1 rows of 1 days\nthe lake is as the store is\n',
    )
    const { days, day_of } = manifest()
    expect([day_of, Object.values(days).map(({ rows }) => rows)]).toEqual(['at', [2]])
    const [part] = Object.values(days)[0]?.parts ?? []
    expect(
      readFileSync(fileOf(part?.file ?? ''))
        .subarray(0, 4)
        .toString(),
    ).toBe('PAR1')
    expect((await lake('--to', at, ...only)).out).toBe('the lake is as the store is\n')
    await store.insert(settlements as unknown as Dataset, [
      { event: settlement('c', { at: '2026-11-21T11:00:00.000Z' }), version: 3n },
    ])
    expect((await lake('--to', at, ...only)).out).toContain(
      'settlements: 1 rows of 1 days\nreceipts: 1 rows of 1 days\n',
    )
  })

  it('that was interrupted goes on, and a file that was changed is not taken back', async () => {
    // As a run leaves it that was killed after its first day.
    const whole = manifest()
    const [first = '', ...others] = Object.keys(whole.days)
    const half = { ...whole, days: { [first]: whole.days[first] } }
    writeFileSync(fileOf('settlements/_manifest.json'), JSON.stringify(half))
    rmSync(fileOf(`settlements/lake_day=${others[0]}`), { recursive: true })
    expect((await lake('--to', at, ...only)).out).toBe(
      'settlements: 1 rows of 1 days\nthe lake is as the store is\n',
    )
    expect(manifest()).toEqual(whole)
  })

  it('is read by DuckDB and pyarrow without a word', async ({ skip }) => {
    const python = process.env.PYTHON ?? 'python3'
    const code = [
      'import duckdb, json, sys, pyarrow.dataset as ds',
      'at = sys.argv[1]',
      'sold = duckdb.sql(f"select cast(lake_day as varchar), tool, cast(sum(price_usdc) as varchar), min(spend_id) from read_parquet(\'{at}/receipts/*/*.parquet\', hive_partitioning = true) group by all order by 1").fetchall()',
      "table = ds.dataset(f'{at}/settlements', format='parquet', partitioning='hive').to_table()",
      "print(json.dumps([sold, table.num_rows, sorted(set(table.column('state').to_pylist())), str(table.schema.field('amount_usdc').type)]))",
    ].join('\n')
    const { error, status, stdout, stderr } = spawnSync(python, ['-c', code, at], { encoding: 'utf8' })
    if (error || /ModuleNotFoundError/.test(stderr)) skip('PYTHON has no duckdb and pyarrow')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [sold, rows, states, amount] = JSON.parse(stdout)
    const one = ['exchangeRate', '0.002000', expect.stringMatching(/^[0-9a-f]{64}$/)]
    expect(sold).toEqual([
      ['2026-11-20', ...one],
      ['2026-11-21', ...one],
    ])
    expect([rows, states, amount]).toEqual([3, ['failed', 'settled'], 'decimal128(18, 6)'])
  })

  it('fills an empty store, once however often, and not with a file that was changed', async () => {
    const dataset = settlements as unknown as Dataset
    const other = await openStore(`embedded:${join(folder, 'empty')}`)
    try {
      await other.apply(datasets)
      const back = () => pourBack(lakePlace(at) as LakePlace, other, dataset)
      for (const _ of [1, 2]) expect(await back()).toEqual({ days: 2, rows: 3 })
      const all = 'select * from settlements order by spend_id, state, request_id'
      expect(await other.query(all)).toEqual(await store.query(all))
      expect(await other.query('select tool from receipts')).toHaveLength(2)
      const [day] = Object.values(manifest().days)
      writeFileSync(fileOf(day?.parts[0]?.file ?? ''), 'PAR1 of somebody else')
      await expect(back()).rejects.toThrow('is not as its manifest says')
    } finally {
      await other.close()
    }
  })

  it.each([[[]], [['--to', 'x', '--from', 'x']], [['--to', 'ftp://x']], [['--to', 'x', '--only', 'no']]])(
    'refuses %j',
    async args => {
      expect(await lake(...args)).toMatchObject({ out: '', status: 2 })
    },
  )
})
