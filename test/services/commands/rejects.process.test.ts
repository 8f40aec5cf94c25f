/** The walk of an operator: a row that cannot be stored is seen, mended in a file, sent again, and stands in the table once. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { startEngine } from '../../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import { openRejects } from '../../../pipelines/workers/resending.ts'
import { startSink } from '../../../pipelines/workers/sink.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { fxRates } from '../../../schemas/fx-rates.ts'
import { datasets } from '../../../schemas/index.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'

const program = fileURLToPath(new URL('../../../services/commands/rejects.ts', import.meta.url))
const stored = [fxRates, rejects] as unknown as Dataset[]

const folder = scratchFolder(afterAll)
const file = join(folder, 'mended.jsonl')
const rejectsCommand = (...args: string[]) => {
  const env = { ...process.env, DATA_DIR: folder }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

/** What the service does of it: it owns the log, and its sinks fill the tables. */
async function service(storeUrl: string) {
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: datasets.map(({ topic }) => topic) })
  const store = await openStore(storeUrl)
  await store.apply(stored)
  const sinks = await Promise.all(
    stored.map(dataset => startSink({ log, store, dataset, now: Date.now, onProblem: () => {} })),
  )
  const close = async () => {
    await Promise.all(sinks.map(sink => sink.close()))
    await store.close()
    await log.close()
  }
  const sunk = () =>
    until(
      async () =>
        (await Promise.all(stored.map(({ topic }) => log.lag(topic, 'sink')))).every(lag => lag === 0),
      'the end of the topics',
    )
  return { log, store, sunk, close }
}

it('shows what no table could take while the service runs, and brings it in once it is mended', async () => {
  expect(rejectsCommand('list')).toEqual({ status: 1, said: `there is no log at ${folder}/log.db\n` })
  const engine = await startEngine({
    ...{ folder: join(folder, 'clickhouse'), httpPort: 0, tcpPort: 0, analystPassword: '' },
    ...{ usersFile: 'deploy/clickhouse/users.xml', onProblem: () => {} },
  })
  onTestFinished(() => engine.close())
  const url = `${engine.address.http.replace('//', `//farebox:${engine.password}@`)}/farebox`
  const before = await service(url)
  const day = (name: string, USD: string) => ({
    key: name,
    value: JSON.stringify({ day: name, rates: { USD } }),
  })
  await before.log.append(fxRates.topic, [
    ...[day('2026-11-18', '1.10'), day('2026-11-19', 'none'), day('2026-11-20', '0')],
    { key: '2026-11-21', value: '{"day":"2026-11-21"' },
  ])
  await before.sunk()

  expect(rejectsCommand('list')).toEqual({ status: 0, said: expect.stringMatching(/^fx\.rates: 3\n/) })
  expect(rejectsCommand('take', 'fx.rates', '--to', file)).toEqual({
    status: 0,
    said: `3 events are in ${file}\n`,
  })
  expect(rejectsCommand('send', 'fx.rates', '--from', file)).toEqual({
    status: 1,
    said: `the log ${folder}/log.db is in use by another process: stop that first\n`,
  })
  await before.close()

  // The half of a record stays as it is. Its line is left out.
  const lines = readFileSync(file, 'utf8').split('\n')
  const mended = lines.filter(line => line.includes('"none"') || line.includes('"0"'))
  expect(mended).toHaveLength(2)
  writeFileSync(file, mended.join('\n').replace('"none"', '"1.11"'))
  expect(rejectsCommand('take', 'fx.rates', '--to', file)).toMatchObject({ status: 2 })
  expect(rejectsCommand('send', 'fx.rates', '--from', file)).toEqual({
    status: 1,
    said: expect.stringMatching(/^0\/\d+ is left: rates\.USD: .*\n1 sent again, 1 left\n$/),
  })

  const after = await service(url)
  onTestFinished(() => after.close())
  await after.sunk()
  const rows = "select toString(day) as day, toString(rates['USD']) as usd from fx_rates order by day"
  expect(await after.store.query(rows)).toEqual([
    { day: '2026-11-18', usd: '1.1' },
    { day: '2026-11-19', usd: '1.11' },
  ])
  expect((await openRejects(after.log)).map(({ event }) => event)).toEqual([
    day('2026-11-20', '0').value,
    '{"day":"2026-11-21"',
  ])
  const inTable = 'select countIf(sent_at is null) as open, count() as all from farebox_private.rejects'
  expect(await after.store.query(inTable)).toEqual([{ open: '2', all: '3' }])
})
