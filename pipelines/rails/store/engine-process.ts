/** One run of the engine: this starts it, waits until it answers, and ends it. */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

interface Launch {
  libchdb: string
  folder: string
  httpPort: number
  tcpPort: number
  configFile: string | undefined
  usersFile: string
  password: string
  analystPassword: string
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const program = here('engine.ts')
const ownConfigFile = here('../../../deploy/clickhouse/embedded.xml')
const httpFile = here('../../../deploy/clickhouse/http.xml')
const functionsFolder = here('../../../deploy/clickhouse/functions/')
/** The last lines of the engine say why it ended. */
const keptCharacters = 4_000
const endMs = 5_000

export class EngineProcess {
  /** Resolves with the last output when the engine has ended. */
  readonly ended: Promise<string>
  readonly pid: number | undefined
  readonly #end: () => void
  readonly #kill: () => void
  readonly #answers: () => Promise<boolean>
  #gone = false

  constructor({ libchdb, folder, httpPort, tcpPort, configFile = ownConfigFile, ...launch }: Launch) {
    // It has its own session, because Ctrl-C must not reach the engine before the service has drained.
    const child = spawn(
      process.execPath,
      [program, libchdb, configFile, folder, `${httpPort}`, `${tcpPort}`],
      {
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe'],
        env: {
          STORE_PASSWORD: launch.password,
          ANALYST_PASSWORD: launch.analystPassword,
          USERS_FILE: launch.usersFile,
          HTTP_FILE: httpFile,
          FUNCTIONS_FOLDER: functionsFolder,
        },
      },
    )
    let words = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-keptCharacters)
    })
    child.stdin.on('error', () => {})
    this.pid = child.pid
    this.ended = new Promise(resolve => {
      const finish = (how: string) => {
        this.#gone = true
        resolve(firstLine(words) ?? how)
      }
      child.once('error', error => finish(error.message))
      child.once('close', (code, signal) => finish(signal ?? `exit code ${code}`))
    })
    this.#end = () => child.stdin.end()
    this.#kill = () => child.kill('SIGKILL')
    const authorization = `Basic ${Buffer.from(`farebox:${launch.password}`).toString('base64')}`
    this.#answers = async () => {
      const url = `http://127.0.0.1:${httpPort}/?query=select+1`
      const answer = await fetch(url, { headers: { authorization }, signal: AbortSignal.timeout(1_000) })
      await answer.body?.cancel()
      return answer.ok
    }
  }

  get isGone(): boolean {
    return this.#gone
  }

  /** Resolves with false if the engine ended or did not answer in time. */
  async ready(withinMs: number): Promise<boolean> {
    const giveUpAt = performance.now() + withinMs
    while (!this.#gone && performance.now() < giveUpAt) {
      if (await this.#answers().catch(() => false)) return true
      await sleep(20)
    }
    return false
  }

  async end(): Promise<string> {
    this.#end()
    const timer = setTimeout(this.#kill, endMs)
    const words = await this.ended
    clearTimeout(timer)
    return words
  }
}

const firstLine = (words: string): string | undefined =>
  words
    .split('\n')
    .map(line => line.trim())
    .find(line => line !== '')
