/** Clients of other languages as they are published: they pay on both networks. To build them takes minutes, so they belong to the long form. */
import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { solanaKeyText } from '../../../services/sandbox/keys.ts'
import { evmKey, type RunningSandbox, runSandbox } from './running.ts'

const run = promisify(execFile)
const isLong = process.env.LONG_FORM !== undefined
const minutes = (count: number) => count * 60_000

/** What builds the program, one after another, and what it is then. */
interface Building {
  steps: readonly (readonly [program: string, ...args: string[]])[]
  built: string
}

const cargo = (...features: string[]): Building => ({
  steps: [['cargo', 'build', '--quiet', ...features]],
  built: 'target/debug/pays',
})
const sdk = 'github.com/x402-foundation/x402/go@v2.9.0'
const go: Building = {
  steps: [
    ['go', 'get', sdk],
    ['go', 'mod', 'tidy'],
    ['go', 'build', '-o', 'pays'],
  ],
  built: 'pays',
}

describe.skipIf(!isLong)(`as it is published${isLong ? '' : ': LONG_FORM is unset'}`, () => {
  let sandbox: RunningSandbox
  beforeAll(async () => {
    sandbox = await runSandbox()
  })
  afterAll(() => sandbox?.stop())

  it.for<[string, string, string, Building]>([
    ['x402-reqwest 2.0.2, in Rust,', 'rust', 'base', cargo()],
    ['x402-reqwest 2.0.2, in Rust,', 'rust', 'solana', cargo('--features', 'solana')],
    ['the SDK 2.9 for Go', 'go', 'base', go],
    ['the SDK 2.9 for Go', 'go', 'solana', go],
  ])(
    '%s of the folder %s pays on %s',
    { timeout: minutes(40) },
    async ([, program, network, { steps, built }], context) => {
      const folder = join(sandbox.folder, 'published', program)
      cpSync(join(import.meta.dirname, 'published', program), folder, { recursive: true })
      const env = { ...process.env, GOFLAGS: '-mod=mod' }
      for (const [word, ...args] of steps) {
        const failed = await run(word, args, { cwd: folder, env, maxBuffer: 64 << 20 }).then(
          () => undefined,
          (error: Error) => error.message,
        )
        // What cannot be had on this machine is no fault of ours; what was had and does not compile is.
        if (failed && isMissing(failed)) context.skip(failed.trim().split('\n').slice(0, 3).join(' '))
        expect(failed).toBeUndefined()
      }
      const own = {
        ...{ NETWORK: network, FAREBOX_URL: sandbox.url, FAREBOX_KEY: evmKey },
        ...{ SOLANA_KEY: await solanaKeyText('payer'), FAREBOX_SOLANA_RPC: sandbox.solanaRpcUrl },
      }
      const { stdout } = await run(join(folder, built), [], { env: { ...env, ...own } })
      const answers = stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(answers).toMatchObject(['JPY', 'USD'].map(to => ({ to, receipt: { charged: true, network } })))
      expect(new Set(answers.map(({ receipt }) => receipt.payment_tx)).size).toBe(2)
    },
  )
})

/** The compiler is not there, or the registry does not give the package. */
const isMissing = (failed: string): boolean =>
  /ENOENT|403 Forbidden|404 Not Found|no matching package|failed to (download|get)|dial tcp/.test(failed)
