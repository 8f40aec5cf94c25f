/** `npm run query`: opens the engine's client on the running store. Without a client it opens a plain prompt. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { environmentOfProcess } from '../config/process-environment.ts'
import { Misused, runCommand } from './command-line.ts'
import { asked, type StandingStore, standingStore } from './standing-store.ts'

const usage = `npm run query [-- 'SQL']

  Opens clickhouse-client on the store that runs, or a plain prompt where it is not installed. With SQL, prints its answer.
  STORE_URL (or STORE_PORT and STORE_TCP_PORT, for an embedded store) names the store, as for npm run serve.`

const settings = { default_format: 'PrettyCompact', output_format_pretty_color: '0' }

const answer = async (store: StandingStore, statement: string): Promise<string> =>
  (await asked(store, statement, settings)).text()

/** The native client, if it is on the PATH. */
const client = (): [string, ...string[]] | undefined =>
  ([['clickhouse-client'], ['clickhouse', 'client']] as [string, ...string[]][]).find(
    ([command, ...args]) => spawnSync(command, [...args, '--version']).status === 0,
  )

async function opened([command, ...args]: [string, ...string[]], store: StandingStore): Promise<number> {
  const { native = { host: new URL(store.url).hostname, port: 9000 }, user, password, database } = store
  const to = ['--host', native.host, '--port', `${native.port}`, '--user', user, '--database', database]
  const child = spawn(command, [...args, ...to], {
    stdio: 'inherit',
    env: { ...environmentOfProcess(), CLICKHOUSE_PASSWORD: password },
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

/** A statement ends with a semicolon or with an empty line. */
async function prompted(store: StandingStore): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: `${store.user}> ` })
  let statement = ''
  let isOpen = true
  lines.once('close', () => {
    isOpen = false
  })
  lines.prompt()
  for await (const line of lines) {
    if (statement === '' && /^\s*(exit|quit)\s*;?\s*$/i.test(line)) break
    statement += `${line}\n`
    if (line.trim() === '' || /;\s*$/.test(line)) {
      const whole = statement.trim().replace(/;$/, '')
      statement = ''
      if (whole) console.log(await answer(store, whole).catch(error => (error as Error).message))
    }
    if (isOpen) lines.prompt()
  }
  lines.close()
}

async function run(args: string[]): Promise<number> {
  const [statement, ...more] = args
  if (more.length || statement?.startsWith('-')) throw new Misused(usage)
  const store = await standingStore()
  if (statement !== undefined) {
    process.stdout.write(await answer(store, statement))
    return 0
  }
  const native = process.stdin.isTTY ? client() : undefined
  if (native) return opened(native, store)
  await answer(store, 'select 1')
  await prompted(store)
  return 0
}

if (import.meta.main) runCommand(usage, run)
