import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import { type EngineOptions, startEngine } from '../../../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import { type Dataset, defineDataset, field } from '../../../../schemas/dataset/dataset.ts'
import { scratchFolder } from '../../../scratch.ts'
import { until } from '../../../until.ts'

const usersFile = 'deploy/clickhouse/users.xml'
const engineOptions = (changes: Partial<EngineOptions> = {}): EngineOptions => ({
  folder: join(scratchFolder(), 'store'),
  httpPort: 0,
  tcpPort: 0,
  usersFile,
  analystPassword: '',
  onProblem: () => {},
  ...changes,
})
const start = async (changes: Partial<EngineOptions> = {}) => {
  const engine = await startEngine(engineOptions(changes))
  onTestFinished(() => engine.close())
  return engine
}
const answers = (http: string) =>
  fetch(`${http}/ping`).then(
    answer => answer.ok,
    () => false,
  )
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe('the embedded engine', () => {
  it('says which port is taken, and how to set it', async () => {
    const port = await takenPort()
    await expect(startEngine(engineOptions({ httpPort: port }))).rejects.toThrow(
      `STORE_PORT is ${port}; that port is taken: it should be a free port, or 0 for any`,
    )
    await expect(startEngine(engineOptions({ tcpPort: port }))).rejects.toThrow(
      `STORE_TCP_PORT is ${port}; that port is taken`,
    )
  })

  it('reports that another process has its folder', async () => {
    const folder = join(scratchFolder(), 'store')
    const first = await start({ folder })
    await expect(startEngine(engineOptions({ folder }))).rejects.toThrow(
      `${folder} is in use by another process; STORE_URL should name another folder`,
    )
    expect(await answers(first.address.http)).toBe(true)
  })

  it('reports that this platform has no engine, and what to do', async () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
    Object.defineProperty(process, 'platform', { value: 'plan9' })
    onTestFinished(() => void Object.defineProperty(process, 'platform', platform))
    await expect(openStore(`embedded:${scratchFolder()}`)).rejects.toThrow(
      /there is no engine for plan9-.*; it should be a server: http:/,
    )
  })

  it('reports why it does not start', async () => {
    const library = join(scratchFolder(), 'library')
    writeFileSync(library, 'not a library')
    await expect(startEngine(engineOptions({ libchdb: library }))).rejects.toThrow(
      /the embedded store does not start: .+/,
    )
  })

  it('gives up on an engine that never answers', async () => {
    const strangers = join(scratchFolder(), 'users.xml')
    writeFileSync(
      strangers,
      readFileSync(usersFile, 'utf8').replace(
        '<password from_env="STORE_PASSWORD"/>',
        '<password>another</password>',
      ),
    )
    await expect(startEngine(engineOptions({ usersFile: strangers, readyMs: 2_000 }))).rejects.toThrow(
      'the embedded store does not start: it did not answer within 2000 ms',
    )
  })

  it('listens at the given ports, and leaves nothing behind', async () => {
    const engine = await startEngine(engineOptions())
    const pid = engine.pid() as number
    expect(await answers(engine.address.http)).toBe(true)
    const native = await fetch(`http://${engine.address.tcp}`)
    expect(await native.text()).toContain('is for clickhouse-client program')
    await engine.close()
    expect(isAlive(pid)).toBe(false)
    expect(await answers(engine.address.http)).toBe(false)
  })

  it('ignores signals', async () => {
    const engine = await start()
    const pid = engine.pid() as number
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal)
    for (let round = 0; round < 20; round++) expect(await answers(engine.address.http)).toBe(true)
    expect(engine.pid()).toBe(pid)
  })
})

describe('the embedded store', () => {
  const marks = defineDataset({
    name: 'marks',
    about: 'Marks',
    fields: { id: field(z.string(), 'String', 'Id') },
    key: ['id'],
    identity: ['id'],
  }) as unknown as Dataset

  it('comes back after the engine dies, at the same address and with every confirmed row', async () => {
    const problems: unknown[] = []
    const engine = await start({ onProblem: (_, problem) => problems.push(problem) })
    const url = `${engine.address.http.replace('//', `//farebox:${engine.password}@`)}/farebox`
    const store = await openStore(url)
    onTestFinished(() => store.close())
    await store.apply([marks])
    await store.insert(marks, [{ event: { id: 'before' }, version: 1n }])
    const restarts = async () => (await metrics.storeRestarts.get()).values[0]?.value ?? 0
    const before = await restarts()

    process.kill(engine.pid() as number, 'SIGKILL')
    await until(async () => !(await store.ping()), 'the death')
    await until(() => store.ping(), 'the return')

    expect(await store.query('select id from marks')).toEqual([{ id: 'before' }])
    expect(await restarts()).toBe(before + 1)
    expect(String(problems[0])).toContain('the embedded store died and is started again: SIGKILL')
  })

  it('closes while the engine is down', async () => {
    const engine = await startEngine(engineOptions())
    process.kill(engine.pid() as number, 'SIGKILL')
    await until(async () => !(await answers(engine.address.http)), 'the death')
    await engine.close()
    expect(isAlive(engine.pid() as number)).toBe(false)
  })
})

describe('a parent', () => {
  async function parent(folder: string) {
    const child = spawn(process.execPath, ['test/pipelines/rails/store/parent.ts', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const next = async () => (await lines.next()).value as string
    return { child, next, engine: JSON.parse(await next()) as { pid: number; http: string } }
  }

  it('that is killed takes the engine with it, and the folder is free for the next', async () => {
    const folder = join(scratchFolder(), 'store')
    const { child, engine } = await parent(folder)
    expect(await answers(engine.http)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const next = await start({ folder })
    expect(await answers(next.address.http)).toBe(true)
    await until(() => !isAlive(engine.pid), 'the end of the engine')
    expect(await answers(engine.http)).toBe(false)
  })

  it('keeps the engine alive during a Ctrl-C, to drain', async () => {
    const { child, next, engine } = await parent(join(scratchFolder(), 'store'))
    process.kill(-(child.pid as number), 'SIGINT')
    expect(await next()).toBe('interrupted')
    expect(await answers(engine.http)).toBe(true)
    child.kill('SIGKILL')
    await until(() => !isAlive(engine.pid), 'the end of the engine')
  })
})

describe('a server', () => {
  it('that does not answer, or does not know the user, is named', async () => {
    const engine = await start()
    await expect(openStore(engine.address.http.replace('//', '//farebox:wrong@'))).rejects.toThrow(
      /^STORE_URL: the store at http:\/\/127\.0\.0\.1:\d+ cannot be used: .*Authentication failed/,
    )
    await engine.close()
    await expect(openStore(engine.address.http)).rejects.toThrow(/cannot be used: .*ECONNREFUSED/)
  })
})
