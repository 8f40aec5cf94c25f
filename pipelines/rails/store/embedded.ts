/** Runs the real ClickHouse engine from npm as a supervised child. It listens on loopback and ends with its parent. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { metrics } from '../metrics.ts'
import { engineLibrary } from './engine-library.ts'
import { EngineProcess } from './engine-process.ts'
import { listenPort } from './listen-port.ts'
import { type StoreAddress, StoreError } from './store.ts'

export interface EngineOptions {
  folder: string
  /** 0 means any free port. */
  httpPort: number
  tcpPort: number
  /** If absent, the file of deploy/clickhouse. */
  configFile?: string | undefined
  usersFile: string
  analystPassword: string
  /** If absent, the library that npm installed for this platform. */
  libchdb?: string | undefined
  readyMs?: number | undefined
  onProblem: (name: string, error: unknown) => void
}

export interface Engine {
  address: StoreAddress
  /** The password of the user farebox. It is new at every start. */
  password: string
  pid(): number | undefined
  close(): Promise<void>
}

/** For an operator's tools. Anybody who can read this file can also read the rows beside it. */
const accessFile = 'access.json'

const askMs = 2_000

interface Access {
  url: string
  username: string
  password: string
}

/** How to reach the engine that another process runs on this folder, if one does. */
export async function engineOf(folder: string): Promise<Access | undefined> {
  try {
    const access: Access = JSON.parse(readFileSync(join(folder, accessFile), 'utf8'))
    const authorization = `Basic ${Buffer.from(`${access.username}:${access.password}`).toString('base64')}`
    // Another program may listen there by now.
    const signal = AbortSignal.timeout(askMs)
    const answer = await fetch(`${access.url}/?query=select+1`, { headers: { authorization }, signal })
    await answer.body?.cancel()
    return answer.ok ? access : undefined
  } catch {
    return undefined
  }
}

const mostReadyMs = 60_000
/** For this time a killed predecessor may still hold the folder. */
const lockMs = 3_000
/** The engine itself has failed, as it seldom does after a kill of its predecessor. Then it is started again. */
const isCrash = /^(?:libc\+\+abi|SIG(?:ABRT|SEGV|BUS)$)/
/** Another process has taken a free port between our look and the engine's. */
const isTaken = /Address already in use/
const mostCrashes = 2
const firstPauseMs = 250
const longestPauseMs = 30_000
/** If the engine has run for this time, its next crash counts as the first one. */
const steadyMs = 60_000

async function installedLibrary(folder: string): Promise<string> {
  const found = await engineLibrary(folder)
  if (found) return found
  throw new StoreError(
    `STORE_URL is embedded:, but there is no engine for ${process.platform}-${process.arch} (npm leaves it out with --omit=optional); it should be a server: http://user:password@host:8123/farebox`,
  )
}

const placesOf = async ({ httpPort, tcpPort }: Pick<EngineOptions, 'httpPort' | 'tcpPort'>) => ({
  httpPort: await listenPort(httpPort, 'STORE_PORT'),
  tcpPort: await listenPort(tcpPort, 'STORE_TCP_PORT'),
})

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { readyMs = mostReadyMs } = options
  const folder = resolve(options.folder)
  const launch = {
    libchdb: options.libchdb ?? (await installedLibrary(folder)),
    folder,
    ...(await placesOf(options)),
    configFile: options.configFile,
    usersFile: resolve(options.usersFile),
    password: randomBytes(24).toString('base64url'),
    analystPassword: options.analystPassword,
  }
  mkdirSync(folder, { recursive: true })

  let isPlaced = false
  let engine = await boot()
  isPlaced = true
  const url = `http://127.0.0.1:${launch.httpPort}`
  const access: Access = { url, username: 'farebox', password: launch.password }
  writeFileSync(join(folder, accessFile), JSON.stringify(access), { mode: 0o600 })
  const stopping = new AbortController()
  const supervised = supervise()

  async function boot(): Promise<EngineProcess> {
    const giveUpAt = performance.now() + lockMs
    let crashes = 0
    for (;;) {
      const started = new EngineProcess(launch)
      if (await started.ready(readyMs)) return started
      const why = started.isGone ? await started.ended : `it did not answer within ${readyMs} ms`
      await started.end()
      if (isCrash.test(why) && crashes++ < mostCrashes) continue
      if (!isPlaced && isTaken.test(why) && crashes++ < mostCrashes) {
        Object.assign(launch, await placesOf(options))
        continue
      }
      if (!why.includes('Cannot lock file')) throw new StoreError(`the embedded store does not start: ${why}`)
      if (performance.now() > giveUpAt)
        throw new StoreError(`${folder} is in use by another process; STORE_URL should name another folder`)
    }
  }

  async function supervise(): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const since = performance.now()
      const why = await engine.ended
      if (stopping.signal.aborted) return
      if (performance.now() - since > steadyMs) pauseMs = firstPauseMs
      metrics.storeRestarts.inc()
      options.onProblem('engine', new StoreError(`the embedded store died and is started again: ${why}`))
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      engine = new EngineProcess(launch)
      if (!(await engine.ready(readyMs))) await engine.end()
    }
  }

  return {
    address: { http: url, tcp: `127.0.0.1:${launch.tcpPort}` },
    password: launch.password,
    pid: () => engine.pid,
    close: async () => {
      stopping.abort()
      await engine.end()
      await supervised
    },
  }
}
