/**
 * Each kind of a file is bought in each way: over HTTP, over MCP of both eras, with clients of TypeScript and Python that are made from the
 * running seller. And each is free where what is behind it breaks: the chain has the last word. LONG_FORM=1: each kind in each way.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { until } from '../../until.ts'
import { callerOf, clientOf } from '../query/mcp/connected.ts'
import { evmKey, type RunningSandbox, runSandbox } from '../sandbox/running.ts'

const run = promisify(execFile)
const python = process.env.PYTHON ?? 'python3'
const account = privateKeyToAccount(evmKey)
const payer = new x402Client().setSpendControls(false).register('eip155:8453', new ExactEvmScheme(account))
const pay = wrapFetchWithPayment(fetch, payer) as typeof fetch
const folder = mkdtempSync(join(tmpdir(), 'ways-'))

let upstream: Server
let sandbox: RunningSandbox
const asked: string[] = []
/** The process of a module that has a question. */
let working: ((pid: number) => void) | undefined

/** What an upstream does to the wire, by the station that is asked for. */
const faults: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  reset: response => response.socket?.resetAndDestroy(),
  half: response => {
    response.writeHead(200, { 'content-length': 1_000 }).write('{"station":')
    response.socket?.end()
  },
  cut: response => {
    response.writeHead(200).write('{"station":"cut"')
    setTimeout(() => response.socket?.destroy(), 50)
  },
  never: () => {},
  slow: response => {
    response.writeHead(200)
    const dripping = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(dripping))
  },
  twice: response => response.end('{"a":1,"a":2}'),
  html: response => response.end('<html>all is well</html>'),
  away: response => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  empty: response => response.end(),
  large: response => response.end(`"${'x'.repeat(3 << 20)}"`),
  error: response => response.writeHead(503).end('{"station":"error"}'),
  refused: response => response.writeHead(403).end('{"station":"refused"}'),
}

const filesAt = (port: number) => ({
  'tides.yaml': `origin: tides
title: Tide tables
operations:
  /tide:
    title: The tide at a station
    price: 0.003
    question: { station: { type: string } }
    from: { http: 'http://127.0.0.1:${port}/v2/{station}', within: 700ms }
    answer: { type: object, properties: { station: { type: string } }, required: [station] }
    example: { question: { station: a } }
${Object.keys(faults)
  .map(
    fault => `  /broken/${fault}:
    title: An upstream of its own, with its own circuit
    price: 0.003
    from: { http: 'http://127.0.0.1:${port}/v2/${fault}', within: 700ms }
    answer: { type: object }
    example: { question: {} }
`,
  )
  .join('')}`,
  'rates.yaml': `origin: rates
title: Rates
operations:
  /rates/newest:
    title: The euro in a currency
    price: 0.002
    question: { currency: { type: string } }
    from: { view: 'select day, rate from fx_daily where currency = {currency:String} order by day desc limit 1', rows: one }
    refuse: { none: unknown_currency }
    example: { question: { currency: USD } }
  /rates/slow:
    title: A query that takes its time
    price: 0.002
    question: { q: { type: string } }
    from: { view: 'select sleep(3) as slept, {q:String} as q', within: 20s }
    example: { question: { q: a } }
`,
  'working.yaml': `origin: working
title: A module that can be killed
operations:
  /working:
    title: It says who it is, and then works
    price: 0.004
    question: { q: { type: string } }
    from: { module: ./working.ts, within: 20s, hosts: ['http://127.0.0.1:${port}'] }
    example: { question: { q: a } }
`,
  'working.ts': `import { defineOperation } from 'farebox'
export default defineOperation({
  async answer({ q }, { fetch }) {
    if (q === 'work') {
      await fetch('http://127.0.0.1:${port}/pid/' + process.pid)
      await new Promise(() => setInterval(() => {}, 1000))
    }
    return { q }
  },
})
`,
})

beforeAll(async () => {
  upstream = createServer(({ url = '', method }, response) => {
    const [, first = '', last = ''] = url.split('?')[0]?.split('/') ?? []
    if (first === 'pid') {
      response.end()
      return working?.(Number(last))
    }
    if (method === 'POST') return response.end('{"legs":[],"miles":1}')
    if (first === 'berths') return response.end('[{"name":"A1","depth":3.5}]')
    asked.push(last)
    const fault = faults[last]
    return fault ? fault(response) : response.end(JSON.stringify({ station: last }))
  })
  await new Promise<void>(done => upstream.listen(0, '127.0.0.1', done))
  const { port } = upstream.address() as AddressInfo
  const files = filesAt(port)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  for (const name of ['harbour.json', 'harbour.yaml', 'sunrise.yaml', 'sunrise.ts'])
    cpSync(resolve('services/sell/examples', name), join(folder, name))
  const harbour = join(folder, 'harbour.yaml')
  const server = 'https://api.harbour.example/v2'
  writeFileSync(harbour, readFileSync(harbour, 'utf8').replace(server, `http://127.0.0.1:${port}`))
  const sold = readdirSync(folder).filter(name => name.endsWith('.yaml'))
  const names = sold.map(name => join(folder, name)).join(',')
  sandbox = await runSandbox({ HARBOUR_TOKEN: 'a-token-of-the-harbour', SELL: names })
})
afterAll(async () => {
  await sandbox?.stop()
  upstream.closeAllConnections()
  await new Promise(done => upstream.close(done))
  rmSync(folder, { recursive: true, force: true })
})

const kinds = {
  http: { path: '/tide', tool: 'tide', question: { station: 'a' }, answer: { station: 'a' } },
  openapi: {
    path: '/list-berths',
    tool: 'list-berths',
    question: { port: 'NLRTM', day: '2026-05-01' },
    answer: [{ name: 'A1', depth: 3.5 }],
  },
  view: {
    path: '/rates/newest',
    tool: 'rates_newest',
    question: { currency: 'USD' },
    answer: { rate: expect.any(Number) },
  },
  module: {
    path: '/day/length',
    tool: 'day_length',
    question: { latitude: 52.4, day: '2026-06-21' },
    answer: { hours: 16.57 },
  },
} as const
type Kind = (typeof kinds)[keyof typeof kinds]

const post = (path: string, question: object, by = pay) =>
  by(sandbox.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  })

/** The feeds of the sandbox bring the first rates a little later. */
const ready = (kind: Kind) =>
  until(async () => (await post(kind.path, kind.question)).status === 200, `${kind.path} to be sold`)

const boughtBy = {
  http: async ({ path, question }: Kind) => (await post(path, question)).json(),
  'MCP of before': async ({ tool, question }: Kind) => {
    const call = callerOf(await clientOf(`${sandbox.url}/mcp`))
    const { json } = await call(tool, question)
    const payment = await payer.createPaymentPayload(json as never)
    return (await call(tool, question, { 'x402/payment': payment })).json
  },
  'MCP of 2026-07-28': async ({ tool, question }: Kind) => {
    const mode = { pin: '2026-07-28' }
    const client = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${sandbox.url}/mcp`)))
    onTestFinished(() => client.close())
    const quoted = await client.callTool({ name: tool, arguments: question })
    const payment = await payer.createPaymentPayload(quoted.structuredContent as never)
    const _meta = { 'x402/payment': payment }
    return (await client.callTool({ name: tool, arguments: question, _meta })).structuredContent
  },
  TypeScript: async ({ path, question }: Kind) => {
    const { createFarebox, purseInMemory } = await typescript()
    const client = createFarebox({ url: sandbox.url, wallet: { evmKey }, purse: purseInMemory() })
    const name = path.slice(1).replace(/[/_-](\w)/g, (_, letter: string) => letter.toUpperCase())
    const { ok, answer, error, receipt } = await client[name](question)
    if (!ok) throw new Error(error.message)
    return { receipt, ...answer }
  },
  Python: async ({ path, question }: Kind) => {
    const program = `import json, sys
from farebox import Farebox, Wallet
with Farebox(sys.argv[1], wallet=Wallet.from_env(), network="base") as opened:
    result = getattr(opened, sys.argv[2])(json.loads(sys.argv[3]))
    print(json.dumps(result.answer))`
    const name = path.slice(1).replaceAll(/[/-]/g, '_')
    const env = {
      ...process.env,
      ...{ PYTHONPATH: await pythonFolder(), FAREBOX_KEY: evmKey, XDG_STATE_HOME: join(folder, 'state') },
    }
    const args = ['-c', program, sandbox.url, name, JSON.stringify(question)]
    return JSON.parse((await run(python, args, { env })).stdout)
  },
}

// biome-ignore lint/suspicious/noExplicitAny: it is made while the test runs
let made: Promise<any> | undefined
const typescript = () => {
  made ??= (async () => {
    // Where its imports are found.
    const built = mkdtempSync(join(resolve('node_modules'), '.client-'))
    onFinish.push(() => rmSync(built, { recursive: true, force: true }))
    await run(process.execPath, [resolve('services/commands/client.ts'), sandbox.url, built])
    return import(pathToFileURL(join(built, 'index.js')).href)
  })()
  return made
}
let written: Promise<string> | undefined
const pythonFolder = () => {
  written ??= (async () => {
    const built = join(folder, 'python')
    await run(process.execPath, [resolve('services/commands/client-python.ts'), sandbox.url, built])
    return built
  })()
  return written
}
const onFinish: (() => void)[] = []
afterAll(() => {
  for (const each of onFinish) each()
})

const withoutPython = await run(python, ['-c', 'import httpx, rfc8785, x402.mechanisms.evm.exact']).then(
  () => undefined,
  () => 'no Python to try it with',
)

/** One kind for each way, and over HTTP each. */
const usual = new Set(['MCP of before view', 'MCP of 2026-07-28 module', 'TypeScript openapi', 'Python http'])
const ways = Object.keys(boughtBy) as (keyof typeof boughtBy)[]

describe('what a file sells is bought', () => {
  const all = ways.flatMap(way =>
    (Object.keys(kinds) as (keyof typeof kinds)[]).map(kind => [kind, way] as const),
  )
  const tried = all.filter(
    ([kind, way]) => process.env.LONG_FORM || way === 'http' || usual.has(`${way} ${kind}`),
  )
  it.for(tried)('%s, by %s', async ([kind, way], context) => {
    if (way === 'Python' && withoutPython) context.skip(withoutPython)
    await ready(kinds[kind])
    expect(await boughtBy[way](kinds[kind])).toMatchObject({
      answer: kinds[kind].answer,
      receipt: { charged: true, network: 'base' },
    })
  })
})

/** The USDC of the payer, in atoms. */
async function balance(): Promise<bigint> {
  const data = `0x70a08231${account.address.slice(2).toLowerCase().padStart(64, '0')}`
  const params = [{ to: networks.base.asset, data }, 'latest']
  const response = await fetch(sandbox.baseRpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
  })
  return BigInt(((await response.json()) as { result: string }).result)
}

async function failed(answer: Response): Promise<void> {
  expect([answer.status, await answer.json()]).toEqual([502, expect.objectContaining({ charged: false })])
}

describe('what breaks behind it is free', () => {
  it.each(Object.keys(faults))('an upstream that is %s', async fault => {
    const before = await balance()
    await failed(await post(`/broken/${fault}`, {}))
    expect(asked).toContain(fault)
    expect(await balance()).toBe(before)
  })

  it('a module whose process is killed, and the next is sold', async () => {
    const before = await balance()
    const killed = new Promise<void>(done => {
      working = pid => {
        process.kill(pid, 'SIGKILL')
        done()
      }
    })
    const [answer] = await Promise.all([post('/working', { q: 'work' }), killed])
    await failed(answer)
    expect(await balance()).toBe(before)
    expect(await (await post('/working', { q: 'rest' })).json()).toMatchObject({ answer: { q: 'rest' } })
    expect(await balance()).toBe(before - 4_000n)
  })
})
