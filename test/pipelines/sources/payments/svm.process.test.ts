import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openSvmReader } from '../../../../pipelines/domains/payments/svm/reader.ts'
import { newestOf } from '../../../../pipelines/sources/payments/svm/state.ts'
import { svmPayments } from '../../../../pipelines/sources/payments/svm.ts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { solanaSigner } from '../../../../services/sandbox/keys.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { startSolanaChain } from '../../../../services/sandbox/solana-node.ts'
import { startNode } from '../../domains/payments/rpc-node.ts'
import { Books, outside, poll as pollAt, sellersNamed, startSales } from './play-sales.ts'

const own = '1970-01-01T00:00:00.001Z'
const [week1, week2] = ['2026-11-09T00:11:00.000Z', '2026-11-16T00:11:00.000Z']
const minuteMs = 60_000

let clock = Date.parse('2026-11-16T12:00:00Z')
const now = () => clock
let chain: PlayChain
let sales: Awaited<ReturnType<typeof startSales>>
let books: Books
let facilitator: string

beforeAll(async () => {
  chain = await startSolanaChain('solana', now)
  sales = await startSales(chain)
  facilitator = (await solanaSigner('facilitator')).address
})
afterAll(async () => {
  await sales?.close()
  await chain?.close()
})
beforeEach(() => {
  books = new Books()
  clock += minuteMs
})

const reader = (...rpcUrls: string[]) => openSvmReader({ network: 'solana', rpcUrls, perSecond: 1000 })
const named = (wallets: Record<string, string>, newest = own) =>
  sellersNamed({ until: newest, wallets: new Map(Object.entries(wallets)) })
const look = (from = reader(chain.rpcUrl), sellers = named({ [chain.payTo]: own })) =>
  svmPayments(from, sellers)
const poll: typeof pollAt = (source, books, cursor, most) => pollAt(source, books, cursor, most, now)
const found = (tx: string) => books.list.filter(row => row.tx === tx)

describe('a payment', () => {
  test('becomes a row', async () => {
    const first = await poll(look(), books)
    clock += minuteMs
    const tx = await sales.pay('$0.0021')
    await poll(look(), books, first)
    expect(found(tx)).toEqual([
      {
        network: 'solana',
        at: new Date(Math.floor(clock / 1000) * 1000).toISOString(),
        tx,
        position: 2,
        block: expect.any(Number),
        payer: chain.payer,
        pay_to: chain.payTo,
        amount: '0.0021',
        asset: networks.solana.asset,
        method: 'svm_exact',
        facilitator,
        nonce: null,
        provisional: false,
        withdrawn: false,
      },
    ])
  })

  test('is written once, although every window overlaps the one before', async () => {
    const first = await poll(look(), books)
    clock += minuteMs
    const tx = await sales.pay('$0.003')
    let cursor = await poll(look(), books, first)
    for (let i = 0; i < 3; i++) {
      clock += minuteMs
      cursor = await poll(look(), books, cursor)
    }
    expect(books.told.filter(row => row.tx === tx)).toHaveLength(1)
    for (let i = 0; i < 2; i++) {
      clock += 90 * minuteMs
      cursor = await poll(look(), books, cursor)
    }
    expect(Object.keys(cursor?.told ?? {})).toEqual([])
  })

  test('that a node lists late is still found', async () => {
    const node = await startNode(chain.rpcUrl)
    const first = await poll(look(reader(node.url)), books)
    clock += minuteMs
    const tx = await sales.pay('$0.004')
    node.state.alter = ({ method }, result) =>
      method === 'getSignaturesForAddress'
        ? (result as { signature: string }[]).filter(({ signature }) => signature !== tx)
        : result
    const second = await poll(look(reader(node.url)), books, first)
    expect(found(tx)).toEqual([])
    node.state.alter = (_, result) => result
    clock += 10 * minuteMs
    await poll(look(reader(node.url)), books, second)
    expect(found(tx)).toHaveLength(1)
  })
})

describe('reading', () => {
  test('a second read of everything changes nothing', async () => {
    await sales.pay('$0.001')
    clock += minuteMs
    await poll(look(), books)
    const rows = books.list
    expect(rows.length).toBeGreaterThan(0)
    await poll(look(), books)
    expect(books.list).toEqual(rows)
  })

  test('continues after a kill, at any point', async () => {
    await sales.pay('$0.001')
    clock += minuteMs
    const whole = new Books()
    await poll(look(), whole)
    let cursor = await poll(look(), books, undefined, 1)
    let kills = 0
    for (; (cursor?.window || cursor?.gaps.length) && kills < 200; kills++) {
      await poll(look(), books, cursor, 1)
      cursor = await poll(look(), books, cursor, 1)
    }
    expect(kills).toBeGreaterThan(3)
    expect(books.list).toEqual(whole.list)
  })

  test('knows which slots it has read', async () => {
    const first = await poll(look(), books)
    clock += minuteMs
    const second = await poll(look(), books, first)
    const [gap, window] = books.ranges
    expect(gap).toMatchObject({ to_block: (first?.next ?? 0) - 1, wallets: 1, sellers_until: own })
    expect(window?.from_block).toBeLessThanOrEqual(first?.next ?? 0)
    expect(window?.to_block).toBe((second?.next ?? 0) - 1)
  })

  test('does not call a window complete if a node cannot show its transactions', async () => {
    const node = await startNode(chain.rpcUrl)
    const first = await poll(look(reader(node.url)), books)
    clock += minuteMs
    const tx = await sales.pay('$0.005')
    node.state.alter = ({ method }, result) => (method === 'getTransaction' ? null : result)
    books.ranges.length = 0
    let state = first
    const failing = async () => {
      for await (const page of look(reader(node.url)).pull(first, outside(now), {})) {
        books.take(page)
        state = page.cursor
      }
    }
    await expect(failing()).rejects.toThrow(/transactions could not be read/)
    expect(books.ranges).toEqual([])
    expect(state?.gaps).toHaveLength(1)

    node.state.alter = (_, result) => result
    await poll(look(reader(node.url)), books, state)
    expect(found(tx)).toHaveLength(1)
    expect(books.ranges.some(({ payments }) => payments > 0)).toBe(true)
  })

  test('reads the past of a new seller', async () => {
    const tx = await sales.pay('$0.007')
    clock += minuteMs
    const first = await poll(look(undefined, named({}, week1)), books)
    expect(found(tx)).toEqual([])
    clock += minuteMs
    await poll(look(undefined, named({ [chain.payTo]: week2 }, week2)), books, first)
    expect(found(tx)).toMatchObject([{ amount: '0.007' }])
    expect(books.ranges).toContainEqual(
      expect.objectContaining({ sellers_after: week1, sellers_until: week2, wallets: 1 }),
    )
  })

  test('skips wallets that are not Solana addresses', async () => {
    await poll(look(undefined, named({ '0x12': own, 'not a key': own, [chain.payTo]: own })), books)
    expect(books.list.length).toBeGreaterThan(0)
  })
})

test('ignores the state of another chain', async () => {
  const first = await poll(look(), books)
  clock += minuteMs
  const other = await startSolanaChain('solana', now)
  try {
    const second = await poll(look(reader(other.rpcUrl)), books, first)
    expect(second?.genesis).not.toBe(first?.genesis)
    expect(second?.next).toBeLessThan(first?.next ?? 0)
  } finally {
    await other.close()
  }
})

test('after two errors in a row, the next node is asked', async () => {
  const node = await startNode(chain.rpcUrl)
  node.state.down = true
  const cursor = await poll(look(reader(node.url, chain.rpcUrl)), books)
  expect(node.asked()).toEqual(['getGenesisHash', 'getGenesisHash'])
  expect(cursor?.gaps).toEqual([])
})

test('a rush leaves a cursor that still fits into the log', () => {
  const told = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`signature-${i}`, i]))
  const kept = newestOf(told)
  expect(Object.keys(kept)).toHaveLength(10_000)
  expect(kept).toHaveProperty('signature-11999')
  expect(kept).not.toHaveProperty('signature-0')
})

test('new windows leave time for gaps between them, more time for more wallets', async () => {
  const wallets = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`wallet-${i}`, own]))
  const sellers = named({ ...wallets, [chain.payTo]: own })
  const first = await poll(look(undefined, sellers), books)
  clock += minuteMs
  const second = await poll(look(undefined, sellers), books, first)
  expect(look().due?.(clock + minuteMs, second)).toBe(false)
  clock += 5 * minuteMs
  expect(await poll(look(undefined, sellers), books, second)).toBe(second)
  clock += 6 * minuteMs
  expect(look().due?.(clock, second)).toBe(true)
})
