/** The purse of a user under several processes that spend at once, are killed, and find it broken. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { purseInFile } from '../../../services/client/purse-file.ts'
import { spendingInFolder, spentIn } from '../../../services/client/spending.ts'
import { onSmallDisk } from '../../full-disk.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { evmKey } from '../sandbox/running.ts'
import { offering, selling, startHostileSeller } from './hostile-seller.ts'

const run = promisify(execFile)
const spender = join(import.meta.dirname, 'spender.ts')
const killedAt = join(import.meta.dirname, 'killed.ts')
const command = resolve('services/client/main.ts')
const envOf = (home: string) => ({ ...process.env, XDG_STATE_HOME: home })
const today = () => new Date().toISOString().slice(0, 10)
const purseOf = (home: string) => purseInFile(join(home, 'farebox'))
const fileOf = (home: string) => join(home, 'farebox', `spent-${today()}.jsonl`)
const yeses = (said: string[]) => said.join('').match(/yes/g)?.length ?? 0

interface Spending {
  child: ChildProcess
  said: string[]
}

function spend(home: string, tries: number, maxUsdPerDay: string): Spending {
  const child = spawn(process.execPath, [spender, String(tries), maxUsdPerDay], {
    env: envOf(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  child.stdout.on('data', text => said.push(String(text)))
  return { child, said }
}
const ended = ({ child }: Spending) => (child.exitCode ?? child.signalCode) !== null || once(child, 'close')

describe('the cap of a day', () => {
  it('holds over processes that spend at once, and for those that come after', async () => {
    const home = scratchFolder()
    const spending = Array.from({ length: 6 }, () => spend(home, 40, '0.1'))
    await Promise.all(spending.map(ended))
    expect(yeses(spending.flatMap(({ said }) => said))).toBe(100)
    expect(await purseOf(home).take(today(), 1n, 100_000n)).toEqual({ taken: false, spent: 100_000n })
    // Refused calls do not let the file grow without end: it has no more lines than amounts taken and lost races.
    expect(readFileSync(fileOf(home), 'utf8').split('\n').length).toBeLessThan(120)
  })

  it('survives kill -9 of spenders at any moment: nobody waits for the dead, and no more is spent', async () => {
    const home = scratchFolder()
    const said: string[] = []
    for (let round = 0; round < 3; round++) {
      const spending = [spend(home, 1e6, '0.4'), spend(home, 1e6, '0.4')]
      await until(() => spending.every(each => each.said.length), 'both to spend')
      for (const { child } of spending) child.kill('SIGKILL')
      await Promise.all(spending.map(ended))
      said.push(...spending.flatMap(each => each.said))
    }
    const last = spend(home, 400, '0.4')
    await ended(last)
    const signed = yeses([...said, ...last.said])
    // A killed process had taken an amount without reporting it, and the amount stays taken: at most one for each of the six.
    expect(signed).toBeLessThanOrEqual(400)
    expect(signed).toBeGreaterThanOrEqual(394)
  })

  it.each([
    ['claimed', 0, 0, 1],
    ['logged', 1, 0, 1],
    ['kept', 1, 1, 0],
  ] as const)(
    'and what it has taken when it is killed with its payment %s stays taken, and is told',
    async (step, logged, open, signedAnew) => {
      const home = scratchFolder()
      const seller = await startHostileSeller(selling(offering()))
      const env = { ...envOf(home), FAREBOX_URL: seller.url, FAREBOX_KEY: evmKey }
      const killed = await run(process.execPath, [killedAt, seller.url, step], { env }).catch(
        failed => failed,
      )
      expect(killed).toMatchObject({ signal: 'SIGKILL' })
      expect(seller.signatures()).toEqual([])
      const farebox = (...args: string[]) =>
        run(process.execPath, [command, ...args], { env }).catch((failed: { stdout: string }) => failed)
      const spent = async () => (await farebox('spent')).stdout.trim().split('\n')
      const signed = `${today()}  0.002 USDC signed`
      const counted = `${today()}  0.002 USDC count against the cap: 0.002 were taken by who was killed before he signed`
      const found = await spent()
      expect(found.slice(-1)[0]).toContain(logged ? signed : counted)
      expect(found).toHaveLength(logged + 1)
      expect(JSON.parse((await farebox('payments', '--json')).stdout)).toHaveLength(open)

      const call = (cap: string) =>
        farebox('call', '/fx', '{"from":"USD","to":"JPY"}', '--max-usd-a-day', cap)
      // A payment that is kept is presented. Without one, the amount that was claimed has no room for another below this cap.
      const first = await call('0.003')
      expect(first).toMatchObject(
        open
          ? { stderr: expect.stringContaining('nothing new is paid') }
          : { code: 4, stderr: expect.stringContaining('0.002 were spent today') },
      )
      if (!open) expect(await call('0.004')).toMatchObject({ stdout: expect.stringContaining('hello') })
      expect(seller.signatures()).toHaveLength(1)
      expect((await purseOf(home).take(today(), 0n, 0n)).spent).toBe(2000n * BigInt(1 + signedAnew))
      const lines = (await spent()).filter(line => line.includes(seller.url))
      expect(lines).toHaveLength(logged + signedAnew)
    },
  )

  it('holds over commands: of six at once that can pay three, three pay, and the others say why', async () => {
    const home = scratchFolder()
    const seller = await startHostileSeller(selling(offering()))
    // The same question at once shares one payment.
    const call = (_: unknown, amount: number) =>
      run(
        process.execPath,
        [
          command,
          'call',
          '/fx',
          JSON.stringify({ from: 'USD', to: 'JPY', amount }),
          '--max-usd-a-day',
          '0.007',
        ],
        { env: { ...envOf(home), FAREBOX_URL: seller.url, FAREBOX_KEY: evmKey } },
      ).then(
        () => 0,
        (failed: { code: number; stderr: string }) => [failed.code, failed.stderr.split(':')[0]],
      )
    const codes = await Promise.all(Array.from({ length: 6 }, call))
    expect(codes.filter(code => code === 0)).toHaveLength(3)
    expect(codes.filter(code => code !== 0)).toEqual([
      [4, 'over_budget'],
      [4, 'over_budget'],
      [4, 'over_budget'],
    ])
    expect(seller.signatures()).toHaveLength(3)
  })
})

describe('a purse that cannot be read or written pays nothing', () => {
  it.each<[string, (home: string) => void, string?]>([
    ['is a folder', home => mkdirSync(fileOf(home), { recursive: true })],
    ['lies where a file is', home => writeFileSync(join(home, 'farebox'), '')],
    ['holds what is no entry', home => broken(home, 'not mine')],
    ['holds zeros, as after a power cut', home => broken(home, '\0'.repeat(64))],
    ['holds an amount that is none', home => broken(home, '{"id":"a","atoms":"x","most":"1"}')],
    ['holds a line that is the beginning of no entry', home => broken(home, '{bad')],
    ['holds it between others', home => broken(home, '\n{bad\n{"id":"a","atoms":"1","most":"5"}')],
    ['lies where nothing can be made', () => {}, '/proc/nope'],
    ['has an older file that is broken', home => broken(home, '{', 'spent.json')],
  ])('%s', async (_, spoil, home = scratchFolder()) => {
    spoil(home)
    const seller = await startHostileSeller(selling(offering()))
    const env = { ...envOf(home), FAREBOX_URL: seller.url, FAREBOX_KEY: evmKey }
    const ended = await run(process.execPath, [command, 'call', '/fx', '{"from":"USD","to":"JPY"}'], {
      env,
      timeout: 30_000,
    }).catch((failed: { code: number; stderr: string }) => failed)
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing is paid') })
    expect(seller.signatures()).toEqual([])
  })

  it('and on a full disk: a line that was cut off there bought nothing, and stops nobody', async context => {
    const home = scratchFolder()
    const done = await onSmallDisk(home, 16_384, async makeRoom => {
      const purse = purseOf(home)
      let taken = 0n
      const fill = async () => {
        for (;;) if ((await purse.take(today(), 1n, 10_000n)).taken) taken++
      }
      await expect(fill()).rejects.toThrow(/nothing is paid/)
      await expect((async () => purse.take(today(), 1n, 10_000n))()).rejects.toThrow(/nothing is paid/)
      makeRoom()
      const { spent, ...more } = await purse.take(today(), 1n, 10_000n)
      expect(more).toEqual({ taken: true })
      // If a line was cut off and its amount can still be read, the amount counts.
      expect(spent - taken).toBeLessThanOrEqual(2n)
    })
    if (!done) context.skip('no disk can be mounted')
  })
})

it.each([
  ['', 0n],
  ['{', 0n],
  ['{"id":"a', 0n],
  ['{"id":"a","ato', 0n],
  ['{"id":"a","atoms":"7', 0n],
  ['{"id":"a","atoms":"7"', 7n],
  ['{"id":"a","atoms":"7","most":"5000', 7n],
  ['{"id":"a","atoms":"-7"', 0n],
])('of a line that was cut off at %j, %d counts as spent', async (line, spent) => {
  const home = scratchFolder()
  broken(home, `\n${line}`)
  expect(await purseOf(home).take(today(), 1n, 100n)).toEqual({ taken: true, spent })
})

it('counts the spending of an older version today, and forgets days that are long past', async () => {
  const home = scratchFolder()
  const folder = join(home, 'farebox')
  mkdirSync(folder)
  writeFileSync(join(folder, 'spent.json'), JSON.stringify({ [today()]: '4000' }))
  for (let day = 1; day <= 33; day++)
    writeFileSync(
      join(folder, `spent-${new Date(Date.UTC(2020, 0, day)).toISOString().slice(0, 10)}.jsonl`),
      '',
    )
  const purse = purseOf(home)
  expect(await purse.take(today(), 1500n, 5000n)).toEqual({ taken: false, spent: 4000n })
  expect(await purse.take(today(), 1000n, 5000n)).toEqual({ taken: true, spent: 4000n })
  await purse.giveBack(today(), 1000n)
  expect(await purse.take(today(), 1000n, 5000n)).toEqual({ taken: true, spent: 4000n })
  const kept = readdirSync(folder).sort()
  expect([kept.length, kept[0]]).toEqual([31 + 2, 'spent-2020-01-03.jsonl'])
})

it('a clock that runs far ahead for a while makes nothing forgotten', async () => {
  const folder = scratchFolder()
  const purse = purseInFile(folder)
  const write = spendingInFolder(folder)
  const of = `.${'a'.repeat(16)}`
  const spent = { usd: '0.004', network: 'base', payTo: '0x1', url: 'http://seller.example/fx' }
  for (const day of [today(), '2099-01-01', '2099-01-02']) {
    for (const key of [day, day + of]) await purse.take(key, 4000n, 5000n)
    write({ ...spent, at: `${day}T00:00:00.000Z` })
  }
  for (const key of [today(), today() + of])
    expect(await purse.take(key, 2000n, 5000n)).toEqual({ taken: false, spent: 4000n })
  expect(spentIn(folder)).toHaveLength(3)
})

it('a line of the log that was cut off takes no other with it', () => {
  const folder = scratchFolder()
  const write = spendingInFolder(folder)
  const spent = { usd: '0.002', network: 'base', payTo: '0x1', url: 'http://seller.example/fx' }
  const at = (hour: number) => `${today()}T0${hour}:00:00.000Z`
  write({ ...spent, at: at(1) })
  appendFileSync(join(folder, `paid-${today()}.jsonl`), '\n{"at":"2026')
  write({ ...spent, at: at(2) })
  expect(spentIn(folder).map(each => each.at)).toEqual([at(1), at(2)])
})

function broken(home: string, text: string, name = `spent-${today()}.jsonl`): void {
  mkdirSync(join(home, 'farebox'))
  appendFileSync(join(home, 'farebox', name), text)
}
