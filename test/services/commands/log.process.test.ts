import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { fxRates } from '../../../schemas/fx-rates.ts'
import { datasets } from '../../../schemas/index.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'

const program = fileURLToPath(new URL('../../../services/commands/log.ts', import.meta.url))
const { topic } = fxRates

async function logIn(folder: string): Promise<Log> {
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: [topic] })
  onTestFinished(() => log.close())
  return log
}

function tailing(folder: string, ...args: string[]) {
  const env = { ...process.env, DATA_DIR: folder }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', text => {
    said += text
  })
  const lines = () =>
    said
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  return { child, lines }
}

const refused = (folder: string, ...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], {
    env: { ...process.env, DATA_DIR: folder },
    encoding: 'utf8',
  })

it('shows all of a topic, and what comes while the service writes it, as lines of JSON', async () => {
  const folder = scratchFolder()
  const log = await logIn(folder)
  const before = { day: '2026-11-19', rates: { USD: '1.10' } }
  await log.append(topic, [{ key: before.day, value: JSON.stringify(before) }])
  const { child, lines } = tailing(folder, 'tail', topic.name, '--from', 'beginning')
  await until(() => lines().length === 1, 'what was there')
  await log.append(topic, [{ key: '2026-11-20', value: null }])
  await until(() => lines().length === 2, 'what came')
  expect(lines()).toEqual([
    { at: expect.any(String), place: '0/1', key: before.day, value: before },
    { at: expect.any(String), place: '0/2', key: '2026-11-20', value: null },
  ])
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGINT')
  expect(await ended).toBe(0)
})

it('shows one key alone', async () => {
  const folder = scratchFolder()
  const log = await logIn(folder)
  const of = (key: string, value: string) => ({ key, value })
  await log.append(topic, [of('a', '1'), of('b', '2'), of('a', '3')])
  const { lines } = tailing(folder, 'tail', topic.name, '--from', 'beginning', '--key', 'a')
  await until(() => lines().length === 2, 'both records')
  expect(lines().map(({ value }) => value)).toEqual([1, 3])
})

it('forgets the newest record of a key where nobody can read it, and no other', async () => {
  const folder = scratchFolder()
  const log = await logIn(folder)
  const good = { day: '2026-11-19', rates: { USD: '1.10' } }
  await log.append(topic, [
    { key: good.day, value: JSON.stringify(good) },
    { key: '2026-11-20', value: JSON.stringify(good) },
    { key: '2026-11-20', value: '{"day":"2026-11-20","rates":7}' },
  ])
  await log.close()
  const forget = (...given: string[]) => refused(folder, 'forget', ...given)
  expect(forget(topic.name, good.day)).toMatchObject({
    status: 2,
    stderr: `the newest record of ${good.day} can be read; it stays\n`,
  })
  expect(forget(topic.name, '2026-11-21').stderr).toBe(
    `the topic ${topic.name} has no record of 2026-11-21\n`,
  )
  expect(forget(settlements.topic.name, 'x').stderr).toMatch(/^there is no view in memory of the topic/)
  expect(forget(topic.name, '2026-11-20')).toMatchObject({
    status: 0,
    stdout: `${topic.name} 0/3 of 2026-11-20 is withdrawn\n`,
  })
  expect(forget(topic.name, '2026-11-20').stderr).toBe(
    `the topic ${topic.name} has no record of 2026-11-20\n`,
  )
})

it('ends quietly when nobody reads on', async () => {
  const folder = scratchFolder()
  const log = await logIn(folder)
  await log.append(topic, [{ key: 'a', value: '1' }])
  const { child } = tailing(folder, 'tail', topic.name, '--from', 'beginning')
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.stdout.destroy()
  // The process notices the closed pipe when it writes the next line.
  let code: unknown
  void ended.then(found => (code = found))
  await until(async () => {
    await log.append(topic, [{ key: 'a', value: '2' }])
    return code !== undefined
  }, 'the end')
  expect(code).toBe(0)
})

it('explains a wrong question, and lists what there is', () => {
  const folder = scratchFolder()
  expect(refused(folder)).toMatchObject({ status: 2, stderr: expect.stringContaining('npm run log -- tail') })
  const unknown = refused(folder, 'tail', 'fx')
  expect(unknown.status).toBe(2)
  expect(unknown.stderr).toMatch(/^there is no topic fx; there are /)
  for (const dataset of datasets) expect(unknown.stderr).toContain(dataset.topic.name)
  expect(refused(folder, 'tail', topic.name, '--from', 'yesterday')).toMatchObject({
    status: 2,
    stderr: '--from is yesterday; it should be beginning or end\n',
  })
})

it('says where it looked for a missing log or topic, and leaves nothing', async () => {
  const folder = scratchFolder()
  expect(refused(folder, 'tail', topic.name)).toMatchObject({
    status: 1,
    stderr: `there is no log at ${folder}/log.db\n`,
  })
  expect(readdirSync(folder)).toEqual([])
  await logIn(folder)
  expect(refused(folder, 'tail', settlements.topic.name)).toMatchObject({
    status: 1,
    stderr: `the log at ${folder}/log.db has no topic ${settlements.topic.name}\n`,
  })
})
