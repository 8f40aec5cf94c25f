/**
 * The clients of others as they are published: they pay on both networks. To build them takes minutes, so they belong to the long form.
 * What was built or installed once is kept beside the other tools, in the user's cache.
 */
import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { solanaKeyText } from '../../../services/sandbox/keys.ts'
import { evmKey, type RunningSandbox, runSandbox } from './running.ts'

const run = promisify(execFile)
const isLong = process.env.LONG_FORM !== undefined
const longestMs = 60 * 60_000
const python = process.env.PYTHON ?? 'python3'
const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
const kept = join(caches, 'farebox-tools/published')

type Command = readonly [program: string, ...args: string[]]

interface Published {
  /** Its folder beside this file. */
  folder: string
  /** What makes it ready, one after another, and what runs it then. */
  steps: readonly Command[]
  runs: Command
  env?: NodeJS.ProcessEnv
}

const rust = (...features: string[]): Published => ({
  folder: 'rust',
  steps: [['cargo', 'build', '--quiet', '--target-dir', 'target', ...features]],
  runs: ['target/debug/pays'],
})

const sdk = 'github.com/x402-foundation/x402/go@v2.9.0'
const go: Published = {
  folder: 'go',
  steps: [
    ['go', 'get', sdk],
    ['go', 'mod', 'tidy'],
    ['go', 'build', '-o', 'pays'],
  ],
  runs: ['./pays'],
  env: { GOFLAGS: '-mod=mod' },
}

const node = (client: 'fetch' | 'axios'): Published => ({
  folder: 'node',
  steps: [['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline']],
  runs: [process.execPath, 'pays.js'],
  env: { CLIENT: client },
})

const inPython = (client: 'requests' | 'httpx'): Published => ({
  folder: 'python',
  steps: [[python, '-c', 'import requests, x402.http.clients.httpx, x402.mechanisms.svm']],
  runs: [python, 'pays.py'],
  env: { CLIENT: client },
})

/** Two versions of one package cannot stand in one folder. */
const overMcp = (version: string, ...more: string[]): Published => ({
  folder: 'python',
  steps: [
    [python, '-m', 'venv', `mcp-${version}`],
    [`mcp-${version}/bin/pip`, 'install', '-q', `mcp==${version}`, 'x402[evm]==2.25.0', ...more],
  ],
  runs: [`mcp-${version}/bin/python`, 'tools.py'],
})

const clients: [string, Published, ...networks: string[]][] = [
  ['fetch of @x402/fetch', node('fetch'), 'base', 'solana'],
  ['axios of @x402/axios', node('axios'), 'base', 'solana'],
  ['requests of x402 for Python', inPython('requests'), 'base', 'solana'],
  ['httpx of x402 for Python', inPython('httpx'), 'base', 'solana'],
  ['mcp 1.9 for Python', overMcp('1.9.4', 'pydantic<2.12'), 'base'],
  ['mcp 1.30 for Python', overMcp('1.30.0'), 'base'],
  ['the SDK 2.9 for Go', go, 'base', 'solana'],
  ['x402-reqwest 2.0.2, in Rust,', rust(), 'base'],
  ['x402-reqwest 2.0.2, in Rust,', rust('--features', 'solana'), 'solana'],
]

describe.skipIf(!isLong)(`as it is published${isLong ? '' : ': LONG_FORM is unset'}`, () => {
  let sandbox: RunningSandbox
  beforeAll(async () => {
    sandbox = await runSandbox()
  })
  afterAll(() => sandbox?.stop())

  it.for(
    clients.flatMap(([name, client, ...networks]) => networks.map(each => [name, each, client] as const)),
  )('%s pays on %s', { timeout: longestMs }, async ([, network, client], context) => {
    const own = {
      ...{ NETWORK: network, FAREBOX_URL: sandbox.url, FAREBOX_KEY: evmKey },
      ...{ SOLANA_KEY: await solanaKeyText('payer'), FAREBOX_SOLANA_RPC: sandbox.solanaRpcUrl },
    }
    const answers = (await said(client, own, context)).map(line => JSON.parse(line))
    const paid = { charged: true, network }
    expect(answers).toMatchObject([{ receipt: paid }, { receipt: paid }])
    expect(new Set(answers.map(({ receipt }) => receipt.payment_tx)).size).toBe(2)
  })
})

/** The lines that the client prints. */
async function said(
  { folder, steps, runs, env: more }: Published,
  own: NodeJS.ProcessEnv,
  context: TestContext,
): Promise<string[]> {
  const cwd = join(kept, folder)
  // With their times, so that nothing is built again that is the same.
  cpSync(join(import.meta.dirname, 'published', folder), cwd, { recursive: true, preserveTimestamps: true })
  const env = { ...process.env, ...more }
  for (const [program, ...args] of steps) {
    const failed = await run(program, args, { cwd, env, maxBuffer: 64 << 20 }).then(
      () => undefined,
      (error: Error) => error.message,
    )
    // What cannot be had on this machine is no fault of ours; what was had and does not compile is.
    if (failed && isMissing(failed)) context.skip(failed.trim().split('\n').slice(0, 3).join(' '))
    expect(failed).toBeUndefined()
  }
  const [program, ...args] = runs
  const { stdout } = await run(program, args, { cwd, env: { ...env, ...own } })
  return stdout.trim().split('\n')
}

/** The compiler is not there, or the registry does not give the package. */
const isMissing = (failed: string): boolean =>
  [
    /ENOENT|403 Forbidden|404 Not Found|no matching package|failed to (download|get)|dial tcp/,
    /No module named|No matching distribution|npm error code (E40\d|ETARGET|ENOTFOUND)/,
  ].some(word => word.test(failed))
