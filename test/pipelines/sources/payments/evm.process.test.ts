import { createTestClient, type Hex, http, parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EvmReader } from '../../../../pipelines/domains/payments/evm/reader.ts'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import { type EvmReadState, planned, spansOf } from '../../../../pipelines/sources/payments/evm/state.ts'
import { evmPayments } from '../../../../pipelines/sources/payments/evm.ts'
import { beforeAll as beforeAllSnapshots } from '../../../../pipelines/sources/payments/sellers.ts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { evmClient, startEvmChain } from '../../../../services/sandbox/evm-chain.ts'
import { evmAccount } from '../../../../services/sandbox/keys.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { startNode } from '../../domains/payments/rpc-node.ts'
import { Books, poll, sellersNamed, startSales } from './play-sales.ts'

const own = '1970-01-01T00:00:00.001Z'
const [week1, week2] = ['2026-11-09T00:11:00.000Z', '2026-11-16T00:11:00.000Z']
const facilitator = evmAccount('facilitator').address.toLowerCase()
const stranger = '0x00000000000000000000000000000000000000aa'
const erc20 = parseAbi(['function transfer(address to, uint256 value) returns (bool)'])

let chain: PlayChain
let sales: Awaited<ReturnType<typeof startSales>>
let anvil: ReturnType<typeof testClient>
let books: Books
let seller: string

const testClient = (url: string) => createTestClient({ mode: 'anvil', transport: http(url) })

beforeAll(async () => {
  chain = await startEvmChain('base')
  sales = await startSales(chain)
  anvil = testClient(chain.rpcUrl)
  seller = chain.payTo.toLowerCase()
  // The chain makes a block for each transaction and on request, and none by the clock.
  await anvil.setIntervalMining({ interval: 0 })
  await anvil.setAutomine(true)
})
afterAll(async () => {
  await sales?.close()
  await chain?.close()
})
beforeEach(() => {
  books = new Books()
})

const reader = (...rpcUrls: string[]) => new EvmReader({ network: 'base', rpcUrls, perSecond: 1000 })
const named = (wallets: Record<string, string>, newest = own) =>
  sellersNamed({ until: newest, wallets: new Map(Object.entries(wallets)) })
const look = (from = reader(chain.rpcUrl), sellers = named({ [seller]: own })) => evmPayments(from, sellers)
const found = (tx: string) => books.list.filter(row => row.tx === tx)
/** A block of this chain is final two blocks later. */
const finalise = () => anvil.mine({ blocks: 3 })

async function transfer(part: 'payer' | 'payTo', to: string, value: bigint): Promise<string> {
  const client = evmClient('base', chain.rpcUrl, part)
  const hash = await client.writeContract({
    address: networks.base.asset,
    abi: erc20,
    functionName: 'transfer',
    args: [to as Hex, value],
  })
  await client.waitForTransactionReceipt({ hash })
  return hash
}

describe('a payment', () => {
  test('becomes a row, provisional first and then final', async () => {
    await finalise()
    const tx = await sales.pay('$0.0021')
    const first = await poll(look(), books)
    const [row] = found(tx)
    expect(row).toMatchObject({
      network: 'base',
      payer: chain.payer.toLowerCase(),
      pay_to: seller,
      amount: '0.0021',
      asset: networks.base.asset.toLowerCase(),
      method: 'eip3009',
      facilitator,
      nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      provisional: true,
      withdrawn: false,
    })
    const block = await evmClient('base', chain.rpcUrl, 'payer').getBlock({
      blockNumber: BigInt(row?.block ?? 0),
    })
    expect(row?.at).toBe(new Date(Number(block.timestamp) * 1000).toISOString())

    await finalise()
    await poll(look(), books, first)
    expect(found(tx)).toEqual([{ ...row, provisional: false }])
  })

  test('is written once while nothing changes', async () => {
    await finalise()
    const tx = await sales.pay('$0.003')
    const first = await poll(look(), books)
    await poll(look(), books, first)
    expect(books.told.filter(row => row.tx === tx)).toHaveLength(1)
  })

  test("is distinguished from a seller's other transfers", async () => {
    const paid = await sales.pay('$0.004')
    const received = await transfer('payer', seller, 5000n)
    const spent = await transfer('payTo', stranger, 1000n)
    await finalise()
    await poll(look(), books)
    const told = [paid, received, spent].flatMap(found)
    expect(
      told.map(({ method, pay_to, amount, facilitator }) => [method, pay_to, amount, facilitator]),
    ).toEqual([
      ['eip3009', seller, '0.004', facilitator],
      ['plain', seller, '0.005', null],
      ['plain', stranger, '0.001', null],
    ])
  })
})

describe('a dropped block', () => {
  test('takes its payments with it', async () => {
    await finalise()
    const before = await anvil.snapshot()
    const tx = await sales.pay('$0.005')
    const first = await poll(look(), books)
    expect(found(tx)).toMatchObject([{ provisional: true }])

    await anvil.revert({ id: before })
    await anvil.mine({ blocks: 1 })
    const second = await poll(look(), books, first)
    expect(found(tx)).toEqual([])
    expect(books.told.filter(row => row.tx === tx).map(row => row.withdrawn)).toEqual([false, true])

    await finalise()
    await poll(look(), books, second)
    expect(found(tx)).toEqual([])
  })

  test('takes them with it even if nobody looked before its successors were final', async () => {
    await finalise()
    const before = await anvil.snapshot()
    const tx = await sales.pay('$0.005')
    const first = await poll(look(), books)
    await anvil.revert({ id: before })
    await anvil.mine({ blocks: 5 })
    await poll(look(), books, first)
    expect(found(tx)).toEqual([])
  })

  test('may lose its payment to another block', async () => {
    await finalise()
    const before = await anvil.snapshot()
    const tx = (await sales.pay('$0.006')) as Hex
    const raw = await anvil.request({ method: 'eth_getRawTransactionByHash', params: [tx] } as never)
    const first = await poll(look(), books)
    const [row] = found(tx)

    await anvil.revert({ id: before })
    await anvil.mine({ blocks: 1 })
    await anvil.request({ method: 'eth_sendRawTransaction', params: [raw] } as never)
    const second = await poll(look(), books, first)
    expect(found(tx)).toMatchObject([{ block: (row?.block ?? 0) + 1, provisional: true, nonce: row?.nonce }])
    await finalise()
    await poll(look(), books, second)
    expect(found(tx)).toMatchObject([{ block: (row?.block ?? 0) + 1, provisional: false }])
  })
})

describe('reading', () => {
  test('a second read of a range changes nothing', async () => {
    await sales.pay('$0.001')
    await finalise()
    await poll(look(), books)
    const rows = books.list
    await poll(look(), books)
    expect(books.list).toEqual(rows)
    expect(books.told.length).toBe(2 * rows.length)
  })

  test('continues after a kill, at any point', async () => {
    await anvil.mine({ blocks: 60 })
    const tx = await sales.pay('$0.001')
    await finalise()
    const whole = new Books()
    await poll(look(), whole)
    // A node that returns few blocks at once forces many steps.
    const node = await startNode(chain.rpcUrl)
    node.state.mostBlocks = 10
    const step = (state?: EvmReadState) => poll(look(reader(node.url)), books, state, 2)
    let cursor = await step()
    let kills = 0
    while (cursor?.gaps.length && ++kills < 200) {
      // The process dies before it saves the cursor, and after.
      await step(cursor)
      cursor = await step(cursor)
    }
    expect(kills).toBeGreaterThan(3)
    expect(books.list).toEqual(whole.list)
    expect(found(tx)).toHaveLength(1)
  })

  test('requests fewer blocks if a node refuses, and more again later', async () => {
    await anvil.mine({ blocks: 100 })
    await finalise()
    const node = await startNode(chain.rpcUrl)
    const base = reader(node.url)
    const signal = new AbortController().signal
    const spans: number[] = []
    const readAll = async () => {
      for (let from = 0; from < 100; ) {
        const { to } = await base.read({ wallets: [seller], from, until: 99 }, signal)
        spans.push(to - from + 1)
        from = to + 1
      }
    }
    node.state.mostBlocks = 16
    await readAll()
    expect(Math.max(...spans)).toBeLessThanOrEqual(16)
    expect(spans.reduce((sum, span) => sum + span)).toBe(100)
    node.state.mostBlocks = Infinity
    for (let i = 0; i < 4; i++) await readAll()
    expect(Math.max(...spans)).toBe(100)
  })

  test('knows which blocks it has read, and for which wallets', async () => {
    await finalise()
    const first = await poll(look(), books, undefined, 1)
    // Another file may have read another network in this process before.
    const gap = async () =>
      (await metrics.chainGap.get()).values.find(({ labels }) => labels.network === 'base')?.value
    expect(await gap()).toBe((first?.gaps[0]?.to ?? 0) + 1)
    await anvil.mine({ blocks: 5 })
    const second = await poll(look(), books, first)
    expect(await gap()).toBe(0)
    const covered = [...books.ranges].sort((a, b) => a.from_block - b.from_block)
    expect(covered[0]).toMatchObject({ from_block: 0, sellers_until: own, wallets: 1, unread: 0 })
    expect(covered.at(-1)?.to_block).toBe((second?.next ?? 0) - 1)
    for (const [i, { from_block }] of covered.slice(1).entries())
      expect(from_block).toBe((covered[i]?.to_block ?? 0) + 1)
  })

  test('reads the past of a new seller, and no other past again', async () => {
    const tx = await sales.pay('$0.007', '0x00000000000000000000000000000000000000Bb')
    await finalise()
    const [old, young] = [
      named({ [seller]: week1 }, week1),
      named({ [seller]: week1, '0x00000000000000000000000000000000000000bb': week2 }, week2),
    ]
    const first = await poll(look(undefined, old), books)
    expect(found(tx)).toEqual([])
    books.ranges.length = 0
    const before = books.told.length
    await poll(look(undefined, young), books, first)
    expect(found(tx)).toMatchObject([{ amount: '0.007', method: 'eip3009' }])
    expect(books.told.length - before).toBe(1)
    expect(books.ranges).toMatchObject([
      { from_block: 0, sellers_after: week1, sellers_until: week2, wallets: 1 },
    ])
  })

  test('reads the newest first after a long absence; the rest is a gap until it is filled', async () => {
    const first = await poll(look(), books)
    if (!first) throw new Error('no state')
    const final = { block: first.next + 30_000, hash: '0xfe', atMs: 0 }
    const named = { until: own, wallets: new Map() }
    const plan = planned(first, { final, named }, spansOf('base'), 7)
    expect(plan).toMatchObject({ next: final.block + 1, lastHash: '0xfe', readAt: 7 })
    expect(plan.gaps).toEqual([{ from: first.next, to: final.block, after: beforeAllSnapshots, until: own }])
    expect(
      planned(first, { final: { ...final, block: first.next + 10 }, named }, spansOf('base'), 7).gaps,
    ).toEqual([])
  })
})

describe('nodes', () => {
  test('after two errors in a row, the next node of the list is asked', async () => {
    const [first, second] = [await startNode(chain.rpcUrl), await startNode(chain.rpcUrl)]
    const base = reader(first.url, second.url)
    first.state.down = true
    const cursor = await poll(look(base), books)
    expect(first.asked()).toHaveLength(2)
    expect(books.list.length).toBeGreaterThan(0)
    expect(cursor?.gaps).toEqual([])

    first.state.down = false
    second.state.down = true
    second.asked()
    await poll(look(base), books, cursor)
    expect(second.asked()).toHaveLength(2)
    expect(first.asked().length).toBeGreaterThan(2)
  })

  test('if none answers the poll fails, and nothing is missed once one does', async () => {
    const node = await startNode(chain.rpcUrl)
    const base = reader(node.url)
    const first = await poll(look(base), books)
    const tx = await sales.pay('$0.009')
    await finalise()
    node.state.down = true
    await expect(poll(look(base), books, first)).rejects.toThrow(/no base node answers/)
    node.state.down = false
    await poll(look(base), books, first)
    expect(found(tx)).toHaveLength(1)
  })

  test('on another chain: provisional rows are withdrawn, and the read begins again', async () => {
    await finalise()
    const tx = await sales.pay('$0.002')
    const first = await poll(look(), books)
    const other = await startEvmChain('base')
    try {
      const second = await poll(look(reader(other.rpcUrl)), books, first)
      expect(found(tx)).toEqual([])
      expect(second?.origin).not.toEqual(first?.origin)
      expect(second?.gaps).toEqual([])
    } finally {
      await other.close()
    }
  })

  test('that call a different block final than before are not believed', async () => {
    await finalise()
    const first = await poll(look(), books)
    const state = { ...first, lastHash: `0x${'1'.repeat(64)}` } as NonNullable<typeof first>
    await expect(poll(look(), books, state)).rejects.toThrow(/was final and has changed/)
  })
})

test('few wallets are read for every minute, thousands every quarter of an hour', () => {
  const state = { gaps: [], wallets: 1, readAt: 0 } as never
  expect(look().due?.(58_000, state)).toBe(true)
  const many = { gaps: [], wallets: 4000, readAt: 0 } as never
  expect(look().due?.(10 * 60_000, many)).toBe(false)
  expect(look().due?.(15 * 60_000, many)).toBe(true)
})
