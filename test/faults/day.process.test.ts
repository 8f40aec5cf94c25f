/**
 * A day that really runs, by a clock that is moved: play chains, the till, own settling, refunds and the books live from before one
 * midnight to behind the next, with a sale every few minutes. At its end nothing differs and the day is closed; then one transfer that
 * nobody sold anything for is found.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestClient, http } from 'viem'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { ownWallet } from '../../pipelines/domains/books/facts.ts'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { openSqliteLog } from '../../pipelines/rails/log/sqlite-log.ts'
import { logVariables } from '../../pipelines/rails/log/variables.ts'
import { Books } from '../../pipelines/workers/books/books.ts'
import { leaveOrder } from '../../pipelines/workers/refunds/orders.ts'
import { startRefunds } from '../../pipelines/workers/refunds/worker.ts'
import { rejects } from '../../schemas/rejects.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { startEvmChain } from '../../services/sandbox/evm-chain.ts'
import { evmAccount, solanaSigner } from '../../services/sandbox/keys.ts'
import type { PlayChain } from '../../services/sandbox/play-chain.ts'
import { startSolanaChain } from '../../services/sandbox/solana-node.ts'
import { payingClient } from '../../services/sandbox/wallet.ts'
import { openTill } from '../../services/till/open-till.ts'
import { startSales } from '../pipelines/sources/payments/play-sales.ts'
import { originOf } from '../services/an-origin.ts'
import { serve } from '../services/query/serve.ts'
import { echo } from '../services/till/paying.ts'
import { topics } from '../services/till/till-options.ts'
import { until } from '../until.ts'
import { booksCommand, chainReading, kept, openBooksStore, startSinks, walletsOf } from './books-parts.ts'
import { freePort } from './free-port.ts'
import { openOwn } from './seller-parts.ts'

const isLong = process.env.LONG_FORM !== undefined
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
/** Between two sales. */
const stepMs = 10 * minuteMs
/** One in so many is paid back. */
const refundEvery = 9

const realNow = Date.now
let aheadMs = 0
vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs)
afterAll(() => vi.restoreAllMocks())
const now = () => Date.now()
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

async function openChains() {
  const chains = { base: await startEvmChain('base'), solana: await startSolanaChain('solana', now) }
  onTestFinished(async () => void (await Promise.all(Object.values(chains).map(each => each.close()))))
  const anvil = createTestClient({ mode: 'anvil', transport: http(chains.base.rpcUrl) })
  return {
    ...chains,
    async move(ms: number) {
      aheadMs += ms
      await anvil.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(now() / 1000)) })
      await anvil.mine({ blocks: 1 })
    },
    /** What the chain of Base holds is final. */
    finalise: () => anvil.mine({ blocks: 3 }),
  }
}

type Chains = Awaited<ReturnType<typeof openChains>>
const named = ['base', 'solana'] as const

/** All that sells and compares, over what stands in a folder. */
async function openSeller(folder: string, chains: Chains) {
  const logUrl = `sqlite:${folder}/log.db`
  const log = await openSqliteLog(`${folder}/log.db`, {
    topics: [...new Set([...kept.map(({ topic }) => topic), rejects.topic, ...topics])],
    now,
  })
  const books = await openBooksStore(folder)
  await books.store.apply(kept)
  const sinks = await startSinks(log, books.store)
  const onError = (error: unknown) => void console.error(error)
  const origin = originOf([echo])
  const port = await freePort()
  const config = {
    facilitators: [{ url: `http://127.0.0.1:${port}` }],
    payTo: named.map(name => ({ name, address: chains[name].payTo })),
    rpcUrls: { base: [chains.base.rpcUrl], solana: [chains.solana.rpcUrl] },
  }
  const nodes = { base: chains.base.rpcUrl, solana: chains.solana.rpcUrl }
  const keys = { base: chains.base.settleKey, solana: chains.solana.settleKey }
  const own = await openOwn({ own: { port, keys }, nodes, config } as never, {
    ...{ origin, prices: undefined, log, now, onError },
  })
  const blobs = await openBlobs(`file:${folder}/blobs`)
  const till = await openTill({ origins: [origin], blobs, log, config, now, uptime: now, onError })
  const { app, url } = await serve(till, [origin])
  const refundConfig = {
    ...{ former: [], mostGwei: 100, aDay: 10n ** 12n, rules: [], signerKey: undefined },
    keys: named.map(name => ({
      ...{ name, key: chains[name].refundKey, rpcUrls: [nodes[name]], payTo: chains[name].payTo },
    })),
  }
  const refunds = await startRefunds({
    ...{ log, store: async () => books.store, now },
    read: ((variables: unknown) => (variables === logVariables ? logUrl : refundConfig)) as never,
    onFailed: () => {},
  })
  const wallets = walletsOf(named.map(network => ({ network, payTo: chains[network].payTo })))
  const ask = <Row>(sql: string, params: Readonly<Record<string, string>>) =>
    books.store.query<Row>(sql, params)
  const comparing = await Books.open({ log, ask, wallets: () => wallets, now })
  return {
    ...{ url, log, wallets, ask, at: { store: books.url, log: logUrl } },
    compare: () => comparing.round(new AbortController().signal),
    async close() {
      await app.close()
      await refunds.close()
      await till.close()
      await own.close()
      await sinks.close()
      await books.close()
      await blobs.close()
      await log.close()
    },
  }
}

/** One customer's call. The request of its receipt. */
async function bought(url: string, chain: PlayChain): Promise<string> {
  const client = await payingClient(chain)
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${url}${echo.path}`, {
      ...{ method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...headers } },
    })
  const told = JSON.parse(
    Buffer.from((await ask()).headers.get('payment-required') ?? '', 'base64').toString(),
  )
  const { caip2 } = networks[chain.network]
  const accepts = told.accepts.filter((offer: { network: string }) => offer.network === caip2)
  const payment = await client.createPaymentPayload({ ...told, accepts } as never)
  const header = { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') }
  const answer = await ask(header)
  const body = (await answer.json()) as { receipt?: { request_id: string } }
  expect(answer.status, JSON.stringify(body)).toBe(200)
  return body.receipt?.request_id as string
}

it.skipIf(!isLong)(
  `a day over two midnights has no difference, and one that is planted is found${isLong ? '' : ': LONG_FORM is unset'}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-day-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
    const chains = await openChains()
    const midnight = Math.ceil(now() / dayMs) * dayMs
    await chains.move(midnight - hourMs / 2 - now())
    const wholeDay = isoDay(midnight + 1)
    let seller = await openSeller(folder, chains)
    const wallets = seller.wallets
    // As the service does, the accounts that pay refunds are read, too.
    const refunders = [
      ownWallet('base', evmAccount('refunds').address),
      ownWallet('solana', (await solanaSigner('refunds')).address),
    ]
    const readings = named.map(name => chainReading(name, chains[name].rpcUrl, [...wallets, ...refunders]))
    const compare = async () => {
      await chains.finalise()
      for (const read of readings) await read(seller.log, now)
      await seller.compare()
    }
    await compare()
    const count = async (sql: string) =>
      Number((await seller.ask<{ n: string }>(`select toString(count()) as n from ${sql}`, {}))[0]?.n)
    const sold = { base: 0, solana: 0 }
    const refunded: string[] = []
    let rounds = 0
    const endMs = midnight + dayMs + 1.5 * hourMs
    for (let nth = 0; now() < endMs; nth++) {
      const name = nth % 2 ? 'base' : 'solana'
      const request = await bought(seller.url, chains[name])
      sold[name]++
      if (nth % refundEvery === 0) {
        leaveOrder(`${folder}/log.db`, { requestId: request, reason: 'late' })
        refunded.push(request)
      }
      await chains.move(stepMs)
      if (Math.floor(now() / hourMs) > rounds) {
        rounds = Math.floor(now() / hourMs)
        await compare()
      }
      // The process ends and another one goes on, in the middle of the day.
      if (nth === 70) {
        await seller.close()
        seller = await openSeller(folder, chains)
      }
    }
    await chains.finalise()
    await until(
      async () => (await count('refunded where is_final')) === refunded.length,
      'the refunds to be final',
      120_000,
    )
    await chains.move(2 * hourMs)
    await compare()

    await until(
      async () => (await count(`book_days where day = '${wholeDay}'`)) === 2,
      'the day of each wallet',
    )
    const days = await seller.ask<Record<string, string>>(
      `select network, toString(state) as state, toString(sales) as sales, toString(matched) as matched, toString(differences) as differences, toString(waiting) as waiting from book_days final where day = '${wholeDay}' order by network`,
      {},
    )
    expect(days).toEqual(
      named.map((network, at) => ({
        ...{ network, state: 'closed', sales: days[at]?.matched, matched: days[at]?.matched },
        ...{ differences: '0', waiting: '0' },
      })),
    )
    for (const { sales } of days) expect(Number(sales)).toBeGreaterThan(60)
    // None has differed for an hour, either.
    expect(await count('book_differences')).toBe(0)
    await until(
      async () => (await count('settle_costs')) === sold.base + sold.solana,
      'what settling each sale has cost',
    )
    const right = await booksCommand(seller.at, aheadMs)
    expect(right.code, right.said).toBe(0)

    const forged = await startSales(chains.base)
    const tx = await forged.pay('0.002')
    await forged.close()
    await chains.move(2 * hourMs)
    await compare()
    const wrong = await booksCommand(seller.at, aheadMs)
    expect(wrong.code).toBe(1)
    const found = wrong.said
      .trim()
      .split('\n')
      .flatMap(line => (JSON.parse(line) as { found?: { kind: string; tx: string }[] }).found ?? [])
    expect(found.map(({ kind, tx }) => [kind, tx])).toEqual([['no_sale', tx]])
    await seller.close()
  },
  1_800_000,
)
