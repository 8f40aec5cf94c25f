/** Buys in each way: over HTTP, over MCP of both eras, and with clients of TypeScript and Python that are made from the running seller. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { callerOf, clientOf } from '../query/mcp/connected.ts'
import { evmKey } from '../sandbox/running.ts'

const run = promisify(execFile)
const python = process.env.PYTHON ?? 'python3'
export const account = privateKeyToAccount(evmKey)
const payer = new x402Client().setSpendControls(false).register('eip155:8453', new ExactEvmScheme(account))
export const pay = wrapFetchWithPayment(fetch, payer) as typeof fetch

export interface Wanted {
  path: string
  question: object
}

const toolOf = (path: string) => path.slice(1).replaceAll('/', '_')

/** Why there is no Python to buy with, if there is none. */
export const withoutPython = await run(python, [
  '-c',
  'import httpx, rfc8785, x402.mechanisms.evm.exact',
]).then(
  () => undefined,
  () => 'no Python to try it with',
)

const program = `import json, sys
from farebox import Farebox, Wallet
with Farebox(sys.argv[1], wallet=Wallet.from_env(), network="base") as opened:
    result = getattr(opened, sys.argv[2])(json.loads(sys.argv[3]))
    print(json.dumps(result.answer))`

/** `folder` takes what is built. */
export class Buyer {
  readonly url: string
  readonly #folder: string
  readonly #ends: (() => void)[] = []
  // biome-ignore lint/suspicious/noExplicitAny: it is made while the test runs
  #made: Promise<any> | undefined
  #written: Promise<string> | undefined

  constructor(url: string, folder: string) {
    this.url = url
    this.#folder = folder
  }

  end(): void {
    for (const end of this.#ends) end()
  }

  post(path: string, question: object, by = pay): Promise<Response> {
    return by(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    })
  }

  readonly ways = {
    HTTP: async ({ path, question }: Wanted) => (await this.post(path, question)).json(),
    'MCP of before': async ({ path, question }: Wanted) => {
      const call = callerOf(await clientOf(`${this.url}/mcp`))
      const { json } = await call(toolOf(path), question)
      const payment = await payer.createPaymentPayload(json as never)
      return (await call(toolOf(path), question, { 'x402/payment': payment })).json
    },
    'MCP of 2026-07-28': async ({ path, question }: Wanted) => {
      const mode = { pin: '2026-07-28' }
      const client = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(`${this.url}/mcp`)))
      onTestFinished(() => client.close())
      const asked = { name: toolOf(path), arguments: question as Record<string, unknown> }
      const quoted = await client.callTool(asked)
      const payment = await payer.createPaymentPayload(quoted.structuredContent as never)
      return (await client.callTool({ ...asked, _meta: { 'x402/payment': payment } })).structuredContent
    },
    TypeScript: async ({ path, question }: Wanted) => {
      const { createFarebox, purseInMemory } = await this.#typescript()
      const client = createFarebox({ url: this.url, wallet: { evmKey }, purse: purseInMemory() })
      const name = path.slice(1).replace(/[/_-](\w)/g, (_, letter: string) => letter.toUpperCase())
      const { ok, answer, error, receipt } = await client[name](question)
      if (!ok) throw new Error(error.message)
      return { receipt, ...answer }
    },
    Python: async ({ path, question }: Wanted) => {
      const env = {
        ...process.env,
        PYTHONPATH: await this.#python(),
        ...{ FAREBOX_KEY: evmKey, XDG_STATE_HOME: join(this.#folder, 'state') },
      }
      const args = ['-c', program, this.url, path.slice(1).replaceAll(/[/-]/g, '_'), JSON.stringify(question)]
      return JSON.parse((await run(python, args, { env })).stdout)
    },
  } as const

  #typescript() {
    this.#made ??= (async () => {
      // Where its imports are found.
      const built = mkdtempSync(join(resolve('node_modules'), '.client-'))
      this.#ends.push(() => rmSync(built, { recursive: true, force: true }))
      await run(process.execPath, [resolve('services/commands/client.ts'), this.url, built])
      return import(pathToFileURL(join(built, 'index.js')).href)
    })()
    return this.#made
  }

  #python() {
    this.#written ??= (async () => {
      const built = join(this.#folder, 'python')
      await run(process.execPath, [resolve('services/commands/client-python.ts'), this.url, built])
      return built
    })()
    return this.#written
  }
}

export type Way = keyof Buyer['ways']
export const ways = [
  'HTTP',
  'MCP of before',
  'MCP of 2026-07-28',
  'TypeScript',
  'Python',
] as const satisfies Way[]
