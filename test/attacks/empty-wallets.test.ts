/**
 * Nobody works for a wallet that cannot pay, whether sixty wallets ask from one address or from everywhere: at no built-in operation, and at
 * none of a file.
 */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lookups } from '../../pipelines/lookups/index.ts'
import { dbIp } from '../../pipelines/lookups/ip/upstream.ts'
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../pipelines/lookups/runner.ts'
import { UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { createOutside } from '../../pipelines/rails/outside/upstreams/open-outside.ts'
import { datasets } from '../../schemas/index.ts'
import type { Held, Operation, Tools } from '../../services/offer/operation.ts'
import { refusalsAMinute } from '../../services/offer/rate.ts'
import { origins } from '../../services/origins/index.ts'
import { scratchFolder } from '../scratch.ts'
import { openSelling, type Selling } from '../services/query/selling.ts'
import { opened } from '../services/sell/asking.ts'
import { header, signed } from '../services/till/paying.ts'
import { startUpstream } from '../upstream.ts'

const builtIn = origins.flatMap(origin => origin.operations)
const paths = [
  '/read',
  '/extract',
  '/extract/batch',
  '/screenshot',
  '/pdf',
  '/search/read',
  '/web/brief',
  '/attest',
]
const ofFile = ['/tide', '/tide/batch', '/tides']

/** An API and a view: a module is asked as they are. The engine reads the query at the start, for nobody. */
async function openFile(worked: string[]) {
  const upstream = await startUpstream((_, response) => {
    worked.push('the API of the file')
    response.end('1')
  })
  const sold = async (query: string) => {
    if (query.startsWith('explain')) return 'SelectQuery'
    worked.push('the store')
    return '{"n":1}'
  }
  return opened(
    `origin: tides
title: Tides
operations:
  /tide:
    title: An API
    price: 0.003
    from: { http: '${upstream.url}/' }
    batch: 3
    example: { question: {} }
  /tides:
    title: A view
    price: 0.003
    from: { view: 'select 1 as n' }
    example: { question: {} }
`,
    {},
    { store: async () => ({ sold }) as never },
  )
}
const empty: Held<never> = {
  get: () => undefined,
  rows: () => [],
  size: 0,
  polledAt: Date.now(),
  once: (_, build) => build(empty).value,
}

/** Opens every operation and every lookup, and lists the work that each would have caused. */
async function openShop() {
  const worked: string[] = []
  const working = (name: string): unknown =>
    new Proxy(() => {}, {
      get: (_, part) => (part === 'then' ? undefined : working(`${name}.${String(part)}`)),
      apply: () => {
        worked.push(name)
        throw new UpstreamFailed(name)
      },
    })
  const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
    topics: datasets.map(({ topic }) => topic),
  })
  const names = ['ask', 'visits', 'chains', 'pages', 'reading', 'model', 'products'] as const
  const finder = await startLookups(lookups, {
    needsOf: () => ({
      dataDir: scratchFolder(),
      search: { api: 'brave', token: 'token' },
      ...Object.fromEntries(names.map(name => [name, working(name)])),
    }),
    outside: signal => ({
      ...createOutside({ at: {}, contact: 'test', now: Date.now })(signal),
      get: async ({ variable }) => {
        // A timer renews the database of addresses, without any caller.
        if (variable !== dbIp.variable) worked.push(variable)
        throw new UpstreamFailed(variable)
      },
    }),
    now: Date.now,
    log,
  })
  const file = await openFile(worked)
  const operations = [...builtIn, ...file.origin.operations]
  const ofTheFile = new Set<Lookup>(file.origin.lookups)
  const tools: Partial<Tools> = {
    find: (lookup, ...asked) =>
      ofTheFile.has(lookup as Lookup) ? file.tools.find(lookup, ...asked) : finder.find(lookup, ...asked),
    view: () => empty,
    use: part => working(part.name) as never,
  }
  const selling = await openSelling({ operations, tools, trustProxy: true, checkAnswers: false })
  onTestFinished(async () => {
    await finder.close()
    await log.close()
  })
  return { ...selling, worked, operations }
}

async function callFrom({ ask }: Selling, { path, price, example }: Operation, address: string) {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const amount = String(Math.round(Number(price) * 1e6))
  const payment = await signed({ value: amount }, Date.now(), 'base', wallet as never)
  payment.accepted.amount = amount
  return ask({
    path,
    body: JSON.stringify(example.request),
    headers: { 'payment-signature': header(payment), 'x-forwarded-for': address },
  })
}

/** The costly ones, and those of the file, again and again. */
const asked = ({ operations }: Pick<Shop, 'operations'>, i: number): Operation => {
  const all = [...paths, ...ofFile]
  return operations.find(operation => operation.path === all[i % all.length]) as Operation
}

type Shop = Awaited<ReturnType<typeof openShop>>

describe('sixty empty wallets', () => {
  it('from one address have nothing done for them, and are turned away after thirty', async () => {
    const shop = await openShop()
    Object.assign(shop.facilitator, { verify: 'refused', reason: 'insufficient_funds' })
    const statuses: number[] = []
    for (let i = 0; i < 60; i++) statuses.push((await callFrom(shop, asked(shop, i), '203.0.113.7')).status)
    expect(statuses).toEqual([...Array(refusalsAMinute).fill(402), ...Array(60 - refusalsAMinute).fill(429)])
    expect(shop.facilitator.calls.verify).toBe(refusalsAMinute)
    expect(shop.worked).toEqual([])
  })

  it('at once, from sixty addresses, have nothing done for them', async () => {
    const shop = await openShop()
    Object.assign(shop.facilitator, { verify: 'refused', reason: 'insufficient_funds' })
    const calls = Array.from({ length: 60 }, (_, i) => callFrom(shop, asked(shop, i), `2001:db8:0:${i}::1`))
    for (const { status } of await Promise.all(calls)) expect(status).toBe(402)
    expect(shop.worked).toEqual([])
  })
})

describe('a caller who cannot pay', () => {
  it('causes no work at any operation', async () => {
    const shop = await openShop()
    Object.assign(shop.facilitator, { verify: 'refused', settle: 'refused', reason: 'insufficient_funds' })
    for (const [i, operation] of shop.operations.entries()) {
      const { status } = await callFrom(shop, operation, `198.51.100.${i}`)
      expect([operation.path, status >= 400, shop.worked]).toEqual([operation.path, true, []])
    }
  })

  it('is told from who can: for a full wallet each of the costly ones begins its work', async () => {
    const shop = await openShop()
    // After /extract has failed for these pages, the batch does not fetch them.
    for (const path of [...paths, ...ofFile].filter(path => path !== '/extract/batch')) {
      shop.worked.length = 0
      await callFrom(shop, shop.operations.find(one => one.path === path) as Operation, '203.0.113.7')
      expect([path, shop.worked]).toEqual([path, expect.arrayContaining([expect.any(String)])])
    }
  })
})
