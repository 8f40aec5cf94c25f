/** Nobody works for a wallet that cannot pay, whether sixty wallets ask from one address or from everywhere. */
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lookups } from '../../pipelines/lookups/index.ts'
import { dbIp } from '../../pipelines/lookups/ip/upstream.ts'
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
import { header, signed } from '../services/till/paying.ts'

const operations = origins.flatMap(origin => origin.operations)
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
  const tools: Partial<Tools> = {
    find: finder.find,
    view: () => empty,
    use: part => working(part.name) as never,
  }
  const selling = await openSelling({ operations, tools, trustProxy: true, checkAnswers: false })
  onTestFinished(async () => {
    await finder.close()
    await log.close()
  })
  return { ...selling, worked }
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

const asked = (i: number): Operation => {
  const path = paths[i % paths.length]
  return operations.find(operation => operation.path === path) as Operation
}

describe('sixty empty wallets', () => {
  it('from one address have nothing done for them, and are turned away after thirty', async () => {
    const shop = await openShop()
    Object.assign(shop.facilitator, { verify: 'refused', reason: 'insufficient_funds' })
    const statuses: number[] = []
    for (let i = 0; i < 60; i++) statuses.push((await callFrom(shop, asked(i), '203.0.113.7')).status)
    expect(statuses).toEqual([...Array(refusalsAMinute).fill(402), ...Array(60 - refusalsAMinute).fill(429)])
    expect(shop.facilitator.calls.verify).toBe(refusalsAMinute)
    expect(shop.worked).toEqual([])
  })

  it('at once, from sixty addresses, have nothing done for them', async () => {
    const shop = await openShop()
    Object.assign(shop.facilitator, { verify: 'refused', reason: 'insufficient_funds' })
    const calls = Array.from({ length: 60 }, (_, i) => callFrom(shop, asked(i), `2001:db8:0:${i}::1`))
    for (const { status } of await Promise.all(calls)) expect(status).toBe(402)
    expect(shop.worked).toEqual([])
  })
})

describe('a caller who cannot pay', () => {
  it('causes no work at any operation', async () => {
    const shop = await openShop()
    Object.assign(shop.facilitator, { verify: 'refused', settle: 'refused', reason: 'insufficient_funds' })
    for (const [i, operation] of operations.entries()) {
      const { status } = await callFrom(shop, operation, `198.51.100.${i}`)
      expect([operation.path, status >= 400, shop.worked]).toEqual([operation.path, true, []])
    }
  })

  it('is told from who can: for a full wallet each of the costly ones begins its work', async () => {
    const shop = await openShop()
    // After /extract has failed for these pages, the batch does not fetch them.
    for (const path of paths.filter(path => path !== '/extract/batch')) {
      shop.worked.length = 0
      await callFrom(shop, operations.find(one => one.path === path) as Operation, '203.0.113.7')
      expect([path, shop.worked]).toEqual([path, expect.arrayContaining([expect.any(String)])])
    }
  })
})
