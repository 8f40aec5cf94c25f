/**
 * Each example is bought in each way: over HTTP, over MCP of both eras, with clients of TypeScript and Python that are made from the
 * running seller. And each is free where what is behind it breaks: the chain has the last word. LONG_FORM=1: each kind in each way.
 */
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineOf } from '../../../pipelines/rails/store/embedded.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { until } from '../../until.ts'
import { type RunningSandbox, runSandbox } from '../sandbox/running.ts'
import { account, Buyer, type Wanted, ways, withoutPython } from './buying.ts'
import { soldExamples } from './sold-examples.ts'

const folder = mkdtempSync(join(tmpdir(), 'ways-'))
const own = join(folder, 'own')

let upstream: Server
let sandbox: RunningSandbox
let buyer: Buyer
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
  'broken.yaml': `origin: broken
title: What breaks
operations:
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
  .join('')}  /broken/slowly:
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

let examples: Awaited<ReturnType<typeof soldExamples>>

beforeAll(async () => {
  upstream = createServer(({ url = '' }, response) => {
    const [, first = '', last = ''] = url.split('?')[0]?.split('/') ?? []
    if (first === 'pid') {
      response.end()
      return working?.(Number(last))
    }
    asked.push(last)
    return faults[last]?.(response)
  })
  await new Promise<void>(done => upstream.listen(0, '127.0.0.1', done))
  mkdirSync(own)
  const files = filesAt((upstream.address() as AddressInfo).port)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(own, name), text)
  examples = await soldExamples(
    folder,
    ['broken.yaml', 'working.yaml'].map(name => join(own, name)),
  )
  sandbox = await runSandbox(examples.env)
  buyer = new Buyer(sandbox.url, folder)
})
afterAll(async () => {
  buyer?.end()
  await sandbox?.stop()
  await examples?.end()
  upstream.closeAllConnections()
  await new Promise(done => upstream.close(done))
  rmSync(folder, { recursive: true, force: true })
})

const kinds = {
  http: {
    path: '/tide',
    question: { station: '9414290' },
    answer: { answer: { station: '9414290', high: '04:12' } },
  },
  'http, bytes': {
    path: '/chart',
    question: { numbers: [1, 4, 2] },
    answer: { media_type: 'image/png', answer: expect.stringMatching(/^iVBOR/) },
  },
  openapi: {
    path: '/list-berths',
    question: { port: 'NLRTM', day: '2026-05-01' },
    answer: { answer: [{ name: 'A1', depth: 3.5 }] },
  },
  view: {
    path: '/rates/since',
    question: { currency: 'USD', since: '2026-01-01' },
    answer: { answer: expect.arrayContaining([{ day: expect.any(String), rate: expect.any(Number) }]) },
  },
  module: {
    path: '/day/length',
    question: { latitude: 52.4, day: '2026-06-21' },
    answer: { answer: { hours: 16.57 } },
  },
  'origin in code': {
    path: '/moved/geocode',
    question: { address: '1600 Pennsylvania Avenue NW, Washington, DC 20500' },
    answer: { best: { state: 'DC' } },
  },
} as const satisfies Record<string, Wanted & { answer: object }>

/** The feeds of the sandbox bring the first rates a little later. */
const ready = (kind: Wanted) =>
  until(async () => (await buyer.post(kind.path, kind.question)).status === 200, `${kind.path} to be sold`)

/** One kind for each way, and over HTTP each. */
const usual = new Set(['MCP of before view', 'MCP of 2026-07-28 module', 'TypeScript openapi', 'Python http'])

describe('what a file sells is bought', () => {
  const all = ways.flatMap(way =>
    (Object.keys(kinds) as (keyof typeof kinds)[]).map(kind => [kind, way] as const),
  )
  const tried = all.filter(
    ([kind, way]) => process.env.LONG_FORM || way === 'HTTP' || usual.has(`${way} ${kind}`),
  )
  it.for(tried)('%s, by %s', async ([kind, way], context) => {
    if (way === 'Python' && withoutPython) context.skip(withoutPython)
    await ready(kinds[kind])
    expect(await buyer.ways[way](kinds[kind])).toMatchObject({
      ...kinds[kind].answer,
      receipt: { charged: true, network: 'base' },
    })
  })

  it.each([
    ['/geocode', '/moved/geocode', kinds['origin in code'].question],
    ['/geocode/reverse', '/moved/reverse', { lat: 38.898754, lon: -77.03535 }],
    ['/geocode/reverse', '/moved/reverse', { lat: 0, lon: 0 }],
    ['/geocode', '/moved/geocode', { address: 'No such street 1, Nowhere, XX 00000' }],
    ['/geocode', '/moved/geocode', { address: '' }],
  ])('%s, moved out of the tree to %s, gives the same bytes', async (built, moved, question) => {
    const given = async (path: string) => {
      const answer = await buyer.post(path, question)
      const text = await answer.text()
      return [answer.status, text.replace(/,"receipt":\{.*\}\}$/, '}').replaceAll(moved, built)]
    }
    const [status, text] = await given(built)
    expect(await given(moved)).toEqual([status, text])
    expect(text).toMatch(status === 200 ? /"source":/ : /"charged":false/)
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
    await failed(await buyer.post(`/broken/${fault}`, {}))
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
    const [answer] = await Promise.all([buyer.post('/working', { q: 'work' }), killed])
    await failed(answer)
    expect(await balance()).toBe(before)
    expect(await (await buyer.post('/working', { q: 'rest' })).json()).toMatchObject({
      answer: { q: 'rest' },
    })
    expect(await balance()).toBe(before - 4_000n)
  })

  it('a query whose engine is killed, and the engine comes back by itself with all that it had', async () => {
    const rates = 'select count(), sum(cityHash64(day, currency, rate)) from farebox.fx_daily'
    const had = await (await engine()).ask(rates)
    const question = { currency: 'CHF', since: '2026-01-01' }
    const sold = (await buyer.ways.HTTP({ ...kinds.view, question })) as Bought
    const before = await balance()
    const [answer] = await Promise.all([buyer.post('/broken/slowly', { q: 'a' }), killEngine()])
    await failed(answer)
    expect(await balance()).toBe(before)
    // An engine is back before the seller asks it again, and a caller has 600 calls a minute.
    await until(async () => {
      const { status } = await buyer.post('/broken/slowly', { q: 'b' })
      if (status !== 200) await sleep(250)
      return status === 200
    }, 'the engine')
    expect(await balance()).toBe(before - 2_000n)
    expect(await (await engine()).ask(rates)).toBe(had)
    const { payment_tx } = sold.receipt
    const told = `select count() from farebox.settlements final where state = 'settled' and payment_tx = '${payment_tx}'`
    await until(async () => (await (await engine()).ask(told)).trim() === '1', 'the sale in the store')
  })
})

interface Bought {
  receipt: { payment_tx: string }
}

/** The engine of this sandbox answers at this address, and has no other than its own folder. */
async function engine() {
  const [name = ''] = globSync('{sample,live}*/clickhouse', { cwd: sandbox.folder })
  const folder = join(sandbox.folder, name)
  const access = await engineOf(folder)
  const ask = async (query: string) => {
    if (!access) throw new Error('the engine is away')
    const authorization = `Basic ${Buffer.from(`${access.username}:${access.password}`).toString('base64')}`
    return (await fetch(access.url, { method: 'POST', headers: { authorization }, body: query })).text()
  }
  return { folder, ask }
}

async function killEngine(): Promise<void> {
  const { folder, ask } = await engine()
  const asking = "select count() from system.processes where query ilike '%as slept%' and user = 'seller'"
  await until(async () => (await ask(asking)).trim() === '1', 'the question in the engine')
  const isOurs = (pid: string) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return words.includes(folder) && words.some(word => word.endsWith('/engine.ts'))
    } catch {
      return false
    }
  }
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name) && isOurs(name))
  expect(pids).toHaveLength(1)
  process.kill(Number(pids[0]), 'SIGKILL')
}
